import { asRecord, memberAt } from '../../../json/guards.ts'
import type { JsonObject } from '../mapped-span.ts'
import type { OtlpSpan } from '../span.ts'
import { isSafeKey, parseJson, present, type SpanAttributes, toNumber } from './attributes.ts'

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
    'ai.usage.inputTokenDetails.cacheWriteTokens',
    'gen_ai.aggregated_usage.cache_creation.input_tokens',
  ],
  input_audio: [
    'gen_ai.usage.audio.input_tokens',
    'gen_ai.usage.details.input_audio_tokens',
    'llm.token_count.prompt_details.audio',
  ],
  input_image: ['gen_ai.usage.image.input_tokens', 'llm.token_count.prompt_details.image'],
  input_text: ['gen_ai.usage.text.input_tokens'],
  reasoning: [
    'gen_ai.usage.reasoning.output_tokens',
    'gen_ai.usage.reasoning_tokens',
    'gen_ai.usage.details.reasoning_tokens',
    'llm.usage.reasoning_tokens',
    'llm.token_count.completion_details.reasoning',
    'ai.usage.outputTokenDetails.reasoningTokens',
    'ai.usage.reasoningTokens',
  ],
  output_audio: [
    'gen_ai.usage.audio.output_tokens',
    'gen_ai.usage.details.output_audio_tokens',
    'llm.token_count.completion_details.audio',
  ],
  output_image: ['gen_ai.usage.image.output_tokens'],
  output_text: ['gen_ai.usage.text.output_tokens'],
} as const satisfies Record<string, readonly string[]>

/** What an emitter reports as the cost, in US dollars. */
export const COST_SOURCES = {
  total: ['llm.cost.total', 'gen_ai.usage.cost', 'operation.cost', 'opencode.llm.cost.total'],
  input: ['llm.cost.prompt', 'gen_ai.usage.input_cost'],
  output: ['llm.cost.completion', 'gen_ai.usage.output_cost'],
} as const satisfies Record<string, readonly string[]>

const RAW_USAGE =
  /^(gen_ai\.(aggregated_)?usage\.|llm\.(token_count|usage|cost)\.|ai\.usage\.|opencode\.llm\.(tokens|cost)|langfuse\.observation\.(usage|cost)_details$|operation\.cost$)/

export interface MappedUsage {
  /** For `usage_metadata`: totals that include cached and reasoning tokens, with their parts. */
  readonly usage?: JsonObject | undefined
  /** Every attribute with a number of tokens, as it came. */
  readonly raw?: JsonObject | undefined
  readonly reportedCost?: JsonObject | undefined
}

/** Reads the usage of a span as totals that include their parts, whatever the emitter includes. */
export function readSpanUsage(span: OtlpSpan, attributes: SpanAttributes): MappedUsage {
  const native = readNative(attributes)
  const keys = attributes.keys.filter(isRawUsage)
  // Every number of the tables above has such a key.
  if (keys.length === 0) return { usage: native }
  const raw = Object.fromEntries(keys.map((key) => [key, attributes.get(key)]))
  return {
    usage: native ?? readLangfuse(attributes) ?? readNumbers(span, attributes, keys),
    raw,
    reportedCost: readReportedCost(attributes),
  }
}

/** Whether keys are about usage: programs send the same ones again and again. */
const knownKeys = new Map<string, boolean>()
const MAX_KNOWN_KEYS = 10_000

function isRawUsage(key: string): boolean {
  const known = knownKeys.get(key)
  if (known !== undefined) return known
  const is = RAW_USAGE.test(key)
  if (knownKeys.size < MAX_KNOWN_KEYS && key.length < 200) knownKeys.set(key, is)
  return is
}

/** `langsmith.usage_metadata` is in our form already. */
function readNative(attributes: SpanAttributes): JsonObject | undefined {
  return asRecord(attributes.json('langsmith.usage_metadata'))
}

type UsageName = keyof typeof USAGE_SOURCES

