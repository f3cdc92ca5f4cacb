import { addDecimals } from '../../storage/analytics/decimals.ts'
import { presentTotals, type SubtreeTotals, type TraceMember, type Usage, type UsageColumn } from './subtree-totals.ts'

/** A run of a trace with its own usage. */
export type UsageRow = TraceMember & Usage & { readonly run_type: string }

/**
 * Sums usage below each of the given runs from the rows of their traces, as `sumSubtrees` does inside the engine.
 *
 * @param rows  of whole traces; those without usage do not matter
 * @returns totals by run id; absent where nothing below a run has usage
 */
export function sumRows(
  runs: readonly TraceMember[],
  rows: readonly UsageRow[],
  columns: readonly UsageColumn[],
): Map<string, SubtreeTotals> {
  const used = withoutRepeated(rows.filter(hasUsage))
  const totals = new Map<string, SubtreeTotals>()
  for (const run of runs) {
    const below = used.filter((row) => row.trace_id === run.trace_id && isWithin(row, run))
    if (below.length > 0) totals.set(run.id, presentTotals(addUp(below, columns)))
  }
  return totals
}

function hasUsage(row: UsageRow): boolean {
  return (row.total_tokens ?? null) !== null || (row.total_cost ?? null) !== null
}

/** An llm run whose direct child reports usage of its own only repeats it. */
function withoutRepeated(rows: readonly UsageRow[]): UsageRow[] {
  const parents = new Set(rows.filter((row) => (row.total_tokens ?? null) !== null).map((row) => row.parent_run_id))
  return rows.filter((row) => row.run_type !== 'llm' || !parents.has(row.id))
}

/** A root holds its whole trace, also runs whose own path is not below it. */
function isWithin(row: UsageRow, run: TraceMember): boolean {
  return (
    run.id === run.trace_id ||
    row.dotted_order === run.dotted_order ||
    row.dotted_order.startsWith(`${run.dotted_order}.`)
  )
}

function addUp(rows: readonly UsageRow[], columns: readonly UsageColumn[]): Usage {
  const sums: Record<string, string | null | Record<string, string>> = {}
  for (const column of columns) {
    const values = rows.map((row) => row[column])
    sums[column] = column.endsWith('_details')
      ? addMaps(values as readonly Readonly<Record<string, string>>[])
      : addDecimals(values as readonly (string | null)[])
  }
  return sums
}

function addMaps(maps: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const byKey = new Map<string, string[]>()
  for (const map of maps) {
    for (const [key, value] of Object.entries(map)) byKey.set(key, [...(byKey.get(key) ?? []), value])
  }
  const keys = [...byKey.keys()].sort()
  return Object.fromEntries(keys.map((key) => [key, addDecimals(byKey.get(key)!) ?? '0']))
}
