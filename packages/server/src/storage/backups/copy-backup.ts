import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { STORES } from './create-backup.ts'
import { copyPrivately, inParallel, makeFolders } from './files.ts'
import type { Manifest } from './manifest.ts'

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
