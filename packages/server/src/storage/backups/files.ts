import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { chmod, copyFile, mkdir, open, readdir, readlink, stat, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { STORES } from './create-backup.ts'
import type { Manifest } from './manifest.ts'

/** The content of a folder, as paths relative to it with `/`. */
export interface Tree {
  readonly files: string[]
  readonly directories: string[]
  readonly links: { readonly path: string; readonly target: string }[]
}

/** Lists a folder recursively. Files that vanish meanwhile are left out; a folder that does not exist is empty. */
export async function listTree(root: string): Promise<Tree> {
  const tree: Tree = { files: [], directories: [], links: [] }
  const list = async (folder: string): Promise<void> => {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(unlessGone)
    for (const entry of entries ?? []) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        tree.directories.push(path)
        await list(path)
      } else if (entry.isSymbolicLink()) {
        tree.links.push({ path, target: await readlink(join(root, path)) })
      } else if (entry.isFile()) tree.files.push(path)
    }
  }
  await list('')
  return tree
}

/** Copies a file for its owner alone, sharing its blocks where the file system supports that. */
export async function copyPrivately(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE)
  await chmod(to, 0o600)
}

export async function makeFolders(root: string, folders: Iterable<string>): Promise<void> {
  for (const folder of folders) await mkdir(join(root, folder), { recursive: true, mode: 0o700 })
}

/** Reads a file to its end. @returns its size and the hex SHA-256 of its content */
export async function hashFile(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** Syncs a file or folder to disk. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}

export async function sizeOfFiles(root: string, paths: readonly string[]): Promise<number> {
  let bytes = 0
  await inParallel(paths, async (path) => {
    const found = await stat(join(root, path)).catch(unlessGone)
    bytes += found?.size ?? 0
  })
  return bytes
}

/** Runs `work` for each item, a few at a time. The first failure ends it. */
export async function inParallel<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const queue = items[Symbol.iterator]()
  const worker = async () => {
    for (let next = queue.next(); !next.done; next = queue.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: 6 }, worker))
}

/** For `catch`: undefined for a file that was removed meanwhile; other failures are thrown. */
export function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** Returns the folders of the given files. */
export const toFolders = (paths: readonly string[]): Set<string> => new Set(paths.map((path) => dirname(path)))

/** Copies stores of a backup into an empty folder. */
export async function copyBackup(
  backup: string,
  to: string,
  { files, directories, links }: Manifest,
  stores: readonly (typeof STORES)[number][],
): Promise<void> {
  const isWanted = (path: string) => stores.some((store) => path === store || path.startsWith(`${store}/`))
  await makeFolders(to, directories.filter(isWanted))
  await inParallel(
    files.filter(({ path }) => isWanted(path)),
    ({ path }) => copyPrivately(join(backup, path), join(to, path)),
  )
  for (const { path, target } of links.filter((one) => isWanted(one.path))) await symlink(target, join(to, path))
}

/** A backup cannot be made, verified or restored; the message explains the reason to the operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError'

  constructor(
    readonly kind: 'not_found' | 'not_empty' | 'failed',
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}

/** Converts file system errors about space and permissions into a message; returns other errors unchanged. */
export function toBackupError(error: unknown, directory: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new BackupError('failed', `The disk of ${directory} is full. Free space on it and try again.`, error)
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return new BackupError('failed', `${directory} cannot be written: permission denied. Change its owner.`, error)
  }
  if (code === 'EROFS') return new BackupError('failed', `${directory} is on a file system that is read-only.`, error)
  if (code === 'ENOTDIR' || code === 'EEXIST') {
    return new BackupError('failed', `${directory} is not a folder. Choose another directory.`, error)
  }
  return error
}
