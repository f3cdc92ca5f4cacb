import { createHash, randomUUID } from 'node:crypto'
import { access, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Blobs } from './port.ts'

/** Keeps blobs as files named by their hash, two directory levels deep. */
export async function openDiskBlobs(directory: string): Promise<Blobs> {
  await mkdir(directory, { recursive: true })
  const pathOf = (key: string) => join(directory, key.slice(0, 2), key.slice(2, 4), key)
  return {
    async put(bytes) {
      const key = createHash('sha256').update(bytes).digest('hex')
      const path = pathOf(key)
      if (!(await exists(path))) await writeDurably(path, bytes)
      return key
    },
    async get(key) {
      if (!/^[0-9a-f]{64}$/.test(key)) return undefined
      return readFile(pathOf(key)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined
        throw error
      })
    },
    async close() {},
  }
}

/** A reader sees all of the file or none of it: it is written aside, synced, and renamed. */
async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const aside = `${path}.${randomUUID()}`
  try {
    const file = await open(aside, 'wx')
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(aside, path)
    await syncDirectory(dirname(path))
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  await directory.sync().finally(() => directory.close())
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )
