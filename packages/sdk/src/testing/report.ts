import { formatTable } from '../evaluation/results-table.ts'
import { createRecordFolder, removeRecordFolder, type TestRecord, takeRecords } from './test-records.ts'

const MAX_CELL = 40
const RED = '\u001b[31m'
const GREEN = '\u001b[32m'
const YELLOW = '\u001b[33m'
const OFF = '\u001b[39m'

/** Collects the test records of a test run, and prints a table per suite with a link to its experiment. */
export class SuiteTables {
  readonly #folder = createRecordFolder()

  print(write: (text: string) => void, hasColors: boolean): void {
    const bySuite = new Map<string, TestRecord[]>()
    for (const record of takeRecords(this.#folder)) {
      bySuite.set(record.suite, [...(bySuite.get(record.suite) ?? []), record])
    }
    for (const [suite, records] of bySuite)
      write(`\n${suite}\n${formatRecords(records, hasColors)}\n${formatLink(records)}`)
  }

  close(): void {
    removeRecordFolder(this.#folder)
  }
}

function formatLink(records: readonly TestRecord[]): string {
  const url = records.find((record) => record.url)?.url
  return url ? `View results at ${url}\n` : ''
}

/** One row per test: inputs, outputs, status, and a column per feedback key. */
export function formatRecords(records: readonly TestRecord[], hasColors: boolean): string {
  const keys = [...new Set(records.flatMap(({ feedback }) => feedback.map(({ key }) => key)))].filter(
    (key) => key !== 'pass',
  )
  const rows = records.map((record) => [
    formatCell(record.test),
    formatCell(record.inputs),
    formatCell(record.referenceOutputs),
    formatCell(record.outputs),
    record.status,
    ...keys.map((key) => formatScore(record, key)),
  ])
  const text = formatTable(['Test', 'Inputs', 'Reference Outputs', 'Outputs', 'Status', ...keys], rows)
  return hasColors ? colorRows(text, records, keys) : text
}

function formatScore({ feedback }: TestRecord, key: string): string {
  const given = feedback.filter((entry) => entry.key === key).map(({ score, value }) => score ?? value)
  return given
    .map((score) => (typeof score === 'number' ? String(Number(score.toFixed(4))) : formatCell(score)))
    .join(', ')
}

function formatCell(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > MAX_CELL ? `${line.slice(0, MAX_CELL - 1)}…` : line
}

/**
 * Colors are added after padding, because padding counts characters. A row is yellow when a score is far below its
 * column's mean.
 */
function colorRows(text: string, records: readonly TestRecord[], keys: readonly string[]): string {
  const [head, rule, ...lines] = text.split('\n')
  const colors = records.map((record) => {
    const worst = Math.min(0, ...keys.map((key) => getDeviation(record, records, key)))
    return record.status === 'fail' ? RED : worst < -1 ? YELLOW : GREEN
  })
  return [head, rule, ...lines.map((line, index) => `${colors[index] ?? GREEN}${line}${OFF}`)].join('\n')
}

/** In standard deviations of the key over all tests. */
function getDeviation(record: TestRecord, records: readonly TestRecord[], key: string): number {
  const getScore = ({ feedback }: TestRecord) => feedback.find((entry) => entry.key === key)?.score
  const scores = records
    .map(getScore)
    .filter((score) => score != null)
    .map(Number)
  const own = getScore(record)
  if (own == null || scores.length < 2) return 0
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length
  const spread = Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / scores.length)
  return spread === 0 ? 0 : (Number(own) - mean) / spread
}
