import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dumpEmptyPglite, openPgliteInMemory } from '../storage/relational/pglite.ts'
import type { Relational } from '../storage/relational/port.ts'

const PLACE = 'TOUCHSTONE_TEST_PGLITE'

/** Creates, before all tests, the database that each of them copies. */
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
  if (place === undefined) return openPgliteInMemory()
  const relational = await openPgliteInMemory(new Blob([await readFile(place)]))
  await relational.runScript(AS_IF_NEW)
  return relational
}

/** Its workspace and project get new ids: apps of one file share a column store, and workspaces separate them. */
const AS_IF_NEW = `
  set session_replication_role = replica;
  update workspaces set id = gen_random_uuid(), organization_id = gen_random_uuid();
  update projects set id = gen_random_uuid(), tenant_id = (select id from workspaces);
  set session_replication_role = default;
`
