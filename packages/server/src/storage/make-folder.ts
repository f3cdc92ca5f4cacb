import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a folder with its parents, if it is missing.
 *
 * Node reports a read-only disk as ENOENT when it creates parents too (its `mkdir` looks for the folder that it could not
 * create). Creating the first missing folder alone tells the reason.
 *
 * @throws the error of the file system, such as EROFS or ENOSPC
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await mkdir(await findFirstMissing(path), { mode })
    throw error
  }
}

async function findFirstMissing(path: string): Promise<string> {
  const parent = dirname(path)
  const exists = await stat(parent).then(
    () => true,
    () => false,
  )
  return exists || parent === path ? path : findFirstMissing(parent)
}
