import { asRecord, type JsonRecord } from '../json/guards.ts'
import { CountFinder, combineCounts, type FoundCounts } from './combine-counts.ts'
import type { TokenUsage } from './token-usage.ts'

/**
 * Members of the usage that providers and clients report, by what they count; a dot leads into an object or to an entry of
 * a list by its modality or lifetime. Sources: the API references of OpenAI (chat, responses, realtime, images), Anthropic,
 * Gemini, Bedrock (Converse, metrics of invocations), Cohere, Mistral, DeepSeek, xAI, OpenRouter, watsonx, Replicate and Text
 * Generation Inference, and the usage objects of LiteLLM, LangChain and the AI SDK. Of Cohere, what is billed comes first.
 */
export const USAGE_MEMBERS = {
  input: [
    'prompt_tokens',
    'input_tokens',
    'promptTokens',
    'inputTokens',
    'promptTokenCount',
    'prompt_token_count',
    'billed_units.input_tokens',
    'billedUnits.inputTokens',
    'tokens.input_tokens',
    'tokens.inputTokens',
    'inputTokenCount',
    'input_token_count',
    'input_length',
    'inputTokens.total',
  ],
  output: [
    'completion_tokens',
    'output_tokens',
    'completionTokens',
    'outputTokens',
    'candidatesTokenCount',
    'candidates_token_count',
    'responseTokenCount',
    'response_token_count',
    'billed_units.output_tokens',
    'billedUnits.outputTokens',
    'tokens.output_tokens',
    'tokens.outputTokens',
    'outputTokenCount',
    'output_token_count',
    'generated_token_count',
    'generated_tokens',
    'outputTokens.total',
  ],
  total: ['total_tokens', 'totalTokens', 'totalTokenCount', 'total_token_count'],
  tool_input: ['toolUsePromptTokenCount', 'tool_use_prompt_token_count'],
  cache_read: [
    'cache_read_input_tokens',
    'prompt_tokens_details.cached_tokens',
    'input_tokens_details.cached_tokens',
    'input_token_details.cached_tokens',
    'promptTokensDetails.cachedTokens',
    'inputTokensDetails.cachedTokens',
    'cacheReadInputTokens',
    'cacheReadInputTokenCount',
    'cachedContentTokenCount',
    'cached_content_token_count',
    'inputTokenDetails.cacheReadTokens',
    'cachedInputTokens',
    'inputTokens.cacheRead',
    'prompt_cache_hit_tokens',
    'prompt_cached_tokens',
    'cached_tokens',
    'prompt_token_details.cached_tokens',
    'promptTokenDetails.cachedTokens',
    'num_cached_tokens',
    'numCachedTokens',
  ],
  cached_audio: [
    'input_token_details.cached_tokens_details.audio_tokens',
    'input_tokens_details.cached_tokens_details.audio_tokens',
    'cacheTokensDetails.AUDIO',
    'cache_tokens_details.AUDIO',
  ],
  cached_image: [
    'input_token_details.cached_tokens_details.image_tokens',
    'input_tokens_details.cached_tokens_details.image_tokens',
    'cacheTokensDetails.IMAGE',
    'cache_tokens_details.IMAGE',
  ],
  cache_creation: [
    'inputTokens.cacheWrite',
    'cache_creation_input_tokens',
    'prompt_tokens_details.cache_creation_tokens',
    'prompt_tokens_details.cache_write_tokens',
    'cacheWriteInputTokens',
    'cacheWriteInputTokenCount',
    'cacheCreationInputTokens',
    'prompt_cache_creation_tokens',
    'inputTokenDetails.cacheWriteTokens',
  ],
  ephemeral_5m_input_tokens: ['cache_creation.ephemeral_5m_input_tokens', 'cacheDetails.5m'],
  ephemeral_1h_input_tokens: ['cache_creation.ephemeral_1h_input_tokens', 'cacheDetails.1h'],
  input_audio: [
    'prompt_tokens_details.audio_tokens',
    'input_tokens_details.audio_tokens',
    'input_token_details.audio_tokens',
    'promptTokensDetails.AUDIO',
    'prompt_tokens_details.AUDIO',
  ],
  input_image: [
    'prompt_tokens_details.image_tokens',
    'input_tokens_details.image_tokens',
    'input_token_details.image_tokens',
    'promptTokensDetails.IMAGE',
    'prompt_tokens_details.IMAGE',
  ],
  input_video: ['prompt_tokens_details.video_tokens', 'promptTokensDetails.VIDEO', 'prompt_tokens_details.VIDEO'],
  reasoning: [
    'completion_tokens_details.reasoning_tokens',
    'output_tokens_details.reasoning_tokens',
    'completionTokensDetails.reasoningTokens',
    'outputTokensDetails.reasoningTokens',
    'thoughtsTokenCount',
    'thoughts_token_count',
    'outputTokenDetails.reasoningTokens',
    'reasoningTokens',
    'outputTokens.reasoning',
    'reasoning_tokens',
    'completion_reasoning_tokens',
  ],
  output_audio: [
    'completion_tokens_details.audio_tokens',
    'output_tokens_details.audio_tokens',
    'output_token_details.audio_tokens',
    'candidatesTokensDetails.AUDIO',
    'candidates_tokens_details.AUDIO',
    'responseTokensDetails.AUDIO',
    'response_tokens_details.AUDIO',
  ],
  output_image: [
    'completion_tokens_details.image_tokens',
    'output_tokens_details.image_tokens',
    'candidatesTokensDetails.IMAGE',
    'candidates_tokens_details.IMAGE',
  ],
} as const

