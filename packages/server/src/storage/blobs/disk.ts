import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findSetAside, listBlobs, listLeftovers, type RemovalOptions, removeFile } from './blob-files.ts'
import type { Blobs } from './port.ts'

export interface DiskBlobsOptions extends RemovalOptions {
  /** Milliseconds since 1970. @default Date.now */
  readonly clock?: () => number
}

/**
 * Stores blobs as files named by their hash, two directory levels deep. The modification time of a file is the time of
 * its last put or touch.
 */
export async function openDiskBlobs(directory: string, options: DiskBlobsOptions = {}): Promise<Blobs> {
  const { clock = Date.now } = options
  await mkdir(directory, { recursive: true })
  const pathOf = (key: string) => join(directory, key.slice(0, 2), key.slice(2, 4), key)
  const holds = new RemovalHolds()

  async function touch(key: string): Promise<boolean> {
    if (!isKey(key)) return false
    const now = new Date(clock())
    return isPresent(utimes(pathOf(key), now, now))
  }

  return {
    touch,
    async put(bytes) {
      const key = createHash('sha256').update(bytes).digest('hex')
      // One call that finds and touches the file: between two calls a removal could remove it.
      if (!(await touch(key))) await writeDurably(pathOf(key), bytes, new Date(clock()))
      return key
    },
    async get(key) {
      if (!isKey(key)) return undefined
      return (await read(pathOf(key))) ?? (await readSetAside(pathOf(key))) ?? read(pathOf(key))
    },
    has: async (key) => isKey(key) && isPresent(stat(pathOf(key))),
    list: () => listBlobs(directory),
    async remove(key, notSinceMs) {
      if (!isKey(key)) return false
      return holds.unlessHeld(() => removeFile(pathOf(key), notSinceMs, options))
    },
    async removeLeftovers(beforeMs) {
      let removed = 0
      for await (const { path, lastPutMs } of listLeftovers(directory)) {
        if (lastPutMs >= beforeMs) continue
        await rm(path, { force: true })
        removed++
      }
      return removed
    },
    holdRemovals: () => holds.hold(),
    async close() {},
  }
}

const isKey = (key: string) => /^[0-9a-f]{64}$/.test(key)

/** Writes to another name, syncs, and renames, so that readers see all of the file or none of it. */
async function writeDurably(path: string, bytes: Uint8Array, now: Date): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const temporary = `${path}.${randomUUID()}`
  try {
    const file = await open(temporary, 'wx')
    try {
      await file.writeFile(bytes)
      await file.utimes(now, now)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
    await syncDirectory(dirname(path))
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  await directory.sync().finally(() => directory.close())
}

function read(path: string): Promise<Buffer | undefined> {
  return unlessMissing(readFile(path))
}

/** A removal may yet put the file back; until then its bytes are under another name. */
async function readSetAside(path: string): Promise<Buffer | undefined> {
  const names = (await unlessMissing(readdir(dirname(path)))) ?? []
  const aside = findSetAside(path, names)
  return aside === undefined ? undefined : read(aside)
}

const isPresent = async (work: Promise<unknown>) => (await unlessMissing(work.then(() => true))) ?? false

async function unlessMissing<Result>(work: Promise<Result>): Promise<Result | undefined> {
  return work.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}

/** Holds back the removals of this process. */
class RemovalHolds {
  readonly #holders = new Set<object>()
  readonly #underWay = new Set<Promise<unknown>>()

  /** Settles once no removal is running. @returns a function that ends this hold */
  async hold(): Promise<() => void> {
    const holder = {}
    this.#holders.add(holder)
    await Promise.allSettled(this.#underWay)
    return () => void this.#holders.delete(holder)
  }

  /** Runs the work and returns its result, or false during a hold. */
  async unlessHeld(work: () => Promise<boolean>): Promise<boolean> {
    if (this.#holders.size > 0) return false
    const running = work()
    this.#underWay.add(running)
    try {
      return await running
    } finally {
      this.#underWay.delete(running)
    }
  }
}
