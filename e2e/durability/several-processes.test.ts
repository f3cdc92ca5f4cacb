import { randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort, type StartedServer, startServer } from '../support/start-server.ts'
import { createTestBucket, s3Url } from '../support/test-bucket.ts'
import { createClickHouseDatabase, createDatabase, endSessions } from '../support/test-stores.ts'
import { makeWriteWorld, type WriteWorld, writeUntil } from '../support/write-kinds.ts'
import { callServer, WriteLedger } from '../support/write-ledger.ts'
import { findBrokenPromises, Ledger, sendUntil } from './acknowledged-runs.ts'

const postgresUrl = process.env.TOUCHSTONE_TEST_POSTGRES_URL
const clickhouseUrl = process.env.TOUCHSTONE_TEST_CLICKHOUSE_URL
const hasStores = postgresUrl !== undefined && clickhouseUrl !== undefined && s3Url !== undefined
const rounds = Number(process.env.TOUCHSTONE_KILL_ROUNDS ?? 2)
const patience = { timeout: 120_000 + rounds * 40_000 }
const senders = { runs: 4, all: 6 }

/** A process of the installation, which keeps its address when it starts again. */
class Process {
  #running: StartedServer | undefined

  constructor(
    readonly role: 'api' | 'worker',
    readonly port: number,
    readonly dataDir: string,
    readonly env: Readonly<Record<string, string>>,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  async start(): Promise<void> {
    const { role, port, dataDir } = this
    const options = { dataDir, args: ['--roles', role], timeoutMs: 110_000 }
    // A worker has no API; a probe tells that it runs.
    const env = { ...this.env, TOUCHSTONE_LIVE_PORT: String(port) }
    this.#running = await (role === 'api'
      ? startServer({ ...options, port, env: this.env })
      : startServer({ ...options, env, answersAt: `${this.url}/live` }))
  }

  async kill(): Promise<void> {
    await this.#running?.kill()
    this.#running = undefined
  }
}

describe.skipIf(!hasStores)('two processes with the role api and one worker over shared stores', patience, () => {
  let root: string
  let database: string
  let processes: readonly Process[]
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'touchstone-processes-'))
    database = await createDatabase(postgresUrl!)
    const env = {
      ...(await createTestBucket()).env,
      TOUCHSTONE_POSTGRES_URL: database,
      TOUCHSTONE_CLICKHOUSE_URL: await createClickHouseDatabase(clickhouseUrl!),
      TOUCHSTONE_SECRET_KEY: randomBytes(32).toString('base64'),
    }
    const roles = ['api', 'api', 'worker'] as const
    const make = async (role: 'api' | 'worker', at: number) =>
      new Process(role, await freePort(), join(root, String(at)), env)
    processes = await Promise.all(roles.map(make))
    await Promise.all(processes.map((one) => one.start()))
  }, 180_000)
  afterAll(async () => {
    await Promise.all((processes ?? []).map((one) => one.kill()))
    await rm(root, { recursive: true, force: true })
  })

  const apis = () => processes.filter(({ role }) => role === 'api')
  const anyUrl = () => apis()[randomInt(2)]!.url

  /** Kills a process and all sessions of the database while clients write, and starts the process again. */
  async function disturb(count: () => number): Promise<void> {
    const before = count()
    await expect.poll(count, { timeout: 60_000 }).toBeGreaterThan(before)
    await endSessions(database)
    // Pause: the kill comes at any moment.
    await new Promise((resolve) => setTimeout(resolve, randomInt(1_000)))
    const victim = processes[randomInt(processes.length)]!
    await victim.kill()
    await victim.start()
    const then = count()
    await expect.poll(count, { timeout: 60_000 }).toBeGreaterThan(then)
  }

  it('lose no field of runs whose creates and updates go to any process', async () => {
    const ledger = new Ledger()
    const over = new AbortController()
    const clients = Array.from({ length: senders.runs }, () => sendUntil(over.signal, anyUrl, ledger))
    for (let round = 0; round < rounds; round++) await disturb(() => ledger.size)
    over.abort()
    await Promise.all(clients)
    for (const { url } of apis()) expect(await findBrokenPromises(url, ledger, ledger.toCheck(true))).toEqual([])
    console.log(`${ledger.size} acknowledged runs survived ${rounds} kills of one of three processes`)
  })

  it('hold every write of any kind, whichever process acknowledged it', async () => {
    const ledger = new WriteLedger()
    const [one] = apis()
    const world: WriteWorld = await makeWriteWorld(callServer(one!.url, ''), (key) => callServer(one!.url, key))
    const over = new AbortController()
    const call: ReturnType<typeof callServer> = (...request) => callServer(anyUrl(), world.key)(...request)
    const writers = Promise.all(
      Array.from({ length: senders.all }, (_, at) => writeUntil(over.signal, { call, world, ledger }, at * 4)),
    )
    for (let round = 0; round < rounds; round++) await Promise.race([writers, disturb(() => ledger.size)])
    over.abort()
    await writers
    for (const { url } of apis()) {
      const { broken, asked } = await ledger.findBroken(callServer(url, world.key))
      expect(broken).toEqual([])
      expect(asked).toBeGreaterThan(0)
    }
  })
})
