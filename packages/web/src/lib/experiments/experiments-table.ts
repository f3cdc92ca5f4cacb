import { findColumnChoice, getFeedbackKey } from './experiment-columns.ts'
import { getSortValue } from './experiment-list.ts'
import type { ExperimentRow } from './experiment-row.ts'

/**
 * The list as rows of a file, with the shown columns in their order, all digits, times in UTC, latencies in milliseconds and
 * costs in US dollars. A score has two more columns: half the width of its 95 % interval, and its number of scores.
 */
export function toExperimentsTable(rows: readonly ExperimentRow[], columns: readonly string[]): (string | number)[][] {
  const heading = columns.flatMap((id) => {
    const label = findColumnChoice(id)?.label ?? id
    return getFeedbackKey(id) === undefined ? [TITLES[id] ?? label] : [label, `${label} ±`, `${label} n`]
  })
  return [['experiment_id', ...heading], ...rows.map((row) => [row.id, ...columns.flatMap((id) => toCells(row, id))])]
}

/** Titles with units, for columns whose labels have none. */
const TITLES: Readonly<Record<string, string>> = {
  latency: 'p50_ms',
  p99: 'p99_ms',
  cost: 'cost_usd',
  errors: 'error_rate',
}

function toCells(row: ExperimentRow, id: string): (string | number)[] {
  if (id === 'name') return [row.name]
  const key = getFeedbackKey(id)
  if (key !== undefined) {
    const score = row.figures.feedback.get(key)
    return [score?.mean ?? '', score?.margin ?? '', score?.count ?? '']
  }
  return [getSortValue(row, id === 'created' ? 'start_time' : id) ?? '']
}
