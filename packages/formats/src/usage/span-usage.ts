import { asRecord, type JsonRecord, memberAt } from '../json/guards.ts'
import { parsePythonLiteral } from '../json/python-literal.ts'
import { CountFinder, type Counts, combineCounts } from './combine-counts.ts'
import { leavesCacheOut } from './exclusive-emitters.ts'
import { readLangfuseUsage } from './langfuse-usage.ts'
import { readProviderUsage } from './provider-usage.ts'
import { withServiceTier } from './service-tier.ts'
import { type TokenUsage, toCount, toUsageMetadata, withoutZeros } from './token-usage.ts'

/** Attributes of each number, in order; the first that is set counts. */
export const USAGE_SOURCES = {
  input: [
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.prompt_tokens',
    'llm.token_count.prompt',
    'ai.usage.inputTokens',
    'ai.usage.promptTokens',
    'ai.usage.tokens',
    'llm.usage.prompt_tokens',
    'gen_ai.aggregated_usage.input_tokens',
  ],
  output: [
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'llm.token_count.completion',
    'ai.usage.outputTokens',
    'ai.usage.completionTokens',
    'llm.usage.completion_tokens',
    'gen_ai.aggregated_usage.output_tokens',
  ],
  total: [
    'gen_ai.usage.total_tokens',
    'llm.usage.total_tokens',
    'llm.token_count.total',
    'ai.usage.totalTokens',
    'gen_ai.aggregated_usage.total_tokens',
  ],
  cache_read: [
    'gen_ai.usage.cache_read.input_tokens',
    'gen_ai.usage.cache_read_input_tokens',
    'gen_ai.usage.cache_read_tokens',
    'gen_ai.usage.details.cache_read_tokens',
    'gen_ai.usage.details.cache_read_input_tokens',
    'gen_ai.usage.input_cached_tokens',
    'gen_ai.usage.cached_input_tokens',
    'gen_ai.usage.input_tokens.cached',
    'llm.token_count.prompt_details.cache_read',
    'ai.usage.inputTokenDetails.cacheReadTokens',
    'ai.usage.cachedInputTokens',
    'gen_ai.aggregated_usage.cache_read.input_tokens',
  ],
  cache_creation: [
    'gen_ai.usage.cache_write.input_tokens',
    'gen_ai.usage.cache_creation.input_tokens',
    'gen_ai.usage.cache_creation_input_tokens',
    'gen_ai.usage.cache_write_tokens',
    'gen_ai.usage.details.cache_write_tokens',
    'gen_ai.usage.details.cache_creation_input_tokens',
    'gen_ai.usage.input_cache_creation',
    'gen_ai.usage.input_tokens.cache_write',
    'llm.token_count.prompt_details.cache_write',
    'llm.token_count.prompt_details.cache_creation',
    'ai.usage.inputTokenDetails.cacheWriteTokens',
    'gen_ai.aggregated_usage.cache_creation.input_tokens',
  ],
  input_audio: [
    'gen_ai.usage.audio.input_tokens',
    'gen_ai.usage.audio_input_tokens',
    'gen_ai.usage.details.input_audio_tokens',
    'llm.token_count.prompt_details.audio',
  ],
  input_image: ['gen_ai.usage.image.input_tokens', 'llm.token_count.prompt_details.image'],
  input_text: ['gen_ai.usage.text.input_tokens'],
  reasoning: [
    'gen_ai.usage.reasoning.output_tokens',
    'gen_ai.usage.reasoning_tokens',
    'gen_ai.usage.thinking_tokens',
    'gen_ai.usage.details.reasoning_tokens',
    'llm.usage.reasoning_tokens',
    'llm.token_count.completion_details.reasoning',
    'ai.usage.outputTokenDetails.reasoningTokens',
    'ai.usage.reasoningTokens',
  ],
  output_audio: [
    'gen_ai.usage.audio.output_tokens',
    'gen_ai.usage.audio_output_tokens',
    'gen_ai.usage.details.output_audio_tokens',
    'llm.token_count.completion_details.audio',
  ],
  output_image: ['gen_ai.usage.image.output_tokens'],
  output_text: ['gen_ai.usage.text.output_tokens'],
} as const

/** Attributes with an object of usage as a provider or a framework reports it: JSON, and the member of it. */
export const USAGE_OBJECTS: readonly (readonly [key: string, ...path: string[]])[] = [
  ['mlflow.chat.tokenUsage'],
  ['braintrust.metrics'],
  ['metadata.usage_object'],
  ['gcp.vertex.agent.llm_response', 'usage_metadata'],
  ['haystack.component.output', 'replies', '0', 'meta', 'usage'],
  ['haystack.component.output', 'meta', '0', 'usage'],
  ['haystack.agent.step.llm.output', 'replies', '0', 'meta', 'usage'],
]

/** Emitters whose numbers are less than what the response of the provider has, and the attribute with that response. */
const RESPONSES: readonly { readonly scope: RegExp; readonly key: string }[] = [
  // It has no cached tokens, or leaves them out of the input.
  { scope: /openinference-instrumentation-bedrock$/, key: 'output.value' },
]

