import { asRecord, type JsonRecord, member, memberAt } from '../json/guards.ts'
import { readProviderUsage } from './provider-usage.ts'
import { readReportedCost } from './reported-cost.ts'
import { readResponseUsage } from './response-usage.ts'
import { withServiceTier } from './service-tier.ts'
import { type TokenUsage, toCount, withoutZeros } from './token-usage.ts'

/** The tokens and costs that a run reports. */
export interface RunUsage extends TokenUsage {
  /** Costs that replace computed ones: those of `usage_metadata`. */
  readonly given: GivenCosts
  /** What the call cost according to its provider, a proxy or an emitter. It does not replace a computed cost. */
  readonly reportedCost: unknown
}

/** Amounts in US dollars as they came, numbers or texts; undefined where there is none. */
export interface GivenCosts {
  readonly input?: unknown
  readonly output?: unknown
  readonly total?: unknown
  readonly inputDetails?: JsonRecord | undefined
  readonly outputDetails?: JsonRecord | undefined
}

/**
 * Finds what a run reported; the first member that has usage wins. A run of a span that sums up others
 * (`otel.aggregate_usage`) has none of its own.
 */
export function readRunUsage(extra: unknown, outputs: unknown): RunUsage | undefined {
  if (memberAt(extra, 'otel', 'aggregate_usage') !== undefined) return undefined
  const reportedCost = memberAt(extra, 'otel', 'reported_cost', 'total')
  for (const candidate of eachUsageMetadata(extra, outputs)) {
    const usage = readUsageMetadata(candidate)
    // Wrappers keep the usage of a response beside it when this reports a cost.
    if (usage !== undefined)
      return { ...usage, reportedCost: reportedCost ?? readReportedCost(member(outputs, 'usage')) }
  }
  for (const candidate of eachProviderUsage(outputs)) {
    const usage = readProviderUsage(candidate)
    if (usage === undefined) continue
    const tier = findTier(candidate) ?? findTier(outputs) ?? findTier(member(outputs, 'response'))
    return { ...withServiceTier(usage, tier), given: {}, reportedCost: reportedCost ?? readReportedCost(candidate) }
  }
  const ofResponse = readResponseUsage(outputs) ?? readResponseUsage(findGenerationInfo(outputs))
  if (ofResponse !== undefined) return { ...ofResponse, given: {}, reportedCost }
  return reportedCost === undefined ? undefined : { ...NO_TOKENS, given: {}, reportedCost }
}

const TIER_MEMBERS = ['service_tier', 'serviceTier', 'trafficType', 'traffic_type']
const findTier = (value: unknown) => TIER_MEMBERS.map((key) => member(value, key)).find((tier) => tier != null)

const NO_TOKENS: TokenUsage = {
  input: undefined,
  output: undefined,
  total: undefined,
  inputDetails: {},
  outputDetails: {},
}

function* eachUsageMetadata(extra: unknown, outputs: unknown): Generator<unknown> {
  yield memberAt(extra, 'metadata', 'usage_metadata')
  yield member(outputs, 'usage_metadata')
  const values = Object.values(asRecord(outputs) ?? {})
  for (const value of values) yield member(value, 'usage_metadata')
  for (const value of values) yield memberAt(value, 'kwargs', 'usage_metadata')
  yield* eachGenerationUsage(outputs)
}

/** A batch of prompts has a list of generations for each; their usage adds up, one generation per prompt. */
function* eachGenerationUsage(outputs: unknown): Generator<unknown> {
  const found = listGenerations(outputs)
    .map((message) => member(message, 'usage_metadata'))
    .filter((usage) => usage !== undefined)
  if (found.length === 1) yield found[0]
  else if (found.length > 1) yield addUsages(found)
}

/** The members of the first message of each prompt, serialized or not. */
function listGenerations(outputs: unknown): readonly unknown[] {
  const batches = member(outputs, 'generations')
  if (!Array.isArray(batches)) return []
  return batches.map((batch) => {
    const message = member(Array.isArray(batch) ? batch[0] : batch, 'message')
    return asRecord(member(message, 'kwargs')) ?? message
  })
}

