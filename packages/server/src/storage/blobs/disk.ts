import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder } from '../make-folder.ts'
import { findSetAside, listBlobs, listLeftovers, type RemovalOptions, removeFile } from './blob-files.ts'
import { type Blobs, type ByteRange, isBlobKey, type OpenBlob, resolveRange } from './port.ts'
import { RemovalHolds } from './removal-holds.ts'

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
    if (!isBlobKey(key)) return false
    const now = new Date(clock())
    return isPresent(utimes(pathOf(key), now, now))
  }

  async function openFile(key: string): Promise<FileHandle | undefined> {
    if (!isBlobKey(key)) return undefined
    return (await openPresent(pathOf(key))) ?? (await openSetAside(pathOf(key))) ?? openPresent(pathOf(key))
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
      const file = await openFile(key)
      return file?.readFile().finally(() => file.close())
    },
    async open(key, range) {
      const file = await openFile(key)
      return file && openRange(file, range)
    },
    has: async (key) => isBlobKey(key) && isPresent(stat(pathOf(key))),
    list: () => listBlobs(directory),
    async remove(key, notSinceMs) {
      if (!isBlobKey(key)) return false
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

/** Writes to another name, syncs, and renames, so that readers see all of the file or none of it. */
async function writeDurably(path: string, bytes: Uint8Array, now: Date): Promise<void> {
  await makeFolder(dirname(path))
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

const openPresent = (path: string) => unlessMissing(open(path, 'r'))

/** A removal may yet put the file back; until then its bytes are under another name. */
async function openSetAside(path: string): Promise<FileHandle | undefined> {
  const names = (await unlessMissing(readdir(dirname(path)))) ?? []
  const aside = findSetAside(path, names)
  return aside === undefined ? undefined : openPresent(aside)
}

async function openRange(file: FileHandle, range: ByteRange | undefined): Promise<OpenBlob> {
  try {
    const { size } = await file.stat()
    const { first, last } = resolveRange(range, size)
    // Of an empty blob, `end` would be before `start`; reading to the end closes the file as well.
    const bytes = file.createReadStream({ start: first, ...(last >= first && { end: last }) })
    return { size, first, last, bytes }
  } catch (error) {
    await file.close()
    throw error
  }
}

const isPresent = async (work: Promise<unknown>) => (await unlessMissing(work.then(() => true))) ?? false

async function unlessMissing<Result>(work: Promise<Result>): Promise<Result | undefined> {
  return work.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}
