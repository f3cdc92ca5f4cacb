import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type StartedServer, startServer } from '../../e2e/support/start-server.ts'
import { createDatabase } from '../../e2e/support/test-stores.ts'
import { preparePostgres } from '../../scripts/steps/prepare-postgres.mjs'
import type { RowsByTable } from './clickhouse-sink.ts'
import { limitCpu } from './cpu-share.ts'

/** Processes with the role `api` over one PostgreSQL server and a sink in place of ClickHouse. */
export interface SeveralProcesses {
  readonly servers: readonly StartedServer[]
  readonly sinkPid: number
  /** Undefined for a PostgreSQL server that was running before. */
  readonly postgresPid: number | undefined
  /** Rows that the sink has received. */
  countRows(): Promise<RowsByTable>
  /** Gives each process the same share of one core. @returns whether that is possible here */
  limit(share: number): boolean
  stop(): Promise<void>
}

export async function startSeveralProcesses(count: number): Promise<SeveralProcesses> {
  const postgres = preparePostgres()
  const sink = fork(fileURLToPath(new URL('./clickhouse-sink.ts', import.meta.url)), { execArgv: process.execArgv })
  const sinkUrl = receive<string>(sink)
  const servers: StartedServer[] = []
  const removeLimits: (() => void)[] = []

  async function stop(): Promise<void> {
    await Promise.all(servers.map((server) => server.stop()))
    for (const remove of removeLimits) remove()
    sink.disconnect()
    postgres.stop()
  }

  try {
    const postgresUrl = postgres.env.TOUCHSTONE_TEST_POSTGRES_URL ?? process.env.TOUCHSTONE_TEST_POSTGRES_URL
    if (postgresUrl === undefined) throw new Error('No PostgreSQL could be started; see TOUCHSTONE_TEST_POSTGRES_URL.')
    const env = {
      TOUCHSTONE_POSTGRES_URL: await createDatabase(postgresUrl),
      TOUCHSTONE_CLICKHOUSE_URL: await sinkUrl,
      TOUCHSTONE_SECRET_KEY: randomBytes(32).toString('base64'),
    }
    while (servers.length < count) servers.push(await startServer({ args: ['--roles=api'], env }))
  } catch (error) {
    await stop()
    throw error
  }

  return {
    servers,
    sinkPid: sink.pid!,
    postgresPid: postgres.pid,
    countRows() {
      sink.send('count')
      return receive<RowsByTable>(sink)
    },
    limit(share) {
      for (const { pid } of servers) {
        const remove = limitCpu(pid, share)
        if (remove === undefined) return false
        removeLimits.push(remove)
      }
      return true
    },
    stop,
  }
}

async function receive<Message>(child: ChildProcess): Promise<Message> {
  const [message] = await once(child, 'message')
  return message as Message
}
