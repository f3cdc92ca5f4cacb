import { text } from 'node:stream/consumers'
import { command } from '../command.ts'
import { isUuid, UsageError } from '../flags.ts'
import { table } from '../output.ts'

type Row = readonly unknown[]

export default command({
  summary: 'Run a SQL statement over runs and feedback',
  words: ['statement'],
  flags: {
    project: {
      type: 'string',
      value: 'NAME',
      multiple: true,
      says: 'a project to read, name or id (default: default)',
    },
    since: { type: 'string', value: 'TIME', says: 'what :since stands for: 30m, 24h, 7d, 4w or ISO 8601 (default 7d)' },
    csv: { type: 'boolean', says: 'print rows as CSV, with a header' },
  },
  notes: [
    'The statement is one SELECT, or - to read it from standard input. Tables: runs, feedback.',
    'Each use of runs needs a lower bound of start_time; :since stands for one:',
    '',
    '  touchstone sql "select model, sum(total_cost) from runs where start_time >= :since group by model" --since 30d',
    '',
  ],
  async run({ client, output, words, flags }) {
    if (flags.csv && output.isJson) throw new UsageError('--csv and --json exclude each other.')
    const since = timeOf(flags.since ?? '7d')
    const statement = words[0] === '-' ? await text(process.stdin) : words[0]!
    if (statement.trim() === '') throw new UsageError('The statement is empty.')
    const projects = flags.project ?? ['default']
    const result = await client.querySql({
      query: statement.replaceAll(/(?<![:\w]):since\b/g, `'${since}'`),
      projectIds: projects.filter(isUuid),
      projectNames: projects.filter((project) => !isUuid(project)),
    })
    const names = result.columns.map(({ name }) => name)
    const printTable = () =>
      table<Row>(
        result.rows,
        names.map((name, at) => [name, (row) => cellOf(row[at])]),
      )
    output.data(result, () => (flags.csv ? [names, ...result.rows].map(csvLine).join('\r\n') : printTable()))
    if (result.is_truncated) {
      const limit = result.truncation_reason === 'size_limit' ? '10 MB' : '1,000 rows'
      output.talk(`There is more: an answer holds at most ${limit}.`)
    }
  },
})

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** @throws UsageError unless it is a time or an age */
function timeOf(since: string): string {
  const [, amount, unit] = /^([1-9][0-9]{0,5})([mhdw])$/.exec(since) ?? []
  const time = unit === undefined ? Date.parse(since) : Date.now() - Number(amount) * UNITS[unit]!
  if (Number.isFinite(time) && Math.abs(time) <= 8.64e15) return new Date(time).toISOString()
  throw new UsageError(`--since takes an age such as 24h or 7d, or a time in ISO 8601, not "${since}".`)
}

/** Objects and lists as JSON. */
function cellOf(value: unknown): string | number | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'number') return value
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** As RFC 4180 says; absent values are empty. */
function csvLine(values: readonly unknown[]): string {
  return values
    .map((value) => String(cellOf(value) ?? ''))
    .map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(',')
}
