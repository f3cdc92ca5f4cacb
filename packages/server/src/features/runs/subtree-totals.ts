import { appendTo } from '../../append-to.ts'
import { addDecimals } from '../../storage/analytics/sql.ts'
import { each, nullable, record, text } from '../../storage/rows.ts'

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
  /** The part of the total that was reported, where no price was known. */
  readonly reported_cost: string | null
  /** Calls whose cost is without their fees; null: none. */
  readonly unpriced_fees: number | null
  readonly prompt_cost_details: Readonly<Record<string, string>>
  readonly completion_cost_details: Readonly<Record<string, string>>
}

const NUMBERS = [
  'total_tokens',
  'prompt_tokens',
  'completion_tokens',
  'total_cost',
  'prompt_cost',
  'completion_cost',
  'reported_cost',
  'unpriced_fees',
] as const satisfies readonly (keyof SubtreeTotals)[]

const DETAILS = [
  'prompt_token_details',
  'completion_token_details',
  'prompt_cost_details',
  'completion_cost_details',
] as const satisfies readonly (keyof SubtreeTotals)[]

/** Usage columns; the wire fields of totals have the same names. */
export const USAGE_COLUMNS = [...NUMBERS, ...DETAILS] as const

export type UsageColumn = (typeof USAGE_COLUMNS)[number]

/** Usage columns as the engine returns them: numbers as text, because costs are added exactly. */
export const USAGE = { ...each(NUMBERS, nullable(text)), ...each(DETAILS, record(text)) }

/** The usage columns that were selected. */
export type Usage = { readonly [Column in UsageColumn]?: ReturnType<(typeof USAGE)[Column]> }

/** The position of a run in its trace. */
export interface TraceMember {
  readonly id: string
  readonly trace_id: string
  readonly parent_run_id: string | null
  readonly dotted_order: string
}

/** Sums in wire form; totals that were not selected are 0, null or empty. */
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
    reported_cost: sums.reported_cost ?? null,
    unpriced_fees: sums.unpriced_fees == null ? null : Number(sums.unpriced_fees),
    prompt_cost_details: sums.prompt_cost_details ?? {},
    completion_cost_details: sums.completion_cost_details ?? {},
  }
}

function numbers(counts: Readonly<Record<string, string>> = {}): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([key, count]) => [key, Number(count)]))
}

/** A run of a trace with its own usage. */
export type UsageRow = TraceMember & Usage & { readonly run_type: string }

/**
 * Sums usage of each run and its descendants from the rows of their traces, as `sumSubtrees` does in the engine.
 *
 * @param rows  rows of whole traces; rows without usage are ignored
 * @returns totals by run id; absent where nothing below a run has usage
 */
export function sumRows(
  runs: readonly TraceMember[],
  rows: readonly UsageRow[],
  columns: readonly UsageColumn[],
): Map<string, SubtreeTotals> {
  const used = omitRepeated(rows.filter(hasUsage))
  const totals = new Map<string, SubtreeTotals>()
  for (const run of runs) {
    const below = used.filter((row) => row.trace_id === run.trace_id && isBelow(row, run))
    if (below.length > 0) totals.set(run.id, presentTotals(addUp(below, columns)))
  }
  return totals
}

function hasUsage(row: UsageRow): boolean {
  return (row.total_tokens ?? null) !== null || (row.total_cost ?? null) !== null
}

/** Ids of the llm runs whose usage repeats that of a direct child. */
export function findRepeated(rows: readonly UsageRow[]): ReadonlySet<string> {
  const used = rows.filter(hasUsage)
  const counted = new Set(omitRepeated(used))
  return new Set(used.filter((row) => !counted.has(row)).map(({ id }) => id))
}

/** Omits llm runs whose direct child reports usage, because both report the same tokens. */
function omitRepeated(rows: readonly UsageRow[]): UsageRow[] {
  const parents = new Set(rows.filter((row) => (row.total_tokens ?? null) !== null).map((row) => row.parent_run_id))
  return rows.filter((row) => row.run_type !== 'llm' || !parents.has(row.id))
}

/** All runs of a trace count as below its root, including runs whose dotted order does not start with the root's. */
function isBelow(row: UsageRow, run: TraceMember): boolean {
  return (
    run.id === run.trace_id ||
    row.dotted_order === run.dotted_order ||
    row.dotted_order.startsWith(`${run.dotted_order}.`)
  )
}

function addUp(rows: readonly UsageRow[], columns: readonly UsageColumn[]): Usage {
  const sums: Record<string, string | null | Record<string, string>> = {}
  for (const column of NUMBERS) {
    if (columns.includes(column)) sums[column] = addDecimals(rows.map((row) => row[column] ?? null))
  }
  for (const column of DETAILS) {
    if (columns.includes(column)) sums[column] = addMaps(rows.map((row) => row[column] ?? {}))
  }
  return sums
}

function addMaps(maps: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const byKey = new Map<string, string[]>()
  for (const map of maps) {
    for (const [key, value] of Object.entries(map)) appendTo(byKey, key, value)
  }
  const keys = [...byKey.keys()].sort()
  return Object.fromEntries(keys.map((key) => [key, addDecimals(byKey.get(key) ?? []) ?? '0']))
}
