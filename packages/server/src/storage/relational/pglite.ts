import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import { migrateRelational } from './migrate.ts'
import type { Database, Relational } from './port.ts'
import { createStoreMemory } from './store-memory.ts'

/**
 * Opens the embedded PostgreSQL below a directory, creates it where it is missing, and migrates it. Acknowledged
 * commits survive a crash of the process and of the machine.
 *
 * @param bufferBytes  its `shared_buffers`; @default 128 MiB, PostgreSQL's default
 */
export async function openPglite(directory: string, bufferBytes?: number): Promise<Relational> {
  const isNew = !existsSync(join(directory, 'PG_VERSION'))
  if (isNew) createCluster(directory)
  mkdirSync(directory, { recursive: true })
  const buffers = bufferBytes === undefined ? [] : ['-c', `shared_buffers=${Math.floor(bufferBytes / 1024)}kB`]
  const client = await PGlite.create(directory, {
    relaxedDurability: false,
    startParams: [...DURABLE_START, ...SHORT_ANALYZE, ...buffers],
  })
  forwardSyncs(client)
  keepFilesPrivate(client, directory)
  const relational = { ...(await openDatabase(client)), directory }
  if (isNew) syncDirectory(directory)
  return relational
}

/** `analyze` samples 300 rows for each unit of this; the default of 100 blocks the event loop for 400 ms. */
const SHORT_ANALYZE = ['-c', 'default_statistics_target=20']

/**
 * A database in memory, for tests.
 *
 * @param dump  its initial data; creating a new cluster takes five times as long
 */
export async function openPgliteInMemory(dump?: Blob): Promise<Relational> {
  return openDatabase(await PGlite.create('memory://', dump && { loadDataDir: dump }))
}

/** Dumps an empty database of the newest version, for `openPgliteInMemory`. */
export async function dumpEmptyPglite(): Promise<Blob> {
  const client = await PGlite.create('memory://')
  await openDatabase(client)
  const dump = await client.dumpDataDir('none')
  await client.close()
  return dump
}

async function openDatabase(client: PGlite): Promise<Relational> {
  pauseBetweenSteps(client)
  const db = drizzle(client) as unknown as Database
  const relational: Relational = {
    engine: 'pglite',
    db,
    memory: createStoreMemory(),
    transaction: (work) => db.transaction((tx) => work(tx as unknown as Database)),
    runScript: async (text) => (await client.exec(text)).at(-1)?.rows ?? [],
    close: () => client.close(),
  }
  await migrateRelational(relational)
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
      readonly stream_ops: { fsync?: (stream: { readonly nfd: number }) => number }
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
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    const mode = lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0
    if ((entry.isFile() || entry.isDirectory()) && (mode & 0o077) !== 0) chmodSync(path, mode & 0o700)
  }
}

function findMountedNode(client: PGlite): MountedNode {
  const { FS } = client.Module as unknown as { FS: { lookupPath(path: string): { node: MountedNode } } }
  return FS.lookupPath('/pglite/data').node
}

/**
 * Syncs a directory with everything below it to disk: a new database is written before its syncs are forwarded.
 *
 * @param options.isDeep  false for the directory's own entries alone; @default true
 */
function syncDirectory(directory: string, { isDeep = true } = {}): void {
  for (const entry of isDeep ? readdirSync(directory, { withFileTypes: true }) : []) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) syncDirectory(path)
    else if (entry.isFile()) syncPath(path)
  }
  syncPath(directory)
}

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Copies the empty cluster that the build made to `directory`, completely or not at all. PGlite would create a cluster
 * (initdb in WebAssembly) with 770 MB of memory and in ten times the time; it does so only where the server runs from
 * its sources.
 */
function createCluster(directory: string): void {
  const source = findEmptyCluster()
  if (source === undefined || (existsSync(directory) && readdirSync(directory).length > 0)) return
  const aside = `${directory}.new`
  rmSync(aside, { recursive: true, force: true })
  const folders: string[] = JSON.parse(readFileSync(join(source, 'folders.json'), 'utf8'))
  for (const folder of ['.', ...folders]) {
    mkdirSync(join(aside, folder), { recursive: true, mode: 0o700 })
  }
  for (const folder of ['.', ...folders]) copyFiles(join(source, 'files', folder), join(aside, folder))
  syncDirectory(aside)
  rmSync(directory, { recursive: true, force: true })
  renameSync(aside, directory)
  syncDirectory(dirname(directory), { isDeep: false })
}

/** A package contains no empty folders, so a folder of the list may be missing in the source. */
function copyFiles(from: string, to: string): void {
  if (!existsSync(from)) return
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (!entry.isFile()) continue
    copyFileSync(join(from, entry.name), join(to, entry.name))
    chmodSync(join(to, entry.name), 0o600)
  }
}

/** The build makes it; the bundle may be one folder deeper. */
function findEmptyCluster(): string | undefined {
  const places = ['./empty-cluster', '../empty-cluster'].map((path) => fileURLToPath(new URL(path, import.meta.url)))
  return places.find((path) => existsSync(join(path, 'folders.json')))
}
