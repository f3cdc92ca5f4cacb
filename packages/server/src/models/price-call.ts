import { type ModelCall, type ModelTokens, timeOfEpochMs } from '@touchstone/contract'
import { isRecord, member } from '@touchstone/formats/guards'

/** US dollars of a call, as its run will have them; null without a price or without tokens. */
export type PriceUsage = (run: PricedCall, usage: Readonly<Record<string, unknown>>) => number | null

export interface PricedCall {
  /** Null prices by the built-in prices only. */
  readonly tenantId: string | null
  readonly model: string
  readonly provider: string | undefined
  readonly startTime: string
}

/**
 * US dollars that count against the monthly limits. Only admins set those, but members may change the prices of the
 * workspace: such a price can raise what a call counts above the built-in price, and not lower it.
 */
export function priceSpending(priceUsage: PriceUsage, ...[run, usage]: Parameters<PriceUsage>): number | null {
  const costs = [priceUsage(run, usage), priceUsage({ ...run, tenantId: null }, usage)]
  const known = costs.filter((cost) => cost !== null)
  return known.length === 0 ? null : Math.max(...known)
}

/** Tokens in the form of the metadata of a run. */
export function toUsageMetadata(tokens: ModelTokens): Readonly<Record<string, unknown>> {
  return withoutNulls({
    input_tokens: tokens.prompt_tokens,
    output_tokens: tokens.completion_tokens,
    total_tokens: tokens.total_tokens,
    input_token_details: withoutNulls({
      cache_read: tokens.cache_read_tokens,
      cache_creation: tokens.cache_write_tokens,
    }),
    output_token_details: withoutNulls({ reasoning: tokens.reasoning_tokens }),
  })
}

const CHARACTERS_PER_TOKEN = 4

/** Tokens of a text, for estimates. */
export const estimateTokens = (characters: number) => Math.ceil(characters / CHARACTERS_PER_TOKEN)

/** Assumed tokens of a response without a limit of its own. */
const ANSWER_TOKENS = 1_024
/** More than any response is assumed to have. */
const MOST_TOKENS = 200_000
/** Assumed characters of an image or another file, whatever its size. */
const FILE_CHARACTERS = 6_000

/** US dollars that a call may count against the monthly limits, before it is made; null without a price. */
export function estimateCost(
  { priceUsage, clock }: { readonly priceUsage: PriceUsage; readonly clock: () => number },
  of: { readonly tenantId: string; readonly provider: string | null },
  call: ModelCall,
): number | null {
  const { model, messages, tools, output_schema, extra_body } = call
  const characters = countCharacters([messages, tools, output_schema, extra_body])
  const run = { tenantId: of.tenantId, model, provider: of.provider ?? undefined, startTime: timeOfEpochMs(clock()) }
  const usage = { input_tokens: estimateTokens(characters), output_tokens: estimateOutput(call) }
  return priceSpending(priceUsage, run, usage)
}

/** Names of the limit of a response and of its reasoning, which `extra_body` may have at any depth. */
const LIMIT_NAMES = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens']
const BUDGET_NAMES = ['budget_tokens', 'thinkingBudget', 'thinking_budget', 'reasoning_budget']

/** Tokens of the response, its reasoning included: by its limit, where the call has one. */
function estimateOutput({ parameters, extra_body }: ModelCall): number {
  const given = parameters?.max_tokens ?? undefined
  const limits = [...(given === undefined ? [] : [given]), ...findFields(extra_body, LIMIT_NAMES)]
  const budget = findMost([parameters?.reasoning_budget, ...findFields(extra_body, BUDGET_NAMES)])
  // The estimate of a call that has its tokens not counted is never replaced.
  const unlimited = hidesUsage(extra_body) ? MOST_TOKENS : ANSWER_TOKENS + budget
  // `null` removes a limit, if it has the name that the provider knows.
  const isLimited = limits.length > 0 && !limits.includes(null)
  return Math.min(MOST_TOKENS, Math.max(budget, findMost(limits), isLimited ? 0 : unlimited))
}

/** What is neither a number nor absent counts as the most that there can be. */
function findMost(counts: readonly unknown[]): number {
  return counts.reduce<number>(
    (most, one) => Math.max(most, typeof one === 'number' ? one : one == null ? 0 : MOST_TOKENS),
    0,
  )
}

function hidesUsage(extra: ModelCall['extra_body']): boolean {
  if (extra == null || !Object.hasOwn(extra, 'stream_options')) return false
  const options = extra.stream_options
  return !isRecord(options) || (Object.hasOwn(options, 'include_usage') && options.include_usage !== true)
}

/** Values of fields of these names at any depth. */
function findFields(value: unknown, names: readonly string[]): unknown[] {
  const found: unknown[] = []
  const left = [value]
  while (left.length > 0) {
    const one = left.pop()
    if (typeof one !== 'object' || one === null) continue
    for (const [name, field] of Object.entries(one)) {
      if (names.includes(name) && !isRecord(field)) found.push(field)
      else left.push(field)
    }
  }
  return found
}

/**
 * A field of `extra_body` by which the provider would do other work than what prices and monthly limits count: another
 * model, or more than one response.
 */
export function findUncountedField({ model, extra_body }: Pick<ModelCall, 'model' | 'extra_body'>): string | undefined {
  if (extra_body == null) return undefined
  if (Object.hasOwn(extra_body, 'model') && extra_body.model !== model) return 'model'
  if (extra_body.models != null) return 'models'
  const settings = [extra_body, extra_body.generationConfig, extra_body.generation_config]
  return ['n', 'candidateCount', 'candidate_count'].find((name) =>
    settings.some((one) => (member(one, name) ?? 1) !== 1),
  )
}

function countCharacters(value: unknown): number {
  let characters = 0
  const left = [value]
  while (left.length > 0) {
    const one = left.pop()
    if (typeof one === 'string') characters += one.length
    if (typeof one !== 'object' || one === null) continue
    for (const [name, field] of Object.entries(one)) {
      if (isFile(name, field, one)) characters += FILE_CHARACTERS
      else left.push(field)
    }
  }
  return characters
}

/** Fields that a model reads as text, whatever they look like. */
const TEXT_FIELDS: ReadonlySet<string> = new Set(['text', 'content', 'arguments', 'reasoning'])
/** Fields of files in the forms of the providers, and what stands beside them. */
const DATA_FIELDS: ReadonlySet<string> = new Set(['data', 'file_data', 'fileData'])
const TYPE_FIELDS = ['media_type', 'mime_type', 'mimeType', 'mimetype', 'format', 'filename']
const NO_BASE64 = /[^\w+/=\r\n-]/

/** Whether a field of a message is a file as base64: in a data URL, or beside its media type. */
function isFile(name: string, value: unknown, beside: object): boolean {
  if (typeof value !== 'string' || TEXT_FIELDS.has(name)) return false
  const [head] = /^data:[^,]{0,200};base64,/.exec(value) ?? []
  if (head !== undefined) return !NO_BASE64.test(value.slice(head.length))
  if (!DATA_FIELDS.has(name) || value.length <= FILE_CHARACTERS) return false
  return TYPE_FIELDS.some((type) => typeof member(beside, type) === 'string') && !NO_BASE64.test(value)
}

export function withoutNulls(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null))
}
