import { randomUUID } from 'node:crypto'
import { link, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { StoredBlob } from './port.ts'

/** Suffix of a file that a removal has renamed and not yet deleted. */
export const SET_ASIDE = '.removing'

/** Number of files that are read in parallel. */
const PARALLEL_FILES = 8

const KEY_LENGTH = 64

/** Yields every blob below a directory once, in ascending order of keys, one first-level directory at a time. */
export async function* listBlobs(directory: string): AsyncGenerator<readonly StoredBlob[]> {
  for await (const paths of listFilesByDirectory(directory)) {
    const found = await mapInParallel(paths.filter(isBlob), async (path): Promise<StoredBlob | undefined> => {
      const facts = await statIfPresent(path)
      const key = basename(path).slice(0, KEY_LENGTH)
      return facts && { key, size: facts.size, lastPutMs: facts.mtimeMs }
    })
    // A file that was set aside has the same key as a blob that was put again.
    const byKey = new Map(found.filter((one) => one !== undefined).map((one) => [one.key, one]))
    if (byKey.size > 0) yield [...byKey.values()].sort((one, other) => (one.key < other.key ? -1 : 1))
  }
}

/** Yields files whose writing was interrupted. */
export async function* listLeftovers(directory: string): AsyncGenerator<{ path: string; lastPutMs: number }> {
  for await (const paths of listFilesByDirectory(directory)) {
    for (const path of paths.filter((path) => !isBlob(path))) {
      const facts = await statIfPresent(path)
      if (facts) yield { path, lastPutMs: facts.mtimeMs }
    }
  }
}

/** Finds the path of a file that a removal renamed, among the names in its directory. */
export function findSetAside(path: string, names: readonly string[]): string | undefined {
  const key = basename(path)
  const name = names.find((one) => one.startsWith(`${key}.`) && one.endsWith(SET_ASIDE))
  return name === undefined ? undefined : join(dirname(path), name)
}

function isBlob(path: string): boolean {
  const name = basename(path)
  return name.length === KEY_LENGTH || name.endsWith(SET_ASIDE)
}

/** Yields the paths of all files, one first-level directory at a time. */
async function* listFilesByDirectory(directory: string): AsyncGenerator<string[]> {
  for (const first of await listDirectories(directory)) {
    const seconds = (await listDirectories(join(directory, first))).map((second) => join(directory, first, second))
    const paths = await mapInParallel(seconds, async (second) =>
      (await listNames(second)).map((name) => join(second, name)),
    )
    yield paths.flat()
  }
}

const listDirectories = async (path: string) =>
  (await listNames(path)).filter((name) => /^[0-9a-f]{2}$/.test(name)).sort()

const listNames = (path: string) => readdir(path).catch(unlessMissing<string[]>([]))

const statIfPresent = (path: string) => stat(path).catch(unlessMissing(undefined))

function unlessMissing<Otherwise>(otherwise: Otherwise) {
  return (error: NodeJS.ErrnoException): Otherwise => {
    if (error.code === 'ENOENT') return otherwise
    throw error
  }
}

async function mapInParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length)
  const queue = items.entries()
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: PARALLEL_FILES }, worker))
  return results
}

export interface RemovalOptions {
  /** Called when a file has been renamed and nothing is decided yet; for tests of races. */
  readonly afterSetAside?: () => Promise<void>
}

/**
 * Removes a file unless its modification time is at or after a moment. Several processes may put and remove at once, so
 * the file is renamed first: a later put does not find it and writes it again; an earlier put has changed the time of
 * the renamed file, which is put back then.
 *
 * A process that crashes in between leaves the renamed file; readers find it, and the next call for the path continues.
 *
 * @returns whether it was removed
 */
export async function removeFile(
  path: string,
  notSinceMs: number,
  { afterSetAside }: RemovalOptions,
): Promise<boolean> {
  const modified = await modifiedMs(path)
  if (modified !== undefined && modified >= notSinceMs) return false
  const aside = modified === undefined ? await findAside(path) : `${path}.${randomUUID()}${SET_ASIDE}`
  if (aside === undefined) return false
  if (modified !== undefined && !(await succeeds(rename(path, aside), 'ENOENT'))) return false
  await afterSetAside?.()
  const now = await modifiedMs(aside)
  if (now === undefined) return false
  const isTouched = now >= notSinceMs
  if (isTouched) await succeeds(link(aside, path), 'EEXIST')
  await rm(aside, { force: true })
  return !isTouched
}

async function findAside(path: string): Promise<string | undefined> {
  const names = await readdir(dirname(path)).catch(() => [])
  return findSetAside(path, names)
}

async function modifiedMs(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** @returns false when it failed with the expected code */
async function succeeds(work: Promise<unknown>, expected: string): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === expected) return false
    throw error
  }
}
