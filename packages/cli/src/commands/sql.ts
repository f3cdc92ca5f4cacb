import { text } from 'node:stream/consumers'
import { isUuid, parseSince } from '../arguments.ts'
import { command } from '../command.ts'
import { UsageError } from '../exit-codes.ts'
import { formatTable } from '../output.ts'

type Row = readonly unknown[]

export const runSql = command({
  summary: 'Run a SQL statement over runs and feedback',
  positionals: ['statement'],
  flags: {
    project: {
      type: 'string',
      value: 'NAME',
      multiple: true,
      description: 'project to read, by name or id; may be repeated (default: default)',
    },
    since: {
      type: 'string',
      value: 'TIME',
      description: 'value of :since: 30m, 24h, 7d, 4w or an ISO 8601 time (default 7d)',
    },
    csv: { type: 'boolean', description: 'print rows as CSV with a header' },
  },
  notes: [
    'The statement is one SELECT, or - to read it from standard input. Tables: runs, feedback.',
    'Each use of runs needs a lower bound of start_time; :since can be used for it:',
    '',
    '  touchstone sql "select model, sum(total_cost) from runs where start_time >= :since group by model" --since 30d',
    '',
  ],
  async run({ client, output, positionals, flags }) {
    if (flags.csv && output.isJson) throw new UsageError('--csv and --json cannot be combined.')
    const since = parseSince('since', flags.since ?? '7d')
    const [argument = ''] = positionals
    const statement = argument === '-' ? await text(process.stdin) : argument
    if (statement.trim() === '') throw new UsageError('The statement is empty.')
    const projects = flags.project ?? ['default']
    const result = await client.querySql({
      query: statement.replaceAll(/(?<![:\w]):since\b/g, `'${since}'`),
      projectIds: projects.filter(isUuid),
      projectNames: projects.filter((project) => !isUuid(project)),
    })
    const names = result.columns.map(({ name }) => name)
    const format = () =>
      flags.csv
        ? [names, ...result.rows].map(formatCsvLine).join('\r\n')
        : formatTable<Row>(
            result.rows,
            names.map((name, index) => [name, (row) => toCell(row[index])]),
          )
    output.data(result, format)
    if (result.is_truncated) {
      const limit = result.truncation_reason === 'size_limit' ? '10 MB' : '1,000 rows'
      output.message(`The result is truncated: the maximum is ${limit}.`)
    }
  },
})

/** Objects and lists are printed as JSON. */
function toCell(value: unknown): string | number | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'number') return value
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** RFC 4180; missing values are empty. */
function formatCsvLine(values: readonly unknown[]): string {
  return values
    .map((value) => String(toCell(value) ?? ''))
    .map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(',')
}
