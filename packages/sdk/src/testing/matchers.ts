import { levenshtein, relativeDistance } from '../evaluation/evaluators/edit-distance.ts'
import { METRICS } from '../evaluation/evaluators/embedding-distance.ts'

interface Outcome {
  pass: boolean
  message: () => string
}

/** Levenshtein distance over the length of the longer text, at most the threshold. @default 0.1 */
export async function toBeRelativeCloseTo(
  received: string,
  expected: string,
  { threshold = 0.1, algorithm = 'levenshtein' }: { threshold?: number; algorithm?: 'levenshtein' } = {},
): Promise<Outcome> {
  if (threshold < 0 || threshold > 1) {
    throw new Error('Relative distance is normalized, and threshold must be between 0 and 1.')
  }
  checkAlgorithm(algorithm)
  const distance = relativeDistance(received, expected)
  return outcome(
    distance <= threshold,
    'relatively',
    received,
    expected,
    `threshold: ${threshold}, actual distance: ${distance}`,
  )
}

/** Levenshtein distance in characters, at most the threshold. @default 3 */
export async function toBeAbsoluteCloseTo(
  received: string,
  expected: string,
  { threshold = 3, algorithm = 'levenshtein' }: { threshold?: number; algorithm?: 'levenshtein' } = {},
): Promise<Outcome> {
  checkAlgorithm(algorithm)
  const distance = levenshtein(received, expected)
  return outcome(
    distance <= threshold,
    'absolutely',
    received,
    expected,
    `threshold: ${threshold}, actual distance: ${distance}`,
  )
}

export interface SemanticOptions {
  /** Turns a text into numbers; LangChain's embeddings fit. */
  embeddings: { embedQuery(text: string): number[] | Promise<number[]> }
  /** How far from 1 the similarity may be. @default 0.2 */
  threshold?: number
  /** @default "cosine" */
  algorithm?: 'cosine' | 'dot-product'
}

/** Similarity of the embeddings, at least 1 minus the threshold. */
export async function toBeSemanticCloseTo(
  received: string,
  expected: string,
  { embeddings, threshold = 0.2, algorithm = 'cosine' }: SemanticOptions,
): Promise<Outcome> {
  const metric = { cosine: METRICS.cosine, 'dot-product': METRICS.dot }[algorithm]
  if (!metric) throw new Error(`Unsupported algorithm: ${algorithm}`)
  const [left, right] = await Promise.all([embeddings.embedQuery(received), embeddings.embedQuery(expected)])
  const similarity = metric(left, right)
  const told = `threshold: ${threshold}, similarity: ${similarity}`
  return outcome(similarity >= 1 - threshold, 'semantically', received, expected, told)
}

export const MATCHERS = { toBeRelativeCloseTo, toBeAbsoluteCloseTo, toBeSemanticCloseTo }

/** The same as methods of an assertion. */
export interface CloseMatchers {
  toBeRelativeCloseTo(expected: string, options?: Parameters<typeof toBeRelativeCloseTo>[2]): Promise<void>
  toBeAbsoluteCloseTo(expected: string, options?: Parameters<typeof toBeAbsoluteCloseTo>[2]): Promise<void>
  toBeSemanticCloseTo(expected: string, options: SemanticOptions): Promise<void>
}

function checkAlgorithm(algorithm: string): void {
  if (algorithm !== 'levenshtein') throw new Error(`Unsupported algorithm: ${algorithm}`)
}

function outcome(pass: boolean, how: string, received: string, expected: string, told: string): Outcome {
  return {
    pass,
    message: () => `Expected "${received}" ${pass ? 'not ' : ''}to be ${how} close to "${expected}" (${told})`,
  }
}