function addUsages(usages: readonly unknown[]): JsonRecord {
  const sum = (...path: string[]) =>
    usages.reduce<number>((total, usage) => total + (toCount(memberAt(usage, ...path)) ?? 0), 0)
  const details = (key: string) => {
    const classes = new Set(usages.flatMap((usage) => Object.keys(asRecord(member(usage, key)) ?? {})))
    return Object.fromEntries([...classes].map((name) => [name, sum(key, name)]))
  }
  return {
    input_tokens: sum('input_tokens'),
    output_tokens: sum('output_tokens'),
    total_tokens: sum('total_tokens'),
    input_token_details: details('input_token_details'),
    output_token_details: details('output_token_details'),
  }
}

/** Members of responses that have tokens beside other things: Cohere 1, Text Generation Inference, Replicate, a stream of Bedrock. */
const RESPONSE_MEMBERS = ['meta', 'details', 'metrics', 'amazon-bedrock-invocationMetrics'] as const

/** What LangChain keeps of a response for a generation: the members of Ollama's, for example. */
function findGenerationInfo(outputs: unknown): unknown {
  const batches = member(outputs, 'generations')
  const batch: unknown = Array.isArray(batches) ? batches[0] : undefined
  const generation: unknown = Array.isArray(batch) ? batch[0] : batch
  return (
    member(generation, 'generation_info') ??
    member(generation, 'generationInfo') ??
    member(listGenerations(outputs)[0], 'response_metadata')
  )
}

/** Where the responses of providers and the results of LangChain have their usage. */
function* eachProviderUsage(outputs: unknown): Generator<unknown> {
  for (const key of ['llm_output', 'llmOutput']) {
    for (const name of ['token_usage', 'tokenUsage', 'usage', 'estimatedTokenUsage']) yield memberAt(outputs, key, name)
  }
  for (const key of ['token_usage', 'tokenUsage', 'usage', 'usageMetadata', 'usage_metadata'])
    yield member(outputs, key)
  // An event `response.done` of the Realtime API, or `response.completed` of the Responses API; a chunk of Groq.
  yield memberAt(outputs, 'response', 'usage')
  yield memberAt(outputs, 'x_groq', 'usage')
  // Moonshot.
  yield memberAt(outputs, 'choices', '0', 'usage')
  for (const key of RESPONSE_MEMBERS) yield member(outputs, key)
  const [generation] = listGenerations(outputs)
  for (const key of ['token_usage', 'tokenUsage', 'usage']) yield memberAt(generation, 'response_metadata', key)
}

/** LangChain's form, in which totals include their details. */
function readUsageMetadata(candidate: unknown): Omit<RunUsage, 'reportedCost'> | undefined {
  const usage = asRecord(candidate)
  if (usage === undefined) return undefined
  const [input, output, total] = [usage.input_tokens, usage.output_tokens, usage.total_tokens].map(toCount)
  const given: GivenCosts = {
    input: usage.input_cost,
    output: usage.output_cost,
    total: usage.total_cost,
    inputDetails: asRecord(usage.input_cost_details),
    outputDetails: asRecord(usage.output_cost_details),
  }
  const isEmpty = input === undefined && output === undefined && total === undefined
  if (isEmpty && Object.values(given).every((cost) => cost === undefined || cost === null)) return undefined
  return {
    input,
    output,
    total: total ?? (input === undefined && output === undefined ? undefined : (input ?? 0) + (output ?? 0)),
    inputDetails: readDetails(usage.input_token_details),
    outputDetails: readDetails(usage.output_token_details),
    given,
  }
}

function readDetails(value: unknown): Record<string, number> {
  const details = Object.entries(asRecord(value) ?? {})
  return withoutZeros(Object.fromEntries(details.map(([key, number]) => [key, toCount(number)])))
}
