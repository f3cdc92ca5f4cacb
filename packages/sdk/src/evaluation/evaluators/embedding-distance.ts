import { traceable } from '../../tracing/traceable/traceable.ts'
import type { EvaluationResult } from '../types.ts'
import { callModel, type ProviderOptions, readUsageMetadata } from './provider.ts'
import { type KeyedEvaluator, type Selection, selectParts, toText, withKey } from './selection.ts'

export interface EmbeddingDistanceOptions extends Selection, ProviderOptions {
  /** @default "cosine" */
  metric?: 'cosine' | 'dot' | 'euclidean' | undefined
}

/**
 * Semantic similarity of two texts by the embeddings of a model. Cosine and dot product are used as the score; the
 * Euclidean distance d becomes 1 / (1 + d), so a higher score always means more similar. The model call is traced below
 * the evaluator's run.
 *
 * @returns an evaluator for the key `embedding_similarity`
 */
export function embeddingDistance(options: EmbeddingDistanceOptions): KeyedEvaluator<Promise<EvaluationResult>> {
  const { key = 'embedding_similarity', metric = 'cosine' } = options
  const embed = createTracedEmbeddings(options)
  return withKey(key, async (args) => {
    const { actual, expected } = selectParts(args, options)
    const { vectors } = await embed({ input: [toText(actual), toText(expected)] })
    const [left, right] = vectors
    if (!left || !right || left.length !== right.length) throw new Error('The model gave no two embeddings to compare.')
    return { key, score: METRICS[metric](left, right) }
  })
}

export const METRICS = {
  cosine: (a: readonly number[], b: readonly number[]) => {
    const size = Math.sqrt(dot(a, a) * dot(b, b))
    return size === 0 ? 0 : dot(a, b) / size
  },
  dot,
  euclidean: (a: readonly number[], b: readonly number[]) =>
    1 / (1 + Math.sqrt(a.reduce((sum, value, at) => sum + (value - b[at]!) ** 2, 0))),
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, at) => sum + value * b[at]!, 0)
}

function createTracedEmbeddings(options: EmbeddingDistanceOptions) {
  return traceable(
    async ({ input }: { input: string[] }) => {
      const answer = await callModel('/embeddings', { input }, options)
      const { data = [] } = answer as { data?: { index?: number; embedding: number[] }[] }
      const vectors: number[][] = []
      for (const [at, { index, embedding }] of data.entries()) vectors[index ?? at] = embedding
      const usage_metadata = readUsageMetadata(answer)
      return { vectors, ...(usage_metadata && { usage_metadata }) }
    },
    {
      name: `embeddings of ${options.model}`,
      // Tokens and costs are counted for runs of this type only.
      run_type: 'llm',
      metadata: { ls_provider: options.provider ?? 'openai', ls_model_name: options.model },
      // Vectors hold thousands of numbers that are useless in a trace.
      processOutputs: ({ vectors, ...rest }) => ({ dimensions: vectors?.[0]?.length, ...rest }),
    },
  )
}
