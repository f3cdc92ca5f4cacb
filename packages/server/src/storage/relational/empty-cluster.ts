import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { syncDirectory } from './pglite-durability.ts'

/**
 * Puts the empty cluster that was built beside the server at `directory`, complete or not at all. Creating one anew
 * (initdb in WebAssembly) takes 770 MB of memory for a moment, and ten times as long; that is left to PGlite where the
 * server runs from its sources.
 */
export function createCluster(directory: string): void {
  const source = findEmptyCluster()
  if (source === undefined || (existsSync(directory) && readdirSync(directory).length > 0)) return
  const aside = `${directory}.new`
  rmSync(aside, { recursive: true, force: true })
  const folders: string[] = JSON.parse(readFileSync(join(source, 'folders.json'), 'utf8'))
  for (const folder of ['.', ...folders]) {
    mkdirSync(join(aside, folder), { recursive: true, mode: 0o700 })
  }
  for (const folder of ['.', ...folders]) copyFiles(join(source, 'files', folder), join(aside, folder))
  syncDirectory(aside)
  rmSync(directory, { recursive: true, force: true })
  renameSync(aside, directory)
  syncDirectory(dirname(directory), { isDeep: false })
}

/** A package does not keep empty folders, so a folder of the list may be missing in the source. */
function copyFiles(from: string, to: string): void {
  if (!existsSync(from)) return
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (!entry.isFile()) continue
    copyFileSync(join(from, entry.name), join(to, entry.name))
    chmodSync(join(to, entry.name), 0o600)
  }
}

/** Made by the build; the bundle may be one folder deeper. */
function findEmptyCluster(): string | undefined {
  const places = ['./empty-cluster', '../empty-cluster'].map((path) => fileURLToPath(new URL(path, import.meta.url)))
  return places.find((path) => existsSync(join(path, 'folders.json')))
}
