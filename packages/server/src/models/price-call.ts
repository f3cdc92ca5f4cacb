import { type ModelCall, type ModelTokens, timeOfEpochMs } from '@touchstone/contract'

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
/** Assumed characters of an image or another file, whatever its size. */
const FILE_CHARACTERS = 6_000

/** US dollars that a call may count against the monthly limits, before it is made; null without a price. */
export function estimateCost(
  { priceUsage, clock }: { readonly priceUsage: PriceUsage; readonly clock: () => number },
  of: { readonly tenantId: string; readonly provider: string | null },
  { model, messages, tools, output_schema, parameters }: ModelCall,
): number | null {
  const characters = countCharacters([messages, tools, output_schema])
  const run = { tenantId: of.tenantId, model, provider: of.provider ?? undefined, startTime: timeOfEpochMs(clock()) }
  const usage = { input_tokens: estimateTokens(characters), output_tokens: parameters?.max_tokens ?? ANSWER_TOKENS }
  return priceSpending(priceUsage, run, usage)
}

function countCharacters(value: unknown): number {
  let characters = 0
  const left = [value]
  while (left.length > 0) {
    const one = left.pop()
    if (typeof one === 'string') characters += one.startsWith('data:') ? FILE_CHARACTERS : one.length
    else if (typeof one === 'object' && one !== null) left.push(...Object.values(one))
  }
  return characters
}

export function withoutNulls(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null))
}
