import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { afterEach, describe, expect, it } from 'vitest'
import { toRows } from '../relational/migrate.ts'
import { openPglite } from '../relational/pglite.ts'
import { RelationalCopy } from './copy-relational.ts'

let root: string
afterEach(() => rm(root, { recursive: true, force: true }))

describe('a copy of the relational store', () => {
  it('holds all that was committed before its second pass, and nothing half', { timeout: 60_000 }, async () => {
    root = await mkdtemp(join(tmpdir(), 'touchstone-copy-'))
    const original = await openPglite(join(root, 'original'))
    const copy = new RelationalCopy(original.directory!, join(root, 'copy'))
    const add = (from: number, to: number) =>
      original.db.execute(
        sql`insert into numbers select n, repeat('x', 500) from generate_series(${from}::int, ${to}::int) n`,
      )
    await original.db.execute(sql`create table numbers (n int primary key, filler text)`)
    await add(1, 2000)

    const copying = copy.copyAll(() => {})
    await add(2001, 6000)
    await copying
    await add(6001, 9000)
    await original.db.execute(sql`create table made_between (n int)`)
    await original.transaction(async (tx) => {
      await tx.execute(sql`select 1`)
      await copy.copyChanges()
    })
    await add(9001, 9100)

    const opened = await openPglite(join(root, 'copy'))
    const [found] = toRows<{ count: number; sum: string }>(
      await opened.db.execute(sql`select count(*)::int as count, sum(n)::text as sum from numbers`),
    )
    expect(found).toEqual({ count: 9000, sum: String((9000 * 9001) / 2) })
    expect(toRows(await opened.db.execute(sql`select * from made_between`))).toEqual([])
    await opened.close()
    await original.close()
  })
})
