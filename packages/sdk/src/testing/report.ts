import { formatTable } from '../evaluation/results-table.ts'
import { openFolder, removeFolder, type TestRecord, takeRecords } from './hand-off.ts'

const MAX_CELL = 40
const RED = '\u001b[31m'
const GREEN = '\u001b[32m'
const YELLOW = '\u001b[33m'
const OFF = '\u001b[39m'

/** Collects what the tests of a run left, and prints a table per suite with the link to its experiment. */
export class SuiteTables {
  readonly #folder = openFolder()

  print(write: (text: string) => void, hasColours: boolean): void {
    const bySuite = new Map<string, TestRecord[]>()
    for (const record of takeRecords(this.#folder)) {
      bySuite.set(record.suite, [...(bySuite.get(record.suite) ?? []), record])
    }
    for (const [suite, records] of bySuite) write(`\n${suite}\n${tableOf(records, hasColours)}\n${linkOf(records)}`)
  }

  close(): void {
    removeFolder(this.#folder)
  }
}

function linkOf(records: readonly TestRecord[]): string {
  const url = records.find((record) => record.url)?.url
  return url ? `View results at ${url}\n` : ''
}

/** A row per test: what went in and came out, whether it passed, and a column for every feedback key. */
export function tableOf(records: readonly TestRecord[], hasColours: boolean): string {
  const keys = [...new Set(records.flatMap(({ feedback }) => feedback.map(({ key }) => key)))].filter(
    (key) => key !== 'pass',
  )
  const rows = records.map((record) => [
    cell(record.test),
    cell(record.inputs),
    cell(record.referenceOutputs),
    cell(record.outputs),
    record.status,
    ...keys.map((key) => scoreCell(record, key)),
  ])
  const text = formatTable(['Test', 'Inputs', 'Reference Outputs', 'Outputs', 'Status', ...keys], rows)
  return hasColours ? coloured(text, records, keys) : text
}

function scoreCell({ feedback }: TestRecord, key: string): string {
  const given = feedback.filter((one) => one.key === key).map(({ score, value }) => score ?? value)
  return given.map((score) => (typeof score === 'number' ? String(Number(score.toFixed(4))) : cell(score))).join(', ')
}

function cell(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > MAX_CELL ? `${line.slice(0, MAX_CELL - 1)}…` : line
}

/** Colours come after the padding, which counts characters. A row is as red as its scores are below the column's mean. */
function coloured(text: string, records: readonly TestRecord[], keys: readonly string[]): string {
  const [head, rule, ...lines] = text.split('\n')
  const worst = records.map((record) => Math.min(0, ...keys.map((key) => deviation(record, records, key))))
  const colourOf = (at: number) => (records[at]!.status === 'fail' ? RED : worst[at]! < -1 ? YELLOW : GREEN)
  return [head, rule, ...lines.map((line, at) => `${colourOf(at)}${line}${OFF}`)].join('\n')
}

/** In standard deviations of the key over all tests. */
function deviation(record: TestRecord, records: readonly TestRecord[], key: string): number {
  const scoreOf = ({ feedback }: TestRecord) => feedback.find((one) => one.key === key)?.score
  const scores = records
    .map(scoreOf)
    .filter((score) => score != null)
    .map(Number)
  const own = scoreOf(record)
  if (own == null || scores.length < 2) return 0
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length
  const spread = Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / scores.length)
  return spread === 0 ? 0 : (Number(own) - mean) / spread
}
