import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runTouchstone } from '../support/run-touchstone.ts'
import { inFull, isFull } from '../support/scale.ts'
import { type StartedServer, startServer } from '../support/start-server.ts'
import { createTestBucket, s3Url } from '../support/test-bucket.ts'
import { createClickHouseDatabase, createDatabase } from '../support/test-stores.ts'
import { makeWriteWorld, type WriteWorld, writeUntil } from '../support/write-kinds.ts'
import { callServer, WriteLedger } from '../support/write-ledger.ts'

const postgresUrl = process.env.TOUCHSTONE_TEST_POSTGRES_URL
const clickhouseUrl = process.env.TOUCHSTONE_TEST_CLICKHOUSE_URL
const hasStores = postgresUrl !== undefined && clickhouseUrl !== undefined && s3Url !== undefined
const WRITERS = 6
/** Each write is read again, and each row is in the backups that are compared. */
const APART_MS = inFull(50, 0)
const patience = { timeout: 240_000 }

type Env = Readonly<Record<string, string>>

/** New, empty databases and a bucket. */
async function createStores(): Promise<Env> {
  return {
    ...(await createTestBucket()).env,
    TOUCHSTONE_POSTGRES_URL: await createDatabase(postgresUrl!),
    TOUCHSTONE_CLICKHOUSE_URL: await createClickHouseDatabase(clickhouseUrl!),
  }
}

interface Made {
  readonly path: string
  readonly point_in_time: string
  readonly pause_ms: number
}

describe.skipIf(!hasStores)('a backup of PostgreSQL, ClickHouse and S3', patience, () => {
  let root: string
  let env: Env
  let server: StartedServer
  let world: WriteWorld
  let made: Made
  const ledger = new WriteLedger()
  const secret = { TOUCHSTONE_SECRET_KEY: randomBytes(32).toString('base64') }
  const started: StartedServer[] = []

  async function start(stores: Env, dataDir: string): Promise<StartedServer> {
    const args = ['--backup-dir', join(root, 'backups')]
    const one = await startServer({ dataDir, args, env: { ...secret, ...stores }, timeoutMs: 110_000 })
    started.push(one)
    return one
  }

  const touchstone = (args: readonly string[], stores: Env = {}) =>
    runTouchstone(args, {
      TOUCHSTONE_ENDPOINT: server.url,
      TOUCHSTONE_API_KEY: world.key,
      TMPDIR: root,
      ...stores,
    })

  /** Fails with all output unless the command succeeds. */
  async function succeed(args: readonly string[], stores: Env = {}): Promise<void> {
    const { code, stderr } = await touchstone(args, stores)
    expect(code, stderr).toBe(0)
  }

  async function createBackup(endpoint = server.url): Promise<Made> {
    const { code, out, stderr } = await touchstone(['backup', 'create', '--json'], { TOUCHSTONE_ENDPOINT: endpoint })
    expect(code, stderr).toBe(0)
    return JSON.parse(out)
  }

  /** What the server on some stores lacks of what was acknowledged before the backup. */
  async function findBroken(url: string): Promise<readonly string[]> {
    const at = Date.parse(made.point_in_time)
    const { broken, asked } = await ledger.findBroken(callServer(url, world.key), { at })
    expect(asked).toBeGreaterThan(30)
    return broken
  }

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'touchstone-server-backup-'))
    env = await createStores()
    server = await start(env, join(root, 'first'))
    world = await makeWriteWorld(callServer(server.url, ''), (key) => callServer(server.url, key))
  }, 180_000)
  afterAll(async () => {
    await Promise.all(started.map((one) => one.kill()))
    await rm(root, { recursive: true, force: true })
  })

  it('is made while writes go on, without a pause, and is valid', async () => {
    const over = new AbortController()
    const call = callServer(server.url, world.key)
    const writers = Promise.all(
      Array.from({ length: WRITERS }, (_, at) => writeUntil(over.signal, { call, world, ledger }, at * 4, APART_MS)),
    )
    await expect.poll(() => ledger.size, { timeout: 60_000 }).toBeGreaterThan(60)
    made = await createBackup()
    over.abort()
    await writers
    expect(made.pause_ms).toBe(0)
    expect((await touchstone(['backup', 'verify', made.path])).out).toContain('Valid')
  })

  it('restores into other servers, and they answer as the ledger at the point in time', async () => {
    const stores = await createStores()
    await succeed(['backup', 'restore', made.path], stores)
    const { url } = await start(stores, join(root, 'second'))
    expect(await findBroken(url)).toEqual([])

    const again = await touchstone(['backup', 'restore', made.path], stores)
    expect(again).toMatchObject({ code: 5, stderr: expect.stringContaining('is not empty: it has the table') })
  })

  // The backup of embedded stores is the one of `attack/backup`; here both ways follow each other.
  if (isFull) {
    it('restores into embedded stores, whose backup restores into servers', async () => {
      const dataDir = join(root, 'embedded')
      await succeed(['backup', 'restore', made.path, '--data-dir', dataDir])
      const embedded = await start({}, dataDir)
      expect(await findBroken(embedded.url)).toEqual([])

      const second = await createBackup(embedded.url)
      const stores = await createStores()
      await succeed(['backup', 'restore', second.path], stores)
      const { url } = await start(stores, join(root, 'third'))
      expect(await findBroken(url)).toEqual([])
    })
  }

  it('has the same rows as a backup of what was restored from it', async () => {
    const first = await createBackup()
    const stores = await createStores()
    await succeed(['backup', 'restore', first.path], stores)
    const restored = await start(stores, join(root, 'fourth'))
    const second = await createBackup(restored.url)
    expect(await listBlobs(second.path)).toEqual(await listBlobs(first.path))
    const [before, after] = await Promise.all([readTables(first.path), readTables(second.path)])
    expect([...after.keys()]).toEqual([...before.keys()])
    for (const [table, rows] of before) expect(after.get(table), table).toEqual(rows)
  })
})

