import { member } from '../json/guards.ts'
import { type Count, combineCounts } from './combine-counts.ts'
import { type TokenUsage, toCount } from './token-usage.ts'

/**
 * Numbers of tokens among the other members of a response, by their paths; `*` adds up the entries of a list. The names are
 * those of one provider each, so that no member of a program's own is taken for tokens.
 *
 * Sources: the API references of Ollama, the server of llama.cpp, watsonx, Bedrock (bodies of Titan and Llama; headers of
 * an invocation, as boto3 returns them) and embeddings of Vertex.
 */
export const RESPONSE_PATHS = {
  input: [
    'prompt_eval_count',
    'tokens_evaluated',
    'timings.prompt_n',
    'results.*.input_token_count',
    'inputTextTokenCount',
    'prompt_token_count',
    'ResponseMetadata.HTTPHeaders.x-amzn-bedrock-input-token-count',
    'embeddings.*.statistics.token_count',
    'embeddings.*.statistics.tokenCount',
    'predictions.*.embeddings.statistics.token_count',
  ],
  output: [
    'eval_count',
    'tokens_predicted',
    'timings.predicted_n',
    'results.*.generated_token_count',
    'results.*.tokenCount',
    'generation_token_count',
    'ResponseMetadata.HTTPHeaders.x-amzn-bedrock-output-token-count',
  ],
  cache_read: ['timings.cache_n', 'ResponseMetadata.HTTPHeaders.x-amzn-bedrock-cache-read-input-token-count'],
  cache_creation: ['ResponseMetadata.HTTPHeaders.x-amzn-bedrock-cache-write-input-token-count'],
} as const satisfies { readonly [Name in Count]?: readonly string[] }

/** Inputs that leave out what was read from a cache. The whole prompt of llama.cpp is `tokens_evaluated`. */
const WITHOUT_CACHE: ReadonlySet<string | undefined> = new Set([
  'timings.prompt_n',
  'ResponseMetadata.HTTPHeaders.x-amzn-bedrock-input-token-count',
])

const PATHS = Object.entries(RESPONSE_PATHS).map(
  ([count, paths]) => [count as Count, paths.map((path) => ({ path, keys: path.split('.') }))] as const,
)

/** Reads the tokens of a response that has no object of usage; undefined when it has none. */
export function readResponseUsage(response: unknown): TokenUsage | undefined {
  if (typeof response !== 'object' || response === null) return undefined
  const counts: { [Name in Count]?: number } = {}
  const names: { [Name in Count]?: string } = {}
  for (const [count, paths] of PATHS) {
    for (const { path, keys } of paths) {
      const number = countAt(response, keys)
      if (number === undefined) continue
      counts[count] = number
      names[count] = path
      break
    }
  }
  return combineCounts(counts, { isCacheBeside: WITHOUT_CACHE.has(names.input), isReasoningBeside: false })
}

/** Entries of a list that are added up: a batch of embeddings has one for each text. */
const MAX_ENTRIES = 10_000

function countAt(value: unknown, [key, ...rest]: readonly string[]): number | undefined {
  if (key === undefined) return toCount(value)
  if (key !== '*') return countAt(member(value, key), rest)
  if (!Array.isArray(value)) return undefined
  const counts = value.slice(0, MAX_ENTRIES).flatMap((entry) => countAt(entry, rest) ?? [])
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0)
}
