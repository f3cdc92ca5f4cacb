import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { copyPrivately, inParallel, listTree, makeFolders, sizeOfFiles, toFolders } from './files.ts'

/**
 * Lays the folder of the embedded column store out anew: tables' definitions from the folder itself, rows from the frozen
 * tables below `shadow/<name>`.
 *
 * @param onFile  told the bytes of each file that was copied
 * @returns stored rows by table
 */
export async function copyAnalytics(
  from: string,
  name: string,
  to: string,
  onFile: (bytes: number) => void,
): Promise<Record<string, number>> {
  const definitions = await listDefinitions(from)
  await makeFolders(to, [
    'tmp',
    'metadata',
    'data',
    'store',
    ...definitions.directories,
    ...toFolders(definitions.files),
  ])
  await inParallel(definitions.files, (path) => copyPrivately(join(from, path), join(to, path)))
  await makeFolders(to, toFolders(definitions.links.map(({ path }) => path)))
  for (const { path, target } of definitions.links) await symlink(target, join(to, path))

  const frozen = join(from, 'shadow', name)
  const parts = await listTree(frozen)
  if (parts.files.length === 0) throw new Error(`The column store froze no table below ${frozen}.`)
  await makeFolders(to, parts.directories)
  await inParallel(parts.files, async (path) => {
    await copyPrivately(join(frozen, path), join(to, path))
    onFile(await sizeOfFiles(to, [path]))
  })
  return countRows(frozen, parts.files, definitions.links)
}

/** Everything but rows, work in progress and earlier frozen tables. */
async function listDefinitions(from: string) {
  const { files, directories, links } = await listTree(from)
  return {
    files: files.filter((path) => /^store\/\w+\/[\w-]+\/([^/]+\.sql|format_version\.txt)$/.test(path)),
    directories: directories.filter((path) => /^(data\/\w+|store\/\w+\/[\w-]+\/detached)$/.test(path)),
    links: links.filter(({ path }) => /^(metadata|data\/\w+)\/[^/]+$/.test(path)).map(toRelativeLink),
  }
}

/** Tools that copy a data directory may write links that name the old place in full; a backup can be put anywhere. */
function toRelativeLink({ path, target }: { readonly path: string; readonly target: string }) {
  const inStore = /(?:^|\/)(store\/\w+\/[\w-]+)\/?$/.exec(target)?.[1]
  return { path, target: inStore === undefined ? target : '../'.repeat(path.split('/').length - 1) + inStore }
}

/** Each part says in `count.txt` how many rows it has. */
async function countRows(
  frozen: string,
  files: readonly string[],
  links: readonly { readonly path: string; readonly target: string }[],
): Promise<Record<string, number>> {
  const tables = new Map<string, string>()
  for (const { path, target } of links) {
    const table = /^data\/default\/([^/]+)$/.exec(path)?.[1]
    if (table !== undefined) tables.set(target.replace(/^(\.\.\/)+/, ''), table)
  }
  const rows: Record<string, number> = {}
  for (const table of [...tables.values()].toSorted()) rows[table] = 0
  await inParallel(
    files.filter((path) => /^store\/[^/]+\/[^/]+\/[^/]+\/count\.txt$/.test(path)),
    async (path) => {
      const table = tables.get(path.split('/').slice(0, 3).join('/'))
      const count = Number(await readFile(join(frozen, path), 'utf8')) // awaited first: others add meanwhile
      if (table !== undefined) rows[table]! += count
    },
  )
  return rows
}
