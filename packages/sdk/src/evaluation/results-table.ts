import type { EvaluationResult } from '../resources/feedback.ts'

/** Figures of one feedback key over an experiment. */
export interface KeySummary {
  key: string
  /** Number of results. */
  n: number
  /** Mean of all scores, booleans as 1 and 0; `undefined` without scores. */
  mean: number | undefined
  /** Standard deviation of the sample; `undefined` below two scores. */
  stdev: number | undefined
}

/** Summarizes results by key, in order of first appearance. */
export function summarize(results: Iterable<EvaluationResult>): KeySummary[] {
  const byKey = new Map<string, { n: number; scores: number[] }>()
  for (const { key, score } of results) {
    const summary = byKey.get(key) ?? { n: 0, scores: [] }
    summary.n++
    if (typeof score === 'number' || typeof score === 'boolean') summary.scores.push(Number(score))
    byKey.set(key, summary)
  }
  return [...byKey].map(([key, { n, scores }]) => {
    const mean = scores.length > 0 ? sum(scores) / scores.length : undefined
    const spread = mean === undefined ? 0 : sum(scores.map((score) => (score - mean) ** 2))
    return { key, n, mean, stdev: scores.length > 1 ? Math.sqrt(spread / (scores.length - 1)) : undefined }
  })
}

/** Formats a text table: columns padded to the widest cell, numbers aligned right. Empty without rows. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const isFigures = head.map((_, column) => rows.every((row) => /^[-–\d.,\s]*$/.test(row[column] ?? '')))
  const pad = (cell: string, column: number) => {
    const width = widths[column] ?? 0
    return isFigures[column] ? cell.padStart(width) : cell.padEnd(width)
  }
  const line = (cells: readonly string[]) => cells.map(pad).join('  ').trimEnd()
  return [line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)].join('\n')
}

/** Formats the table that is printed at the end of an experiment. */
export function formatResultsTable(rows: Iterable<EvaluationResult>, summary: readonly EvaluationResult[]): string {
  const perKey = summarize(rows).map(({ key, n, mean, stdev }) => [
    key,
    String(n),
    formatFigure(mean),
    formatFigure(stdev),
  ])
  const whole = summary.map(({ key, score, value }) => [
    `${key} (whole)`,
    '1',
    typeof score === 'number' || typeof score === 'boolean' ? formatFigure(Number(score)) : String(value ?? '–'),
    '–',
  ])
  return formatTable(['key', 'n', 'mean', 'stdev'], [...perKey, ...whole])
}

function formatFigure(value: number | undefined): string {
  return value === undefined ? '–' : String(Number(value.toFixed(4)))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
