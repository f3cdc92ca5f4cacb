import { type Dirent, readdirSync, statSync } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { sql } from 'drizzle-orm'
import { toRows } from '../relational/migrate.ts'
import type { Database } from '../relational/port.ts'
import { copyPrivately, inParallel, listTree, makeFolders, unlessGone } from './files.ts'

/** Of a running engine only, and made anew when it starts. */
const NOT_COPIED = new Set(['postmaster.pid'])

/** Times of files advance in steps; a file changed within this of its copy is copied once more. */
const TIME_STEP_MS = 100

/**
 * A copy of the folder of the embedded PostgreSQL in two passes: `copyAll` while it works, `copyChanges` while it stands
 * still. The second takes only as long as what was written since the first, and leaves the files as they would be if the
 * process had been killed at that moment, which PostgreSQL recovers from by its log.
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

  /** @param onFile  told the bytes of each file that was copied */
  async copyAll(onFile: (bytes: number) => void): Promise<void> {
    await mkdir(this.#to, { recursive: true, mode: 0o700 })
    const { files, directories } = await listTree(this.#from)
    await makeFolders(this.#to, directories)
    for (const path of directories) this.#folders.add(path)
    await inParallel(files, async (path) => onFile(await this.#copy(path)))
  }

  async copyChanges(): Promise<void> {
    // Writes wait meanwhile, so the thread pool, which others share, is asked for the changed files only.
    const entries = readdirSync(this.#from, { recursive: true, withFileTypes: true })
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

/** Rows by table; large tables are left out. */
export async function countRelationalRows(tx: Database): Promise<Record<string, number>> {
  const tables = toRows<{ name: string }>(
    await tx.execute(sql`
      select relname as name
      from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) <= ${MAX_BYTES}
      order by relname`),
  )
  if (tables.length === 0) return {}
  const counts = tables.map(
    ({ name }) => sql`select ${name}::text as name, count(*)::int as rows from ${sql.identifier(name)}`,
  )
  const rows = toRows<{ name: string; rows: number }>(await tx.execute(sql.join(counts, sql` union all `)))
  return Object.fromEntries(rows.map(({ name, rows }) => [name, rows]))
}
