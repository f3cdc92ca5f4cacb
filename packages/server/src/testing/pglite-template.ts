import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { unpackStore } from '../storage/data-dir/prepared-data.ts'
import { dumpPglite, openPgliteInMemory } from '../storage/relational/pglite.ts'
import type { Relational } from '../storage/relational/port.ts'

const PLACE = 'TOUCHSTONE_TEST_PGLITE'
/** Folder of the stores that a build has prepared; `npm test` sets it to those of its own build. */
const PREPARED = 'TOUCHSTONE_TEST_PREPARED'

/** Creates, before all tests, the database that each of them copies. */
export default async function makeTemplate() {
  // Projects share the process of their set-up, and so the file.
  if (process.env[PLACE] !== undefined) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-pglite-'))
  if (process.env[PREPARED] === undefined) prepareInOwnProcess(folder)
  process.env[PREPARED] ??= folder
  await unpackStore('relational', process.env[PREPARED], join(folder, 'cluster'))
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
  template ??= readTemplate()
  return openPgliteInMemory({ ...(await loadEngine()), ...(await template) })
}

let template: Promise<PGliteOptions> | undefined

async function readTemplate(): Promise<PGliteOptions> {
  const place = process.env[PLACE]
  return place === undefined ? {} : { loadDataDir: new Blob([await readFile(place)]) }
}

/** An empty cluster in memory: the database of a server that has not opened it yet. */
export async function openEmptyCluster(): Promise<PGlite> {
  const engine = await loadEngine()
  cluster ??= dumpNewCluster(engine)
  return PGlite.create('memory://', { ...engine, loadDataDir: await cluster })
}

let cluster: Promise<Blob> | undefined

async function dumpNewCluster(engine: PGliteOptions): Promise<Blob> {
  const client = await PGlite.create('memory://', engine)
  const dump = await client.dumpDataDir('none')
  await client.close()
  return dump
}

/** Fills a directory with the cluster that `openPglite` would create there, which takes it several seconds. */
export async function unpackEmptyPglite(directory: string): Promise<void> {
  const prepared = process.env[PREPARED]
  if (prepared !== undefined) await unpackStore('relational', prepared, directory)
}

/** Node's types do not declare it. */
declare const WebAssembly: { compile(program: Uint8Array): Promise<object> }

let engine: Promise<PGliteOptions> | undefined

/** Reads and compiles the engine once for all databases of this process: that is a quarter of opening one. */
function loadEngine(): Promise<PGliteOptions> {
  engine ??= readEngine()
  return engine
}

async function readEngine(): Promise<PGliteOptions> {
  const folder = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'))
  const [program, files] = await Promise.all(['pglite.wasm', 'pglite.data'].map((name) => readFile(join(folder, name))))
  return { pgliteWasmModule: await WebAssembly.compile(program!), fsBundle: new Blob([files!]) }
}
