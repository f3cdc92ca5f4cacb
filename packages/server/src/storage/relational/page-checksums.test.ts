import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { columns, text } from '../rows.ts'
import { toRow } from './migrate.ts'
import { findDamagedPage } from './page-checksums.ts'
import { openPglite } from './pglite.ts'

it('finds the page of a table whose last bytes were overwritten, and nothing in an undamaged cluster', {
  timeout: 240_000, // creates a new cluster on a disk of unknown speed
}, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'touchstone-pages-'))
  const relational = await openPglite(directory)
  await relational.db.execute(sql`create table notes as select repeat('x', 500) as body from generate_series(1, 100)`)
  await relational.db.execute(sql`checkpoint`)
  const found = await relational.db.execute(sql`select pg_relation_filepath('notes') as path`)
  const table = toRow(found, columns({ path: text }))
  await relational.close()
  expect(findDamagedPage(directory)).toBeUndefined()
  for (const file of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    expect(statSync(join(file.parentPath, file.name)).mode & 0o077, file.name).toBe(0)
  }

  const path = join(directory, table.path)
  const bytes = readFileSync(path)
  bytes.fill(0xa5, bytes.length - 8)
  writeFileSync(path, bytes)
  const lastPage = bytes.length / 8192 - 1
  expect(findDamagedPage(directory)).toBe(`page ${lastPage} of the file ${table.path} does not match its checksum`)
})
