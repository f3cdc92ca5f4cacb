import { chmodSync, closeSync, fdatasyncSync, fsyncSync, lstatSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'

/**
 * PGlite starts PostgreSQL with fsync off, and its file system would not pass an fsync on: what a commit wrote is safe
 * from the death of the process, not from a power cut. These parameters make PostgreSQL ask for one at each commit (by
 * fsync, because the runtime swallows fdatasync) and `passSyncsOn` gives it to the disk. About 4 ms per commit.
 */
export const DURABLE_START = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  '-c',
  'wal_sync_method=fsync',
]

/** Connects PostgreSQL's fsync with that of the system. */
export function passSyncsOn(client: PGlite): void {
  const { stream_ops } = findMountedNode(client).mount.type
  stream_ops.fsync = ({ nfd }) => {
    fdatasyncSync(nfd)
    return 0
  }
}

/** Emscripten's view of a file: where it is mounted, and what can be done with its streams. */
interface MountedNode {
  readonly mount: {
    readonly type: {
      readonly stream_ops: { fsync?: (stream: { readonly nfd: number }) => number }
      readonly node_ops: { setattr: (node: unknown, attributes: { mode?: number }) => void }
    }
  }
}

/**
 * Keeps the files of a cluster to their owner. The runtime sets the mode of each file that it creates by its own umask
 * (022), past that of the process: `pg_internal.init` would be readable for everybody.
 */
export function keepFilesPrivate(client: PGlite, directory: string): void {
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
 * Puts a directory with all below it on the disk: a new database is written before its syncs are passed on.
 *
 * @param options.isDeep  false for the directory's own entries alone; @default true
 */
export function syncDirectory(directory: string, { isDeep = true } = {}): void {
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
