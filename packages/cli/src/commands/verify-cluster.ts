import { command } from '../command.ts'
import { ChildProcessError } from '../exit-codes.ts'
import { removeControlCharacters } from '../output.ts'
import { runServerTask } from '../server-program.ts'

/** One check, as the server program prints it. */
interface CheckResult {
  readonly store: string
  readonly check: string
  readonly status: 'ok' | 'warning' | 'failed'
  readonly found: string
  readonly remedy?: string
}

export const verifyCluster = command({
  summary: 'Check the PostgreSQL, ClickHouse and S3 that a server would use; needs no running server',
  flags: {},
  notes: [
    'Reads the settings of the server from the environment (TOUCHSTONE_POSTGRES_URL, TOUCHSTONE_CLICKHOUSE_URL, TOUCHSTONE_S3_BUCKET, …).',
    'Creates a database touchstone_verify_* in ClickHouse and one object in the bucket, and removes them. Exits with 1 when a check failed.',
  ],
  async run({ output }) {
    const results = JSON.parse(await runServerTask(['--verify-cluster'], isList)) as CheckResult[]
    output.data(results, (all) => all.map(formatResult).join('\n'))
    if (results.some(({ status }) => status === 'failed')) throw new ChildProcessError(1)
  },
})

const isList = (printed: string) => printed.startsWith('[')

const MARKS = { ok: 'ok     ', warning: 'warning', failed: 'FAILED ' } as const

function formatResult({ store, check, status, found, remedy }: CheckResult): string {
  const line = `${MARKS[status]}  ${store} ${check}: ${removeControlCharacters(found)}`
  return remedy === undefined ? line : `${line}\n         ${removeControlCharacters(remedy)}`
}
