/** Tokens of one call of a model. What is unknown is undefined, not 0. */
export interface TokenUsage {
  /** All tokens of the prompt, with those that were read from a cache or written to one. */
  readonly input: number | undefined
  /** All tokens that the model wrote, with its reasoning. */
  readonly output: number | undefined
  readonly total: number | undefined
  /** Tokens within the input by class, e.g. `cache_read`, `audio`, `flex`. */
  readonly inputDetails: TokenDetails
  /** Tokens within the output by class, e.g. `reasoning`. */
  readonly outputDetails: TokenDetails
}

export type TokenDetails = Readonly<Record<string, number>>

/** A number of tokens; undefined for anything else. Some emitters write numbers as text. */
export function toCount(value: unknown): number | undefined {
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value
  const isCount = typeof number === 'number' && number >= 0 && number <= Number.MAX_SAFE_INTEGER
  return isCount ? Math.round(number) : undefined
}

const DIGITS = /^\d{1,16}(\.\d{1,16})?$/

/** An amount, as a number or as text with or without an exponent; undefined for anything else. */
export function toAmount(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** The classes that have tokens. */
export function withoutZeros(details: Readonly<Record<string, number | undefined>>): Record<string, number> {
  const kept: Record<string, number> = {}
  for (const key of Object.keys(details)) {
    const value = details[key]
    if (value && key !== '__proto__') kept[key] = value
  }
  return kept
}

/** Usage as `usage_metadata` of a run has it; what is unknown is left out. */
export function toUsageMetadata({ input, output, total, inputDetails, outputDetails }: TokenUsage) {
  return {
    ...(input !== undefined && { input_tokens: input }),
    ...(output !== undefined && { output_tokens: output }),
    ...(total !== undefined && { total_tokens: total }),
    ...(Object.keys(inputDetails).length > 0 && { input_token_details: inputDetails }),
    ...(Object.keys(outputDetails).length > 0 && { output_token_details: outputDetails }),
  }
}
