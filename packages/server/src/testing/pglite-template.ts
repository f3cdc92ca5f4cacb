import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unpackStore } from '../storage/data-dir/prepared-data.ts'
import { dumpPglite, openPgliteInMemory } from '../storage/relational/pglite.ts'
import type { Relational } from '../storage/relational/port.ts'

const PLACE = 'TOUCHSTONE_TEST_PGLITE'

/** Creates, before all tests, the database that each of them copies. */
export default async function makeTemplate() {
  // Projects share the process of their set-up, and so the file.
  if (process.env[PLACE] !== undefined) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-pglite-'))
  prepareInOwnProcess(folder)
  await unpackStore('relational', folder, join(folder, 'cluster'))
  const dump = await dumpPglite(join(folder, 'cluster'))
  const place = join(folder, 'empty.tar')
  await writeFile(place, Buffer.from(await dump.arrayBuffer()))
  process.env[PLACE] = place
  return () => rm(folder, { recursive: true, force: true })
}

/** The column store would stay in the memory of this process, which lives as long as the tests. */
function prepareInOwnProcess(folder: string): void {
  const flags = ['--import=tsx', '--conditions=touchstone:source', '--input-type=module']
  const program = `import { prepareData } from './start/prepare-data.ts'\nawait prepareData(${JSON.stringify(folder)})`
  const cwd = fileURLToPath(new URL('../', import.meta.url))
  const { status } = spawnSync(process.execPath, [...flags, '-e', program], { cwd, stdio: 'inherit' })
  if (status !== 0) throw new Error('The database that tests copy could not be prepared; see above.')
}

/**
 * A new, empty database in memory. Its workspace and project have ids of their own: apps of one file share a column
 * store, and workspaces separate them.
 */
export async function openEmptyPglite(): Promise<Relational> {
  const place = process.env[PLACE]
  return openPgliteInMemory(place === undefined ? undefined : new Blob([await readFile(place)]))
}
