import { mkdir, mkdtemp, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unpackEmptyPglite } from '../../testing/pglite-template.ts'
import { toRows } from '../relational/migrate.ts'
import { openPglite } from '../relational/pglite.ts'
import { ANY_ROW, columns, number, text } from '../rows.ts'
import { copyAnalytics, RelationalCopy } from './copy-stores.ts'

const TABLE = 'store/881/881f03a8-bb2c-47b1-a38a-99109e89e74a'
const DATABASE = 'store/d34/d34f03a8-bb2c-47b1-a38a-99109e89e74a'

describe('a copy of the column store', () => {
  let root: string
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'touchstone-copy-analytics-'))
  })
  afterAll(() => rm(root, { recursive: true, force: true }))

  it('counts rows and links its tables by relative paths, also from a data directory with absolute links', async () => {
    const from = join(root, 'analytics')
    const frozen = join(from, 'shadow/now', TABLE, 'all_1_1_0')
    for (const folder of [frozen, join(from, 'metadata'), join(from, 'data/default')]) {
      await mkdir(folder, { recursive: true })
    }
    await writeFile(join(frozen, 'count.txt'), '7')
    await symlink(`/srv/older/analytics/${TABLE}/`, join(from, 'data/default/runs'))
    await symlink(`../${DATABASE}`, join(from, 'metadata/default'))
    const to = join(root, 'copy')
    expect(await copyAnalytics(from, 'now', to, () => {})).toEqual({ runs: 7 })
    expect(await readlink(join(to, 'data/default/runs'))).toBe(`../../${TABLE}`)
    expect(await readlink(join(to, 'metadata/default'))).toBe(`../${DATABASE}`)
  })
})

describe('a copy of the relational store', () => {
  let root: string
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'touchstone-copy-'))
  })
  afterAll(() => rm(root, { recursive: true, force: true }))

  it('contains everything that was committed before its second pass, and no incomplete transaction', {
    timeout: 60_000,
  }, async () => {
    await unpackEmptyPglite(join(root, 'original'))
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
    const [found] = toRows(
      await opened.db.execute(sql`select count(*)::int as count, sum(n)::text as sum from numbers`),
      columns({ count: number, sum: text }),
    )
    expect(found).toEqual({ count: 9000, sum: String((9000 * 9001) / 2) })
    expect(toRows(await opened.db.execute(sql`select * from made_between`), ANY_ROW)).toEqual([])
    await opened.close()
    await original.close()
  })
})
