import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { StoredBlob } from './port.ts'

/** Ends the name of a file that a removal has taken away and not yet deleted. */
export const SET_ASIDE = '.removing'

/** Files looked at side by side. */
const AT_ONCE = 8

const KEY_LENGTH = 64

/** Every blob below a directory once, in ascending order of keys, a first-level directory at a time. */
export async function* listBlobs(directory: string): AsyncGenerator<readonly StoredBlob[]> {
  for await (const paths of filesBelow(directory)) {
    const found = await atOnce(paths.filter(isBlob), async (path): Promise<StoredBlob | undefined> => {
      const facts = await statIfThere(path)
      const key = basename(path).slice(0, KEY_LENGTH)
      return facts && { key, size: facts.size, lastPutMs: facts.mtimeMs }
    })
    // A file that was set aside stands under the same key as one that was put again.
    const byKey = new Map(found.filter((one) => one !== undefined).map((one) => [one.key, one]))
    if (byKey.size > 0) yield [...byKey.values()].sort((one, other) => (one.key < other.key ? -1 : 1))
  }
}

/** Files that were being written when their process died. */
export async function* leftoversIn(directory: string): AsyncGenerator<{ path: string; lastPutMs: number }> {
  for await (const paths of filesBelow(directory)) {
    for (const path of paths.filter((path) => !isBlob(path))) {
      const facts = await statIfThere(path)
      if (facts) yield { path, lastPutMs: facts.mtimeMs }
    }
  }
}

/** Path of a file that a removal took away from a path, among the names in its directory. */
export function setAsideOf(path: string, names: readonly string[]): string | undefined {
  const key = basename(path)
  const name = names.find((one) => one.startsWith(`${key}.`) && one.endsWith(SET_ASIDE))
  return name === undefined ? undefined : join(dirname(path), name)
}

function isBlob(path: string): boolean {
  const name = basename(path)
  return name.length === KEY_LENGTH || name.endsWith(SET_ASIDE)
}

/** Paths of all files, those of a first-level directory at a time. */
async function* filesBelow(directory: string): AsyncGenerator<string[]> {
  for (const first of await directoriesIn(directory)) {
    const seconds = (await directoriesIn(join(directory, first))).map((second) => join(directory, first, second))
    const names = await atOnce(seconds, (second) => namesIn(second))
    yield names.flatMap((inside, at) => inside.map((name) => join(seconds[at]!, name)))
  }
}

const directoriesIn = async (path: string) => (await namesIn(path)).filter((name) => /^[0-9a-f]{2}$/.test(name)).sort()

const namesIn = (path: string) => readdir(path).catch(unlessMissing<string[]>([]))

const statIfThere = (path: string) => stat(path).catch(unlessMissing(undefined))

function unlessMissing<Otherwise>(otherwise: Otherwise) {
  return (error: NodeJS.ErrnoException): Otherwise => {
    if (error.code === 'ENOENT') return otherwise
    throw error
  }
}

async function atOnce<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = new Array(items.length)
  let next = 0
  const worker = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at]!)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return results
}
