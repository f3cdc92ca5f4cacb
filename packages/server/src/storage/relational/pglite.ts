import { chmodSync, existsSync, fdatasyncSync, lstatSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import { listEntries, syncDirectory, syncPath, unpackPreparedStore } from '../data-dir/prepared-data.ts'
import { fenceReadOnlyDisk, isWritable, type StreamOperations } from './fence-read-only-disk.ts'
import { migrateRelational } from './migrate.ts'
import { assignIds, DROP_TEMPLATES } from './new-database.ts'
import { createPgliteRows } from './pglite-table-rows.ts'
import type { Database, Relational } from './port.ts'
import { createStoreMemory } from './store-memory.ts'
import type { TableRows } from './table-rows.ts'

/**
 * Opens the embedded PostgreSQL below a directory, creates it where it is missing, and migrates it. Acknowledged
 * commits survive a crash of the process and of the machine.
 *
 * @param bufferBytes  its `shared_buffers`; @default 128 MiB, PostgreSQL's default
 * @param warn  called when its disk becomes read-only, and when it can be written again
 */
export async function openPglite(
  directory: string,
  bufferBytes?: number,
  warn: (message: string) => void = () => {},
): Promise<Relational> {
  const isNew = !existsSync(join(directory, 'PG_VERSION'))
  const isUnpacked = isNew && (await unpackPreparedStore('relational', directory))
  const wasKilled = existsSync(join(directory, LOCK_FILE))
  const client = await openReplaceableClient(directory, bufferBytes, warn)
  const relational = { ...(await openDatabase(client)), directory }
  // What was recovered reached the disk without fsync, because the calls are forwarded only from here on.
  if (wasKilled || (isNew && !isUnpacked)) syncDirectory(directory)
  return relational
}

/** Opens the embedded PostgreSQL below a directory without migrating it; a new one is empty. */
export const openPgliteToRestore = async (directory: string): Promise<TableRows> =>
  createPgliteRows(await openPgliteClient(directory))

/** Time between two looks at a disk that is read-only. */
const LOOK_AGAIN_MS = 2_000

/**
 * An engine that is replaced by another one after its disk was read-only for a time: the other one recovers the files as after
 * a crash. Reads go on meanwhile.
 */
async function openReplaceableClient(
  directory: string,
  bufferBytes: number | undefined,
  warn: (message: string) => void,
): Promise<PGlite> {
  let timer: NodeJS.Timeout | undefined
  let opening: Promise<PGlite> | undefined
  let isEnded = false
  let current: PGlite
  const onReadOnly = () => {
    warn(`The disk of ${directory} is read-only: changes are refused until it can be written again.`)
    timer = setInterval(replaceWhenWritable, LOOK_AGAIN_MS).unref()
  }
  const open = async () => {
    const client = await openPgliteClient(directory, bufferBytes, onReadOnly)
    pauseBetweenSteps(client)
    return client
  }
  const replaceWhenWritable = async () => {
    if (isEnded || opening !== undefined || !isWritable(directory)) return
    clearInterval(timer)
    opening = open()
    try {
      current = await opening
      warn(`The disk of ${directory} can be written again.`)
    } catch (error) {
      warn(`The database in ${directory} could not be opened again: ${error}`)
      if (!isEnded) timer = setInterval(replaceWhenWritable, LOOK_AGAIN_MS).unref()
    } finally {
      opening = undefined
    }
  }
  current = await open()
  const replaceable: Pick<PGlite, 'query' | 'exec' | 'transaction' | 'close'> = {
    query: (...given) => current.query(...given),
    exec: (...given) => current.exec(...given),
    transaction: (...given) => current.transaction(...given),
    async close() {
      isEnded = true
      clearInterval(timer)
      await opening?.catch(() => {})
      await current.close()
    },
  }
  return replaceable as PGlite
}

/** A database that was closed has none. */
const LOCK_FILE = 'postmaster.pid'

async function openPgliteClient(
  directory: string,
  bufferBytes?: number,
  onReadOnly: () => void = () => {},
): Promise<PGlite> {
  const isNew = !existsSync(join(directory, 'PG_VERSION'))
  mkdirSync(directory, { recursive: true })
  // Our own lock of the data directory is held. After a power cut this one may be empty, which PostgreSQL refuses.
  rmSync(join(directory, LOCK_FILE), { force: true })
  const buffers = bufferBytes === undefined ? [] : ['-c', `shared_buffers=${Math.floor(bufferBytes / 1024)}kB`]
  const client = await PGlite.create(directory, {
    relaxedDurability: false,
    startParams: [...DURABLE_START, ...SHORT_ANALYZE, ...buffers],
  })
  forwardSyncs(client)
  // It was written before: while the disk has the state of a clean stop, the log is not replayed after a power cut.
  syncPath(join(directory, 'global/pg_control'))
  keepFilesPrivate(client, directory)
  const { stream_ops: operations } = findMountedNode(client).mount.type
  fenceReadOnlyDisk(client, { directory, operations, onClosed: onReadOnly })
  if (isNew) for (const statement of DROP_TEMPLATES) await client.exec(statement)
  return client
}

/** `analyze` samples 300 rows for each unit of this; the default of 100 blocks the event loop for 400 ms. */
const SHORT_ANALYZE = ['-c', 'default_statistics_target=20']

/**
 * A database in memory, for tests.
 *
 * @param options  `loadDataDir` has its initial data; creating a new cluster takes five times as long
 */
export async function openPgliteInMemory(options: PGliteOptions = {}): Promise<Relational> {
  // The default of 128 MiB takes 0.15 s to clear.
  const startParams = [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB']
  const client = await PGlite.create('memory://', { startParams, ...options })
  pauseBetweenSteps(client)
  return openDatabase(client)
}

/** Dumps a closed database of a directory, for `openPgliteInMemory`. */
export async function dumpPglite(directory: string): Promise<Blob> {
  const client = await PGlite.create(directory)
  const dump = await client.dumpDataDir('none')
  await client.close()
  return dump
}

async function openDatabase(client: PGlite): Promise<Relational> {
  const db = drizzle({ client }) as unknown as Database
  const relational: Relational = {
    engine: 'pglite',
    db,
    memory: createStoreMemory(),
    transaction: (work) => db.transaction((tx) => work(tx as unknown as Database)),
    runScript: async (text) => (await client.exec(text)).at(-1)?.rows ?? [],
    openRows: async () => ({ ...createPgliteRows(client), close: async () => {} }),
    close: () => client.close(),
  }
  await migrateRelational(relational)
  await assignIds(relational)
  return relational
}

/** Milliseconds of engine work after which other work on the event loop gets its turn. */
const TURN_MS = 10

/**
 * Lets other work run after each 10 ms of engine work. The embedded engine runs on the event loop, and neither the
 * steps of a statement (parse, bind, execute) nor the statements of a transaction pause in between.
 */
function pauseBetweenSteps(client: PGlite): void {
  const step = client.execProtocolRaw.bind(client)
  let busyMs = 0
  client.execProtocolRaw = async (...args) => {
    const began = performance.now()
    const answer = await step(...args)
    busyMs += performance.now() - began
    if (busyMs > TURN_MS) {
      busyMs = 0
      await setImmediate()
    }
    return answer
  }
}

/**
 * PGlite starts PostgreSQL with fsync off, and its file system does not forward an fsync: a commit survives a crash of
 * the process, but not a power cut. With these parameters PostgreSQL calls fsync at each commit (not fdatasync, which
 * the runtime ignores), and `forwardSyncs` forwards the call to the disk. It takes about 4 ms per commit.
 */
const DURABLE_START = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  '-c',
  'wal_sync_method=fsync',
]

/** Forwards PostgreSQL's fsync to the operating system. */
function forwardSyncs(client: PGlite): void {
  const { stream_ops } = findMountedNode(client).mount.type
  stream_ops.fsync = ({ nfd }) => {
    fdatasyncSync(nfd)
    return 0
  }
}

/** Emscripten's representation of a file: its mount and the operations on its streams. */
interface MountedNode {
  readonly mount: {
    readonly type: {
      readonly stream_ops: StreamOperations & { fsync?: (stream: { readonly nfd: number }) => number }
      readonly node_ops: { setattr: (node: unknown, attributes: { mode?: number }) => void }
    }
  }
}

/**
 * Makes the files of a cluster readable for their owner only. The runtime sets the mode of each file that it creates by
 * its own umask (022), not by that of the process: everyone could read `pg_internal.init`.
 */
function keepFilesPrivate(client: PGlite, directory: string): void {
  const { node_ops } = findMountedNode(client).mount.type
  const { setattr } = node_ops
  node_ops.setattr = (node, attributes) =>
    setattr(node, attributes.mode === undefined ? attributes : { ...attributes, mode: attributes.mode & ~0o077 })
  for (const entry of listEntries(directory)) {
    const path = join(entry.parentPath, entry.name)
    const mode = lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0
    if ((entry.isFile() || entry.isDirectory()) && (mode & 0o077) !== 0) chmodSync(path, mode & 0o700)
  }
}

function findMountedNode(client: PGlite): MountedNode {
  const { FS } = client.Module as unknown as { FS: { lookupPath(path: string): { node: MountedNode } } }
  return FS.lookupPath('/pglite/data').node
}
