import { levenshtein, relativeDistance } from '../evaluation/evaluators/edit-distance.ts'
import { METRICS } from '../evaluation/evaluators/embedding-distance.ts'

interface Outcome {
  pass: boolean
  message: () => string
}

/**
 * Passes if the Levenshtein distance divided by the length of the longer text is at most the threshold. @default 0.1
 */
export async function toBeRelativeCloseTo(
  received: string,
  expected: string,
  { threshold = 0.1, algorithm = 'levenshtein' }: { threshold?: number; algorithm?: 'levenshtein' } = {},
): Promise<Outcome> {
  if (threshold < 0 || threshold > 1) {
    throw new Error('Relative distance is normalized, and threshold must be between 0 and 1.')
  }
  assertAlgorithm(algorithm)
  const distance = relativeDistance(received, expected)
  return toOutcome(
    distance <= threshold,
    'relatively',
    received,
    expected,
    `threshold: ${threshold}, actual distance: ${distance}`,
  )
}

/** Passes if the Levenshtein distance in characters is at most the threshold. @default 3 */
export async function toBeAbsoluteCloseTo(
  received: string,
  expected: string,
  { threshold = 3, algorithm = 'levenshtein' }: { threshold?: number; algorithm?: 'levenshtein' } = {},
): Promise<Outcome> {
  assertAlgorithm(algorithm)
  const distance = levenshtein(received, expected)
  return toOutcome(
    distance <= threshold,
    'absolutely',
    received,
    expected,
    `threshold: ${threshold}, actual distance: ${distance}`,
  )
}

export interface SemanticOptions {
  /** Computes an embedding; LangChain embeddings fit. */
  embeddings: { embedQuery(text: string): number[] | Promise<number[]> }
  /** Maximum difference of the similarity from 1. @default 0.2 */
  threshold?: number
  /** @default "cosine" */
  algorithm?: 'cosine' | 'dot-product'
}

/** Passes if the similarity of the embeddings is at least 1 minus the threshold. */
export async function toBeSemanticCloseTo(
  received: string,
  expected: string,
  { embeddings, threshold = 0.2, algorithm = 'cosine' }: SemanticOptions,
): Promise<Outcome> {
  const metric = { cosine: METRICS.cosine, 'dot-product': METRICS.dot }[algorithm]
  if (!metric) throw new Error(`Unsupported algorithm: ${algorithm}`)
  const [left, right] = await Promise.all([embeddings.embedQuery(received), embeddings.embedQuery(expected)])
  const similarity = metric(left, right)
  const details = `threshold: ${threshold}, similarity: ${similarity}`
  return toOutcome(similarity >= 1 - threshold, 'semantically', received, expected, details)
}

export const MATCHERS = { toBeRelativeCloseTo, toBeAbsoluteCloseTo, toBeSemanticCloseTo }

/** The matchers as methods of an assertion. */
export interface CloseMatchers {
  toBeRelativeCloseTo(expected: string, options?: Parameters<typeof toBeRelativeCloseTo>[2]): Promise<void>
  toBeAbsoluteCloseTo(expected: string, options?: Parameters<typeof toBeAbsoluteCloseTo>[2]): Promise<void>
  toBeSemanticCloseTo(expected: string, options: SemanticOptions): Promise<void>
}

function assertAlgorithm(algorithm: string): void {
  if (algorithm !== 'levenshtein') throw new Error(`Unsupported algorithm: ${algorithm}`)
}

function toOutcome(pass: boolean, how: string, received: string, expected: string, details: string): Outcome {
  return {
    pass,
    message: () => `Expected "${received}" ${pass ? 'not ' : ''}to be ${how} close to "${expected}" (${details})`,
  }
}