const FINDER = new CountFinder(USAGE_MEMBERS)

/** Anthropic and Bedrock count cached tokens beside these inputs, under these names. */
const INPUT_WITHOUT_CACHE: ReadonlySet<string | undefined> = new Set(['input_tokens', 'inputTokens', 'inputTokenCount'])
const CACHE_BESIDE: ReadonlySet<string | undefined> = new Set([
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'cacheReadInputTokens',
  'cacheReadInputTokenCount',
  'cacheWriteInputTokens',
  'cacheWriteInputTokenCount',
  'cacheCreationInputTokens',
])
/** An input with one of these includes what it was read from a cache, whatever names stand beside it. */
const CACHE_INSIDE = ['prompt_tokens_details', 'input_tokens_details', 'input_token_details', 'inputTokenDetails']
/** Gemini counts thoughts beside its candidates. */
const REASONING_BESIDE: ReadonlySet<string | undefined> = new Set(['thoughtsTokenCount', 'thoughts_token_count'])
/** Cohere bills fewer tokens than it reads, and does not say which of them it had cached. */
const BILLED: ReadonlySet<string | undefined> = new Set(['billed_units.input_tokens', 'billedUnits.inputTokens'])

/**
 * Reads an object of usage as a provider, a proxy or a client reports it; undefined when it has no tokens.
 *
 * @param known  `isCacheBeside`: the reporter leaves the cache out of the input and of the total
 */
export function readProviderUsage(
  value: unknown,
  known: { readonly isCacheBeside?: boolean } = {},
): TokenUsage | undefined {
  const usage = asRecord(value)
  if (usage === undefined) return undefined
  const found = FINDER.find(flatten(usage))
  const counts = BILLED.has(found.names.input) ? { ...found.counts, cache_read: undefined } : found.counts
  return combineCounts(counts, {
    isCacheBeside: known.isCacheBeside || isCacheBeside(usage, found),
    ...(known.isCacheBeside && { isCacheCertain: true }),
    isReasoningBeside: REASONING_BESIDE.has(found.names.reasoning),
  })
}

function isCacheBeside(usage: JsonRecord, { names }: FoundCounts): boolean {
  if (!INPUT_WITHOUT_CACHE.has(names.input)) return false
  if (CACHE_INSIDE.some((key) => hasCached(usage[key]))) return false
  return CACHE_BESIDE.has(names.cache_read) || CACHE_BESIDE.has(names.cache_creation)
}

function hasCached(details: unknown): boolean {
  const members = asRecord(details)
  return members !== undefined && ['cached_tokens', 'cacheReadTokens'].some((key) => Object.hasOwn(members, key))
}

/** Members of an object that are read; a usage has about ten. */
const MAX_MEMBERS = 100
const MAX_LEVELS = 3

/** Every member with its path. Entries of a list are named by what they count: `{modality: 'AUDIO', tokenCount: 3}`. */
function* flatten(usage: JsonRecord, path = '', level = 1): Generator<readonly [string, unknown]> {
  for (const key of Object.keys(usage).slice(0, MAX_MEMBERS)) {
    const value = usage[key]
    if (typeof value !== 'object' || value === null) yield [path + key, value]
    else if (Array.isArray(value)) yield* flattenList(value, `${path}${key}.`)
    else if (level < MAX_LEVELS) yield* flatten(value as JsonRecord, `${path}${key}.`, level + 1)
  }
}

function* flattenList(list: readonly unknown[], path: string): Generator<readonly [string, unknown]> {
  for (const entry of list.slice(0, MAX_MEMBERS)) {
    const { modality, ttl, tokenCount, token_count, inputTokens } = asRecord(entry) ?? {}
    const name = modality ?? ttl
    if (typeof name === 'string') yield [path + name, tokenCount ?? token_count ?? inputTokens]
  }
}