/** The number that an attribute is a source of, and its place among the sources. */
const PLACES: ReadonlyMap<string, { readonly name: UsageName; readonly rank: number }> = new Map(
  Object.entries(USAGE_SOURCES).flatMap(([name, keys]) =>
    keys.map((key, rank) => [key, { name: name as UsageName, rank }] as const),
  ),
)

/** The first number of each kind. A span has a few of the seventy attributes, so they are looked up by its keys. */
function findNumbers(attributes: SpanAttributes, keys: readonly string[]): { [Name in UsageName]?: number } {
  const numbers: { [Name in UsageName]?: number } = {}
  const ranks: { [Name in UsageName]?: number } = {}
  for (const key of keys) {
    const place = PLACES.get(key)
    if (place === undefined || place.rank > (ranks[place.name] ?? Number.POSITIVE_INFINITY)) continue
    const number = attributes.number(key)
    if (number === undefined) continue
    numbers[place.name] = number
    ranks[place.name] = place.rank
  }
  return numbers
}

function readNumbers(span: OtlpSpan, attributes: SpanAttributes, keys: readonly string[]): JsonObject | undefined {
  const numbers = findNumbers(attributes, keys)
  const read = (name: UsageName) => count(numbers[name])
  const provider = readProviderMetadata(attributes)
  const details = {
    cache_read: read('cache_read') ?? provider.cacheRead,
    cache_creation: read('cache_creation') ?? provider.cacheWrite,
    audio: read('input_audio'),
    image: read('input_image'),
    text: read('input_text'),
  }
  const outputDetails = {
    reasoning: read('reasoning'),
    audio: read('output_audio'),
    image: read('output_image'),
    text: read('output_text'),
  }
  const input = read('input')
  const cached = (details.cache_read ?? 0) + (details.cache_creation ?? 0)
  const isWithoutCache = input !== undefined && cached > 0 && (isExclusive(span, attributes) || cached > input)
  const inclusive = isWithoutCache ? input + cached : input
  const reported = read('total')
  const output = includeReasoning(read('output'), { input: inclusive, reported, reasoning: outputDetails.reasoning })
  if (inclusive === undefined && output === undefined && reported === undefined) return undefined
  const sum = (inclusive ?? 0) + (output ?? 0)
  return {
    ...present({ input_tokens: inclusive, output_tokens: output }),
    total_tokens:
      inclusive === undefined && output === undefined ? reported : Math.max(sum, isWithoutCache ? 0 : (reported ?? 0)),
    ...withDetails(
      {
        ...readDetailText(attributes, 'input'),
        ...nonZero({ ...details, ...splitWritten(details.cache_creation, provider.ephemeral) }),
      },
      { ...readDetailText(attributes, 'output'), ...nonZero(outputDetails) },
    ),
  }
}

/** Details that are empty are left out. */
function withDetails(input: Readonly<Record<string, number>>, output: Readonly<Record<string, number>>): JsonObject {
  return {
    ...(Object.keys(input).length > 0 && { input_token_details: input }),
    ...(Object.keys(output).length > 0 && { output_token_details: output }),
  }
}

/** Tokens written for 5 minutes and for an hour have prices of their own; `cache_creation` is what is in neither. */
function splitWritten(written: number | undefined, ephemeral: Readonly<Record<string, number | undefined>>) {
  const known = Object.values(ephemeral).reduce<number>((sum, one) => sum + (one ?? 0), 0)
  return { ...ephemeral, cache_creation: written === undefined ? undefined : Math.max(written - known, 0) }
}

/** Gemini counts thoughts beside its answer: they are missing from the output exactly when only the total has them. */
function includeReasoning(
  output: number | undefined,
  {
    input = 0,
    reported,
    reasoning = 0,
  }: { input: number | undefined; reported: number | undefined; reasoning: number | undefined },
): number | undefined {
  if (output === undefined || reported === undefined || reasoning === 0) return output
  return reported === input + output + reasoning ? output + reasoning : output
}

