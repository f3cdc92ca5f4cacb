import type { ModelTokens } from '@touchstone/contract'

/** US dollars of a call, as its run will have them; null without a price or without tokens. */
export type PriceUsage = (
  run: {
    readonly tenantId: string
    readonly model: string
    readonly provider: string | undefined
    readonly startTime: string
  },
  usage: Readonly<Record<string, unknown>>,
) => number | null

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

export function withoutNulls(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null))
}
