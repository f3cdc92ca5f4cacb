import type { EvaluationResult } from '../resources/feedback.ts'

/** Figures of one feedback key over an experiment. */
export interface KeySummary {
  key: string
  /** Results. */
  n: number
  /** Over those with a score, booleans as 1 and 0; `undefined` when there is none. */
  mean: number | undefined
  /** Of the sample; `undefined` below two scores. */
  stdev: number | undefined
}

/** In order of first appearance. */
export function summarise(results: Iterable<EvaluationResult>): KeySummary[] {
  const byKey = new Map<string, { n: number; scores: number[] }>()
  for (const { key, score } of results) {
    const known = byKey.get(key) ?? { n: 0, scores: [] }
    known.n++
    if (typeof score === 'number' || typeof score === 'boolean') known.scores.push(Number(score))
    byKey.set(key, known)
  }
  return [...byKey].map(([key, { n, scores }]) => {
    const mean = scores.length > 0 ? sum(scores) / scores.length : undefined
    const spread = mean === undefined ? 0 : sum(scores.map((score) => (score - mean) ** 2))
    return { key, n, mean, stdev: scores.length > 1 ? Math.sqrt(spread / (scores.length - 1)) : undefined }
  })
}

/** Columns padded to their widest cell, figures to the right. No lines at all without rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  const isFigures = head.map((_, column) => rows.every((row) => /^[-–\d.,\s]*$/.test(row[column]!)))
  const pad = (cell: string, column: number) =>
    isFigures[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)
  const line = (cells: readonly string[]) => cells.map(pad).join('  ').trimEnd()
  return [line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)].join('\n')
}

/** The table at the end of an experiment. */
export function resultsTable(rows: Iterable<EvaluationResult>, summary: readonly EvaluationResult[]): string {
  const perKey = summarise(rows).map(({ key, n, mean, stdev }) => [key, String(n), figure(mean), figure(stdev)])
  const whole = summary.map(({ key, score, value }) => [
    `${key} (whole)`,
    '1',
    typeof score === 'number' || typeof score === 'boolean' ? figure(Number(score)) : String(value ?? '–'),
    '–',
  ])
  return table(['key', 'n', 'mean', 'stdev'], [...perKey, ...whole])
}

function figure(value: number | undefined): string {
  return value === undefined ? '–' : String(Number(value.toFixed(4)))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
