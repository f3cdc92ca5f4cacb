import { link, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { copyPrivately, inParallel, listTree, makeFolders, unlessGone } from './files.ts'

/** A blob is named by the SHA-256 of its content; files still being written have longer names. */
const BLOB = /^[0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{64}$/

/**
 * Copies all blobs. One that an earlier backup on the same file system holds is linked to, so that it takes no space
 * again.
 *
 * @param earlier  the blobs of an earlier backup
 * @param onFile   told the bytes of each file
 * @returns paths of those that were linked
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
    return false // it is new, or the file system knows no links
  }
}

/** The checksum that a blob's name is. */
export const checksumOfBlob = (path: string): string => basename(path)
