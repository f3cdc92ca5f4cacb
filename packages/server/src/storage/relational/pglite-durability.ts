import { closeSync, fdatasyncSync, fsyncSync, openSync, readdirSync } from 'node:fs'
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
  const { FS } = client.Module as unknown as { FS: { lookupPath(path: string): { node: MountedNode } } }
  const { stream_ops } = FS.lookupPath('/pglite/data').node.mount.type
  stream_ops.fsync = ({ nfd }) => {
    fdatasyncSync(nfd)
    return 0
  }
}

/** Emscripten's view of a file: where it is mounted, and what can be done with its streams. */
interface MountedNode {
  readonly mount: { readonly type: { readonly stream_ops: { fsync?: (stream: { readonly nfd: number }) => number } } }
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
