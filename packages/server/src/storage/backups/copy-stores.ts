import { type Dirent, statSync } from 'node:fs'
import { mkdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { sql } from 'drizzle-orm'
import { listEntries } from '../data-dir/prepared-data.ts'
import { toRows } from '../relational/migrate.ts'
import type { Database } from '../relational/port.ts'
import { columns, number, text } from '../rows.ts'
import { copyPrivately, inParallel, listTree, makeFolders, sizeOfFiles, toFolders, unlessGone } from './files.ts'

/**
 * Rebuilds the folder of the embedded column store: the definitions of tables from the folder itself, rows from the
 * frozen tables below `shadow/<name>`.
 *
 * @param onFile  called with the bytes of each copied file
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

/** Everything except rows, temporary files and earlier frozen tables. */
async function listDefinitions(from: string) {
  const { files, directories, links } = await listTree(from)
  return {
    files: files.filter((path) => /^store\/\w+\/[\w-]+\/([^/]+\.sql|format_version\.txt)$/.test(path)),
    directories: directories.filter((path) => /^(data\/\w+|store\/\w+\/[\w-]+\/detached)$/.test(path)),
    links: links.filter(({ path }) => /^(metadata|data\/\w+)\/[^/]+$/.test(path)).map(toRelativeLink),
  }
}

/**
 * A tool that copied the data directory may have written links with the absolute old path; a backup can be anywhere.
 */
function toRelativeLink({ path, target }: { readonly path: string; readonly target: string }) {
  const inStore = /(?:^|\/)(store\/\w+\/[\w-]+)\/?$/.exec(target)?.[1]
  return { path, target: inStore === undefined ? target : '../'.repeat(path.split('/').length - 1) + inStore }
}

/** Each part contains its number of rows in `count.txt`. */
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
      const count = Number(await readFile(join(frozen, path), 'utf8')) // awaited first: parallel calls add meanwhile
      if (table !== undefined) rows[table]! += count
    },
  )
  return rows
}

/** Files of a running engine, which creates them when it starts. */
const NOT_COPIED = new Set(['postmaster.pid'])

/** File times have a limited resolution; a file that changed within this time of its copy is copied again. */
const TIME_STEP_MS = 100

/**
 * Copies the folder of the embedded PostgreSQL in two passes: `copyAll` while it works, `copyChanges` while writes
 * wait. The second pass only takes as long as the changes since the first, and leaves the files as if the process had
 * been killed at that moment; PostgreSQL recovers from that by its log.
 */
export class RelationalCopy {
  readonly #from: string
  readonly #to: string
  /** Change times of the files when their copy began. */
  readonly #copied = new Map<string, number>()
  readonly #folders = new Set<string>()

  constructor(from: string, to: string) {
    this.#from = from
    this.#to = to
  }

  /** @param onFile  called with the bytes of each copied file */
  async copyAll(onFile: (bytes: number) => void): Promise<void> {
    await mkdir(this.#to, { recursive: true, mode: 0o700 })
    const { files, directories } = await listTree(this.#from)
    await makeFolders(this.#to, directories)
    for (const path of directories) this.#folders.add(path)
    await inParallel(files, async (path) => onFile(await this.#copy(path)))
  }

  async copyChanges(): Promise<void> {
    // Writes wait meanwhile, so the shared thread pool is used for the changed files only.
    const entries = listEntries(this.#from)
    const pathOf = (entry: Dirent) => relative(this.#from, join(entry.parentPath, entry.name))
    const files = entries.filter((entry) => entry.isFile()).map(pathOf)
    const directories = entries.filter((entry) => entry.isDirectory()).map(pathOf)
    await makeFolders(
      this.#to,
      directories.filter((path) => !this.#folders.has(path)),
    )
    const changed = files.filter((path) => {
      const before = this.#copied.get(path)
      return before === undefined || statSync(join(this.#from, path)).mtimeMs > before
    })
    await inParallel(changed, async (path) => void (await this.#copy(path)))
    const there = new Set(files)
    for (const path of this.#copied.keys()) if (!there.has(path)) await rm(join(this.#to, path), { force: true })
  }

  async #copy(path: string): Promise<number> {
    if (NOT_COPIED.has(path)) return 0
    const begun = Date.now()
    const found = await stat(join(this.#from, path)).catch(unlessGone)
    if (found === undefined) return 0
    await copyPrivately(join(this.#from, path), join(this.#to, path)).catch(unlessGone)
    this.#copied.set(path, Math.min(found.mtimeMs, begun - TIME_STEP_MS))
    return found.size
  }
}

/** Tables larger than this take too long to count while writes wait. */
const MAX_BYTES = 32 * 1024 * 1024

/** Rows by table, without large tables. */
export async function countRelationalRows(tx: Database): Promise<Record<string, number>> {
  const tables = toRows(
    await tx.execute(sql`
      select relname as name
      from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) <= ${MAX_BYTES}
      order by relname`),
    columns({ name: text }),
  )
  if (tables.length === 0) return {}
  const counts = tables.map(
    ({ name }) => sql`select ${name}::text as name, count(*)::int as rows from ${sql.identifier(name)}`,
  )
  const rows = toRows(await tx.execute(sql.join(counts, sql` union all `)), columns({ name: text, rows: number }))
  return Object.fromEntries(rows.map(({ name, rows }) => [name, rows]))
}
