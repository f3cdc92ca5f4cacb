import {
  closeSync,
  type Dirent,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** An embedded store; the name is that of its folder in the data directory. */
export type EmbeddedStore = 'relational' | 'analytics'

/** Content of a store's folder: hundreds of small files are read faster, and packaged more safely, as one. */
interface Listing {
  readonly folders: readonly string[]
  /** Symbolic links with their relative targets. */
  readonly links: readonly (readonly [path: string, target: string])[]
  /** In the order of their content in the file of contents. */
  readonly files: readonly (readonly [path: string, bytes: number])[]
}

/** Packs a closed store of a data directory into a folder of the build, for `unpackPreparedStore`. */
export function packStore(store: EmbeddedStore, dataDir: string, build: string): void {
  const from = join(dataDir, store)
  const entries = listEntries(from)
  const list = (isWanted: (entry: Dirent) => boolean) =>
    entries
      .filter(isWanted)
      .map((entry) => join(entry.parentPath, entry.name).slice(from.length + 1))
      .sort()
  const files = list((entry) => entry.isFile()).map((path) => [path, readFileSync(join(from, path))] as const)
  const listing: Listing = {
    folders: list((entry) => entry.isDirectory()),
    links: list((entry) => entry.isSymbolicLink()).map((path) => [path, readlinkSync(join(from, path))]),
    files: files.map(([path, content]) => [path, content.length]),
  }
  mkdirSync(build, { recursive: true })
  writeFileSync(join(build, `${store}.json`), JSON.stringify(listing))
  writeFileSync(join(build, `${store}.bin`), Buffer.concat(files.map(([, content]) => content)))
}

/** Lists everything below a directory. `readdirSync` follows symbolic links since Node 22, and Node 20 does not. */
export function listEntries(directory: string): Dirent[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry, ...listEntries(join(directory, entry.name))] : [entry],
  )
}

/**
 * Unpacks a store that the build prepared to `directory`, completely or not at all; does nothing where `directory` has
 * content or is a mounted volume or a symbolic link, or where the server runs from its sources. To create the stores and
 * their tables takes several seconds, and 770 MB of memory for the embedded PostgreSQL (initdb in WebAssembly).
 *
 * @returns whether it was unpacked
 */
export async function unpackPreparedStore(store: EmbeddedStore, directory: string): Promise<boolean> {
  const build = findBuild()
  if (build === undefined || !removeEmpty(directory)) return false
  const aside = `${directory}.new`
  rmSync(aside, { recursive: true, force: true })
  await unpackStore(store, build, aside)
  renameSync(aside, directory)
  syncPath(dirname(directory))
  return true
}

/**
 * Removes an empty directory.
 *
 * @returns false when it has content, or cannot be replaced by another one: a mounted volume, a symbolic link
 */
function removeEmpty(directory: string): boolean {
  const found = lstatSync(directory, { throwIfNoEntry: false })
  if (found === undefined) return true
  if (!found.isDirectory()) return false
  try {
    rmdirSync(directory)
    return true
  } catch {
    return false
  }
}

/** Unpacks a store to a directory that does not exist yet, and syncs it to disk. */
export async function unpackStore(store: EmbeddedStore, build: string, to: string): Promise<void> {
  const { folders, links, files }: Listing = JSON.parse(readFileSync(join(build, `${store}.json`), 'utf8'))
  const content = readFileSync(join(build, `${store}.bin`))
  for (const folder of ['.', ...folders]) mkdirSync(join(to, folder), { recursive: true, mode: 0o700 })
  let end = 0
  // A disk syncs many files at once in less time than one after the other.
  await Promise.all(
    files.map(([path, bytes]) => {
      end += bytes
      return writeFile(join(to, path), content.subarray(end - bytes, end), { mode: 0o600, flush: true })
    }),
  )
  for (const [path, target] of links) symlinkSync(target, join(to, path))
  for (const folder of [...folders, '.']) syncPath(join(to, folder))
}

/** The build makes it; the bundle may be one folder deeper. */
function findBuild(): string | undefined {
  const places = ['./prepared', '../prepared'].map((path) => fileURLToPath(new URL(path, import.meta.url)))
  return places.find((path) => existsSync(path))
}

/** Syncs a directory with everything below it to disk: a new database is written before its syncs are forwarded. */
export function syncDirectory(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) syncDirectory(path)
    else if (entry.isFile()) syncPath(path)
  }
  syncPath(directory)
}

export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