/** Attributes with the service tier that answered. */
export const TIER_SOURCES = ['openai.response.service_tier', 'gen_ai.openai.response.service_tier'] as const

const FINDER = new CountFinder(USAGE_SOURCES)

/** The attributes of a span. */
export interface UsageAttributes {
  readonly keys: readonly string[]
  /** Those of a constant list of names that the span may have. */
  among<Key extends string>(keys: readonly Key[]): readonly Key[]
  get(key: string): unknown
  /** The value of an attribute whose text is JSON. */
  json(key: string): unknown
  /** A text, without counting as read: what is read nowhere else stays among the attributes of the run. */
  peek(key: string): string | undefined
  /** Like `json`, without counting as read. */
  peekJson(key: string): unknown
}

/** Reads the usage of a span as `usage_metadata`: totals include their parts, whatever the emitter includes. */
export function readSpanUsage(
  attributes: UsageAttributes,
  scope: { readonly name: string; readonly version: string },
): JsonRecord | undefined {
  // LangSmith's form is ours.
  const native = asRecord(attributes.json('langsmith.usage_metadata'))
  if (native !== undefined) return native
  const usage =
    readLangfuse(attributes) ??
    readObjects(attributes) ??
    readResponse(attributes, scope) ??
    readNumbers(attributes, scope)
  if (usage === undefined) return undefined
  const tier = attributes
    .among(TIER_SOURCES)
    .map((key) => attributes.peek(key))
    .find((one) => one !== undefined)
  return toUsageMetadata(withServiceTier(usage, tier))
}

function readLangfuse(attributes: UsageAttributes): TokenUsage | undefined {
  const details = asRecord(attributes.json('langfuse.observation.usage_details'))
  return details === undefined ? undefined : readLangfuseUsage(details)
}

function readObjects(attributes: UsageAttributes): TokenUsage | undefined {
  for (const [key, ...path] of USAGE_OBJECTS) {
    const usage = readProviderUsage(memberAt(attributes.peekJson(key), ...path))
    if (usage !== undefined) return usage
  }
  return undefined
}

function readResponse(attributes: UsageAttributes, { name }: { readonly name: string }): TokenUsage | undefined {
  const found = RESPONSES.find(({ scope }) => scope.test(name))
  return found && readProviderUsage(memberAt(attributes.peekJson(found.key), 'usage'))
}

function readNumbers(
  attributes: UsageAttributes,
  scope: { readonly name: string; readonly version: string },
): TokenUsage | undefined {
  const numbers = FINDER.find(attributes.among(FINDER.names).map((key) => [key, attributes.get(key)]))
  const counts = addProviderMetadata(numbers.counts, attributes)
  const isCacheBeside = leavesCacheOut(attributes, scope)
  const usage = combineCounts(counts, { isCacheBeside, isCacheCertain: isCacheBeside, isReasoningBeside: false })
  if (usage === undefined) return undefined
  return {
    ...usage,
    inputDetails: { ...readDetailText(attributes, 'input'), ...usage.inputDetails },
    outputDetails: { ...readDetailText(attributes, 'output'), ...usage.outputDetails },
  }
}

/** Tokens of a cache that only the metadata of the provider has (AI SDK 4 and 5): Anthropic, Bedrock. */
function addProviderMetadata(counts: Counts, attributes: UsageAttributes): Counts {
  const metadata = attributes.json('ai.response.providerMetadata')
  if (metadata === undefined) return counts
  const at = (...path: string[]) => toCount(memberAt(metadata, ...path))
  const written = ['anthropic', 'usage', 'cache_creation']
  return {
    ...counts,
    cache_read:
      counts.cache_read ??
      at('anthropic', 'cacheReadInputTokens') ??
      at('anthropic', 'usage', 'cache_read_input_tokens') ??
      at('bedrock', 'usage', 'cacheReadInputTokens'),
    cache_creation:
      counts.cache_creation ??
      at('anthropic', 'cacheCreationInputTokens') ??
      at('anthropic', 'usage', 'cache_creation_input_tokens') ??
      at('bedrock', 'usage', 'cacheWriteInputTokens') ??
      at('bedrock', 'usage', 'cacheCreationInputTokens'),
    ephemeral_5m_input_tokens: at(...written, 'ephemeral_5m_input_tokens'),
    ephemeral_1h_input_tokens: at(...written, 'ephemeral_1h_input_tokens'),
  }
}

/** `gen_ai.usage.input_token_details`, which the Python exporter prints as a Python dictionary. */
function readDetailText(attributes: UsageAttributes, side: 'input' | 'output'): Record<string, number> {
  const value = attributes.get(`gen_ai.usage.${side}_token_details`)
  const details = asRecord(typeof value === 'string' ? parsePythonLiteral(value) : value) ?? {}
  return withoutZeros(Object.fromEntries(Object.entries(details).map(([key, one]) => [key, toCount(one)])))
}
