import type { Database } from '../../../storage/relational/port.ts'
import { presentCommit, type Reader } from './present.ts'
import { type CommitRow, selectManifests } from './store.ts'

const MAX_BYTES_AT_ONCE = 1024 * 1024

/** Commits as JSON texts, with as many manifests in memory as make up a megabyte. */
export async function* presentCommits(
  db: Database,
  rows: readonly (CommitRow & { readonly bytes: number })[],
  reader: Reader,
): AsyncGenerator<string[]> {
  for (const some of groupsOf(rows)) {
    const ids = some.map(({ id }) => id)
    const manifests = await selectManifests(db, some[0]!.tenant_id, ids)
    // A commit whose repo is being deleted has lost its manifest already.
    yield some.map((row) => presentCommit(row, manifests.get(row.id) ?? 'null', reader))
  }
}

function groupsOf<Row extends { readonly bytes: number }>(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = []
  let room = 0
  for (const row of rows) {
    if (groups.length === 0 || room < row.bytes) {
      groups.push([])
      room = MAX_BYTES_AT_ONCE
    }
    groups.at(-1)!.push(row)
    room -= row.bytes
  }
  return groups
}