const listBlobs = async (backup: string) => (await readdir(join(backup, 'blobs'), { recursive: true })).toSorted()

/** Tables that a server writes when it starts, and when a key is used. */
const ALWAYS_WRITTEN = /^relational\/(pgboss\.|api_keys)/

/** The rows of all tables of a backup; superseded versions of rows may be merged at any time. */
async function readTables(backup: string): Promise<Map<string, unknown>> {
  const tables = new Map<string, unknown>()
  for (const store of ['relational', 'analytics']) {
    for (const name of (await readdir(join(backup, store))).toSorted()) {
      const table = `${store}/${name}`
      if (ALWAYS_WRITTEN.test(table)) continue
      const lines = gunzipSync(await readFile(join(backup, table)))
        .toString()
        .split('\n')
      tables.set(table, store === 'analytics' ? newest(table, lines) : lines.toSorted())
    }
  }
  return tables
}

/** Columns that name a row. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  'analytics/runs.tsv.gz': ['tenant_id', 'session_id', 'start_time', 'id'],
  'analytics/run_attachments.tsv.gz': ['tenant_id', 'run_id', 'name'],
  'analytics/run_feedback.tsv.gz': ['tenant_id', 'run_id', 'key', 'id'],
}

/** The lines with the highest version of each row. */
function newest(table: string, [names = '', ...lines]: readonly string[]): string[] {
  const columns = names.split('\t')
  const read = (line: string, name: string) => line.split('\t')[columns.indexOf(name)] ?? ''
  const found = new Map<string, string>()
  for (const line of lines) {
    const key = KEYS[table]?.map((name) => read(line, name)).join() ?? line
    const known = found.get(key)
    if (known === undefined || BigInt(read(known, 'version')) < BigInt(read(line, 'version'))) found.set(key, line)
  }
  return [names, ...[...found.values()].toSorted()]
}
