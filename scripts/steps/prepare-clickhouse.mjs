import { join } from 'node:path'
import { reportMissing } from './report-missing.mjs'
import { root } from './root.mjs'
import { startProgram } from './start-program.mjs'

/**
 * Starts a program that speaks the HTTP interface of ClickHouse in front of chDB, for the tests of the driver for servers:
 * no server of ClickHouse can be installed from a package registry. A URL that is already set is used instead.
 *
 * @returns `env` for the tests, and `stop`
 */
export async function prepareClickHouse() {
  if (process.env.TOUCHSTONE_TEST_CLICKHOUSE_URL) return { env: {}, stop() {} }
  const program = 'src/testing/clickhouse-front/main.ts'
  const started = await startProgram(
    'ClickHouse',
    process.execPath,
    ['--import=tsx', '--conditions=touchstone:source', program],
    {
      cwd: join(root, 'packages/server'),
      // Each running statement has a thread of the pool.
      env: { ...process.env, UV_THREADPOOL_SIZE: '16' },
    },
  )
  if (started === undefined) {
    reportMissing('chDB could not be started: the tests with ClickHouse over HTTP are skipped.')
    return { env: {}, stop() {} }
  }
  return { env: { TOUCHSTONE_TEST_CLICKHOUSE_URL: started.url }, stop: started.stop }
}
