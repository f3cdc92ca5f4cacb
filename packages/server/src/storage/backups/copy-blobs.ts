import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { link, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Blobs, StoredBlob } from '../blobs/port.ts'
import { BackupError, copyPrivately, inParallel, listTree, makeFolders, toFolders, unlessGone } from './files.ts'

/** The name of a blob is the SHA-256 of its content; files that are still being written have longer names. */
const BLOB = /^[0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{64}$/

/**
 * Copies all blobs. A blob of an earlier backup on the same file system is linked, so that it takes no more space.
 *
 * @param earlier  the blobs of an earlier backup
 * @param onFile   called with the bytes of each file
 * @returns paths of the linked blobs
 */
export async function copyBlobs(
  from: string,
  to: string,
  earlier: string | undefined,
  onFile: (bytes: number) => void,
): Promise<Set<string>> {
  const { files, directories } = await listTree(from)
  await makeFolders(to, ['', ...directories])
  const linked = new Set<string>()
  const blobs = files.filter((path) => BLOB.test(path))
  await inParallel(blobs, async (path) => {
    const found = await stat(join(from, path)).catch(unlessGone)
    if (found === undefined) return
    if (earlier !== undefined && (await linkTo(join(earlier, path), join(to, path), found.size))) linked.add(path)
    else await copyPrivately(join(from, path), join(to, path)).catch(unlessGone)
    onFile(found.size)
  })
  return linked
}

async function linkTo(earlier: string, to: string, bytes: number): Promise<boolean> {
  try {
    if ((await stat(earlier)).size !== bytes) return false
    await link(earlier, to)
    return true
  } catch {
    return false // the blob is new, or the file system has no links
  }
}

/** Returns the checksum of a blob from its name. */
export const toChecksum = (path: string): string => basename(path)

/** Path of a blob in a backup, the same as below a data directory. */
const toPath = (key: string) => `${key.slice(0, 2)}/${key.slice(2, 4)}/${key}`

/** Bytes of all blobs of a store. */
export async function sizeOfBlobs(blobs: Pick<Blobs, 'list'>): Promise<number> {
  let bytes = 0
  for await (const some of blobs.list()) for (const { size } of some) bytes += size
  return bytes
}

/** Like `copyBlobs`, from a store that is not a folder, such as S3. */
export async function downloadBlobs(
  blobs: Pick<Blobs, 'list' | 'open'>,
  to: string,
  earlier: string | undefined,
  onFile: (bytes: number) => void,
): Promise<Set<string>> {
  const linked = new Set<string>()
  await makeFolders(to, [''])
  const download = async ({ key, size }: StoredBlob) => {
    const path = toPath(key)
    if (earlier !== undefined && (await linkTo(join(earlier, path), join(to, path), size))) linked.add(path)
    else {
      const blob = await blobs.open(key)
      // Touchstone removes nothing meanwhile, so another program deleted it.
      if (blob === undefined) return
      await pipeline(blob.bytes, createWriteStream(join(to, path), { mode: 0o600 }))
    }
    onFile(size)
  }
  for await (const some of blobs.list()) {
    await makeFolders(to, toFolders(some.map(({ key }) => toPath(key))))
    await inParallel(some, download)
  }
  return linked
}

/**
 * Puts the blobs of a folder into a store.
 *
 * @throws BackupError when the store has other bytes than the folder
 */
export async function uploadBlobs(from: string, blobs: Pick<Blobs, 'put' | 'open'>): Promise<void> {
  const { files } = await listTree(from)
  await inParallel(
    files.filter((path) => BLOB.test(path)),
    async (path) => {
      const key = await blobs.put(await readFile(join(from, path)))
      const stored = await blobs.open(key)
      const found = stored && (await hash(stored.bytes))
      if (key === basename(path) && found === key) return
      throw new BackupError(
        'failed',
        `The object store returned other bytes than were put for ${path}. Repeat the restore.`,
      )
    },
  )
}

async function hash(bytes: Readable): Promise<string> {
  const found = createHash('sha256')
  for await (const chunk of bytes) found.update(chunk as Buffer)
  return found.digest('hex')
}