/** `gen_ai.usage.input_token_details`, which the Python exporter prints as a Python dictionary. */
function readDetailText(attributes: SpanAttributes, side: 'input' | 'output'): Record<string, number> {
  const value = attributes.get(`gen_ai.usage.${side}_token_details`)
  const details = asRecord(typeof value === 'string' ? parseJson(value.replaceAll("'", '"')).value : value)
  return nonZero(Object.fromEntries(Object.entries(details ?? {}).map(([key, one]) => [key, count(toNumber(one))])))
}

interface ProviderUsage {
  readonly cacheRead?: number | undefined
  readonly cacheWrite?: number | undefined
  readonly ephemeral: Readonly<Record<string, number | undefined>>
}

const NO_PROVIDER_USAGE: ProviderUsage = { ephemeral: {} }

/** Cache tokens that only the metadata of the provider has (AI SDK 4 and 5): Anthropic, Bedrock. */
function readProviderMetadata(attributes: SpanAttributes): ProviderUsage {
  const metadata = attributes.json('ai.response.providerMetadata')
  if (metadata === undefined) return NO_PROVIDER_USAGE
  const at = (...path: string[]) => count(toNumber(memberAt(metadata, ...path)))
  const written = ['anthropic', 'usage', 'cache_creation']
  return {
    cacheRead:
      at('anthropic', 'cacheReadInputTokens') ??
      at('anthropic', 'usage', 'cache_read_input_tokens') ??
      at('bedrock', 'usage', 'cacheReadInputTokens'),
    cacheWrite:
      at('anthropic', 'cacheCreationInputTokens') ??
      at('anthropic', 'usage', 'cache_creation_input_tokens') ??
      at('bedrock', 'usage', 'cacheWriteInputTokens') ??
      at('bedrock', 'usage', 'cacheCreationInputTokens'),
    ephemeral: {
      ephemeral_5m_input_tokens: at(...written, 'ephemeral_5m_input_tokens'),
      ephemeral_1h_input_tokens: at(...written, 'ephemeral_1h_input_tokens'),
    },
  }
}

/** Langfuse's keys are disjoint: what contains `input` adds up to the input, likewise the output. */
function readLangfuse(attributes: SpanAttributes): JsonObject | undefined {
  const details = asRecord(attributes.json('langfuse.observation.usage_details'))
  if (details === undefined) return undefined
  const numbers = Object.entries(details).flatMap(([key, value]) => {
    const number = count(toNumber(value))
    return number === undefined ? [] : [[key, number] as const]
  })
  const nested = readOpenAiDetails(details)
  if (nested !== undefined) return nested
  const sumOf = (part: string) => numbers.filter(([key]) => key.includes(part)).map(([, number]) => number)
  const [inputs, outputs] = [sumOf('input'), sumOf('output')]
  if (inputs.length === 0 && outputs.length === 0 && details.total === undefined) return undefined
  const input = inputs.reduce((sum, one) => sum + one, 0)
  const output = outputs.reduce((sum, one) => sum + one, 0)
  const pick = (...keys: string[]) => keys.map((key) => count(toNumber(details[key]))).find((one) => one !== undefined)
  return {
    ...(inputs.length > 0 && { input_tokens: input }),
    ...(outputs.length > 0 && { output_tokens: output }),
    total_tokens: inputs.length + outputs.length > 0 ? input + output : pick('total'),
    ...withDetails(
      nonZero({
        cache_read: pick('input_cached_tokens', 'input_cache_read', 'cache_read_input_tokens'),
        cache_creation: pick('input_cache_creation', 'input_cache_write', 'cache_creation_input_tokens'),
        audio: pick('input_audio_tokens'),
      }),
      nonZero({ reasoning: pick('output_reasoning_tokens'), audio: pick('output_audio_tokens') }),
    ),
  }
}

