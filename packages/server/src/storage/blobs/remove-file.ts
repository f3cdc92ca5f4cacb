import { randomUUID } from 'node:crypto'
import { link, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SET_ASIDE, setAsideOf } from './list-files.ts'

export interface RemovalOptions {
  /** Runs when a file has been renamed and nothing is decided yet; for tests of races. */
  readonly afterSetAside?: () => Promise<void>
}

/**
 * Removes a file unless its modification time is at or after a moment. Several processes may put and remove at once, so
 * the file is renamed first: a put that comes later does not find it and writes it anew, and one that came before has
 * left its time on the renamed file, which is put back then.
 *
 * A process that dies in between leaves the renamed file; readers find it, and the next call for the path goes on with it.
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
  if (modified !== undefined && !(await done(rename(path, aside), 'ENOENT'))) return false
  await afterSetAside?.()
  const now = await modifiedMs(aside)
  if (now === undefined) return false
  const isTouched = now >= notSinceMs
  if (isTouched) await done(link(aside, path), 'EEXIST')
  await rm(aside, { force: true })
  return !isTouched
}

async function findAside(path: string): Promise<string | undefined> {
  const names = await readdir(dirname(path)).catch(() => [])
  return setAsideOf(path, names)
}

async function modifiedMs(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** @returns false when it failed with a code that is expected */
async function done(work: Promise<unknown>, expected: string): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === expected) return false
    throw error
  }
}
