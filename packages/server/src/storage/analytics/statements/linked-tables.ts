import { constants, copyFileSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { columns, list, text as string } from '../../rows.ts'
import type { Analytics } from '../port.ts'
import { literal, sql, text } from '../sql.ts'

/** A table of another engine: the statement that creates it, and the folders of its parts, which never change. */
export interface SourceTable {
  readonly name: string
  readonly create: string
  readonly parts: readonly SourcePart[]
}

export interface SourcePart {
  readonly name: string
  readonly path: string
}

/** A part was removed since it was listed: list the parts again. */
export class PartGoneError extends Error {
  override readonly name = 'PartGoneError'
}

/** No part is small enough to be merged, so that the engine reads the parts as they are. */
const NO_MERGES = 'max_bytes_to_merge_at_max_space_in_pool = 1, max_bytes_to_merge_at_min_space_in_pool = 1'

/**
 * Tables of this engine whose parts are hard links to those of another engine. Only the differences to the last time are
 * linked, and files are not copied where the file system has links.
 */
export class LinkedTables {
  /** Name → the statement of its source, and the folder of its parts. */
  readonly #tables = new Map<string, { readonly create: string; readonly directory: string }>()

  constructor(private readonly engine: Pick<Analytics, 'query' | 'command'>) {}

  /**
   * Makes a table equal to its source, and creates it when it is missing or was altered.
   *
   * @throws PartGoneError
   */
  async update({ name, create, parts }: SourceTable): Promise<void> {
    const directory = await this.#open(name, create)
    const wanted = new Map(parts.map((part) => [part.name, part.path]))
    const present = readdirSync(directory).filter((entry) => IS_PART.test(entry))
    const gone = present.filter((part) => !wanted.has(part))
    const missing = parts.filter((part) => !present.includes(part.name))
    if (gone.length === 0 && missing.length === 0) return
    // Links are made below a name that the engine does not read, so that it never sees a part of a part.
    for (const part of missing) linkPart(part.path, join(directory, `${LINKING}${part.name}`))
    await this.engine.command(literal(`detach table ${name}`))
    for (const part of gone) rmSync(join(directory, part), { recursive: true, force: true })
    for (const part of missing) renameSync(join(directory, `${LINKING}${part.name}`), join(directory, part.name))
    await this.engine.command(literal(`attach table ${name}`))
  }

  async #open(name: string, create: string): Promise<string> {
    const known = this.#tables.get(name)
    if (known?.create === create) return known.directory
    await this.engine.command(literal(`drop table if exists ${name} sync`))
    const separator = /\bSETTINGS\b/.test(create) ? ', ' : ' SETTINGS '
    await this.engine.command(literal(`${create}${separator}${NO_MERGES}`))
    const [table] = await this.engine.query(
      sql`select data_paths from system.tables where database = currentDatabase() and name = ${text(name)}`,
      columns({ data_paths: list(string) }),
    )
    const directory = table?.data_paths[0]
    if (directory === undefined) throw new Error(`the table ${name} has no folder`)
    this.#tables.set(name, { create, directory })
    return directory
  }
}

/** `all_1_6_1`, `all_1_6_1_12`. */
const IS_PART = /^[^_]+_\d+_\d+_\d+(?:_\d+)?$/
const LINKING = 'tmp_link_'

function linkPart(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  try {
    linkFolder(from, to)
  } catch (error) {
    rmSync(to, { recursive: true, force: true })
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? new PartGoneError(from, { cause: error }) : error
  }
}

function linkFolder(from: string, to: string): void {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) linkFolder(source, target)
    else linkFile(source, target)
  }
}

/** File systems without hard links, or with too many of one file. */
const CANNOT_LINK = new Set(['EPERM', 'EXDEV', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

function linkFile(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    if (!CANNOT_LINK.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    copyFileSync(from, to, constants.COPYFILE_FICLONE)
  }
}
