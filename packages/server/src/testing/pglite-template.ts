import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dumpEmptyPglite, openPgliteInMemory } from '../storage/relational/pglite.ts'
import type { Relational } from '../storage/relational/port.ts'

const PLACE = 'TOUCHSTONE_TEST_PGLITE'

/** Before all tests: creates the database that each of them has a copy of. */
export default async function makeTemplate() {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-pglite-'))
  const place = join(folder, 'empty.tar')
  const dump = await dumpEmptyPglite()
  await writeFile(place, Buffer.from(await dump.arrayBuffer()))
  process.env[PLACE] = place
  return () => rm(folder, { recursive: true, force: true })
}

/** A new, empty database in memory. */
export async function openEmptyPglite(): Promise<Relational> {
  const place = process.env[PLACE]
  return openPgliteInMemory(place === undefined ? undefined : new Blob([await readFile(place)]))
}
