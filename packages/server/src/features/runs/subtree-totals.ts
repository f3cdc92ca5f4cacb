/** Tokens and costs of a run and everything below it. Costs are decimal text, null when no price was known. */
export interface SubtreeTotals {
  readonly total_tokens: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly prompt_token_details: Readonly<Record<string, number>>
  readonly completion_token_details: Readonly<Record<string, number>>
  readonly total_cost: string | null
  readonly prompt_cost: string | null
  readonly completion_cost: string | null
  readonly prompt_cost_details: Readonly<Record<string, string>>
  readonly completion_cost_details: Readonly<Record<string, string>>
}

/** Columns of usage; the wire fields of totals are called the same. */
export const USAGE_COLUMNS = [
  'total_tokens',
  'prompt_tokens',
  'completion_tokens',
  'prompt_token_details',
  'completion_token_details',
  'total_cost',
  'prompt_cost',
  'completion_cost',
  'prompt_cost_details',
  'completion_cost_details',
] as const satisfies readonly (keyof SubtreeTotals)[]

export type UsageColumn = (typeof USAGE_COLUMNS)[number]

/** What the engine answers for columns of usage: numbers as text, only those that were asked for. */
export type Usage = {
  readonly [Column in UsageColumn]?: SubtreeTotals[Column] extends string | number | null
    ? string | null
    : Readonly<Record<string, string>>
}

/** A run of a trace, as far as it decides what is below what. */
export interface TraceMember {
  readonly id: string
  readonly trace_id: string
  readonly parent_run_id: string | null
  readonly dotted_order: string
}

/** Sums as the engine answers them; what was not asked for is 0, null or empty. */
export function presentTotals(sums: Usage): SubtreeTotals {
  return {
    total_tokens: Number(sums.total_tokens ?? 0),
    prompt_tokens: Number(sums.prompt_tokens ?? 0),
    completion_tokens: Number(sums.completion_tokens ?? 0),
    prompt_token_details: numbers(sums.prompt_token_details),
    completion_token_details: numbers(sums.completion_token_details),
    total_cost: sums.total_cost ?? null,
    prompt_cost: sums.prompt_cost ?? null,
    completion_cost: sums.completion_cost ?? null,
    prompt_cost_details: sums.prompt_cost_details ?? {},
    completion_cost_details: sums.completion_cost_details ?? {},
  }
}

function numbers(counts: Readonly<Record<string, string>> = {}): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([key, count]) => [key, Number(count)]))
}