/** A usage in the form of OpenAI, which Langfuse accepts too: totals that include their details. */
function readOpenAiDetails(details: JsonObject): JsonObject | undefined {
  const [input, output] = [count(toNumber(details.prompt_tokens)), count(toNumber(details.completion_tokens))]
  if (input === undefined && output === undefined) return undefined
  const at = (...path: string[]) => count(toNumber(memberAt(details, ...path)))
  return {
    ...present({ input_tokens: input, output_tokens: output }),
    total_tokens: at('total_tokens') ?? (input ?? 0) + (output ?? 0),
    ...withDetails(
      nonZero({
        cache_read: at('prompt_tokens_details', 'cached_tokens'),
        audio: at('prompt_tokens_details', 'audio_tokens'),
      }),
      nonZero({ reasoning: at('completion_tokens_details', 'reasoning_tokens') }),
    ),
  }
}

function readReportedCost(attributes: SpanAttributes): JsonObject | undefined {
  const read = (name: keyof typeof COST_SOURCES) => attributes.firstNumber(COST_SOURCES[name])
  const langfuse = asRecord(attributes.json('langfuse.observation.cost_details'))
  const cost = present({
    total: read('total') ?? toNumber(langfuse?.total),
    input: read('input') ?? toNumber(langfuse?.input),
    output: read('output') ?? toNumber(langfuse?.output),
  })
  return Object.keys(cost).length === 0 ? undefined : cost
}

/** An emitter whose number of input tokens does not contain those read from or written to a cache. */
export interface ExclusiveEmitter {
  /** Name of the instrumentation scope. */
  readonly scope: RegExp
  /** The first version that includes them; absent while none is known. */
  readonly until?: readonly [major: number, minor: number]
  /** Only for these providers. */
  readonly provider?: RegExp
  /** An attribute whose presence tells that the number includes them. */
  readonly unless?: RegExp
  readonly about: string
}

export const EXCLUSIVE_EMITTERS: readonly ExclusiveEmitter[] = [
  {
    scope: /^@traceloop\/instrumentation-anthropic$/,
    about: 'OpenLLMetry for JavaScript, Anthropic: the number of the API as it is',
  },
  { scope: /ruby_?llm/i, about: 'RubyLLM (thoughtbot/opentelemetry-instrumentation-ruby_llm#38)' },
  { scope: /^genkit/, provider: /anthropic|claude/i, about: 'Genkit with Anthropic (genkit-ai/genkit#5412)' },
  {
    scope: /^ai$/,
    provider: /anthropic|bedrock/i,
    // Version 6 includes them and has the details; its spans for objects have neither these names nor a cache.
    unless: /^ai\.usage\.inputTokenDetails\./,
    about: 'AI SDK 4 and 5 with Anthropic or Bedrock; version 6 includes them (getsentry/sentry-javascript#21488)',
  },
]

function isExclusive(span: OtlpSpan, attributes: SpanAttributes): boolean {
  const { name, version } = span.scope
  const providers = ['ai.model.provider', 'gen_ai.provider.name', 'gen_ai.system', 'gen_ai.request.model']
  const provider = providers.map((key) => attributes.peek(key) ?? '').join(' ')
  const keys = Object.keys(span.attributes)
  return EXCLUSIVE_EMITTERS.some(
    (emitter) =>
      emitter.scope.test(name) &&
      (emitter.until === undefined || isBefore(version, emitter.until)) &&
      (emitter.provider?.test(provider) ?? true) &&
      !(emitter.unless !== undefined && keys.some((key) => emitter.unless?.test(key))),
  )
}

function isBefore(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ours = 0, theirs = 0] = version.split('.').map(Number)
  return ours < major || (ours === major && theirs < minor)
}

function count(value: number | undefined): number | undefined {
  return value !== undefined && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? Math.round(value) : undefined
}

function nonZero(details: Readonly<Record<string, number | undefined>>): Record<string, number> {
  const kept: Record<string, number> = {}
  for (const key of Object.keys(details)) {
    const value = details[key]
    if (value && isSafeKey(key)) kept[key] = value
  }
  return kept
}
