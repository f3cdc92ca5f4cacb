import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isStorable } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import { jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unpackEmptyPglite } from '../../testing/pglite-template.ts'
import { createDatabase } from '../../testing/test-stores.ts'
import { columns, ID_ROW, nullable, number, text as string } from '../rows.ts'
import { longTextColumn, time } from './columns.ts'
import { migrateRelational, toRows } from './migrate.ts'
import { openPglite } from './pglite.ts'
import { type Relational, withTransaction } from './port.ts'
import { openPostgres } from './postgres.ts'

async function openNewPglite(): Promise<Relational> {
  const directory = mkdtempSync(join(tmpdir(), 'touchstone-pg-'))
  await unpackEmptyPglite(directory)
  return openPglite(directory)
}

const fail = (error: Error) => {
  throw error
}
const url = process.env.TOUCHSTONE_TEST_POSTGRES_URL
const engines: [string, () => Promise<Relational>][] = [
  ['pglite', openNewPglite],
  ...(url ? [['postgres', () => openPostgres(url, fail)] as [string, () => Promise<Relational>]] : []),
]

const scratch = pgTable('scratch', { name: text().primaryKey(), at: time(), data: jsonb() })

describe.each(engines)('the relational store on %s', (_name, open) => {
  let relational: Relational
  beforeAll(async () => {
    relational = await open()
    await relational.db.execute(sql`drop table if exists scratch`)
    await relational.db.execute(sql`create table scratch (name text primary key, at timestamptz, data jsonb)`)
  })
  afterAll(() => relational.close())

  it.each([
    '2025-07-10T04:42:19.024001Z',
    '0001-01-01T00:00:00.000000Z',
    '9999-12-31T23:59:59.999999Z',
    '1969-12-31T23:59:59.999999Z',
  ])('keeps all six digits of %s', async (at) => {
    await relational.db.insert(scratch).values({ name: at, at })
    const rows = await relational.db.select().from(scratch).where(sql`name = ${at}`)
    expect(rows[0]?.at).toBe(at)
  })

  it.each([`quo'te "double" \\ back`, 'uni€😀', "'; drop table scratch --", '%_', '{"json":1}'])(
    'binds %j as a value',
    async (name) => {
      await relational.db.insert(scratch).values({ name, data: { name } })
      const rows = await relational.db.select().from(scratch).where(sql`name = ${name}`)
      expect(rows).toEqual([{ name, at: null, data: { name } }])
    },
  )

  it('stores a column of long values unchanged, and null as null', async () => {
    // A surrogate pair is at every index where the text may be cut.
    const values = ['a'.repeat(999_999) + '😀'.repeat(1_500_000), null, '{"b":"\\"}', '€'.repeat(2_000_000)]
    const found = await relational.transaction(async (tx) => {
      const column = await longTextColumn(withTransaction(relational, tx), values)
      return toRows(
        await tx.execute(sql`select value from unnest(${column}) as given (value)`),
        columns({ value: nullable(string) }),
      )
    })
    expect(found.map(({ value }, at) => value === values[at])).toEqual([true, true, true, true])
  })

  it('recognizes text that it cannot store', () => {
    expect(['a\0', '\ud800', '😀', 'plain'].map(isStorable)).toEqual([false, false, true, true])
  })

  it('stores all of a transaction or nothing', async () => {
    const work = relational.transaction(async (tx) => {
      await tx.insert(scratch).values({ name: 'half' })
      throw new Error('stop')
    })
    await expect(work).rejects.toThrow('stop')
    expect(await relational.db.select().from(scratch).where(sql`name = 'half'`)).toEqual([])
  })

  it('serializes simultaneous transactions that change the same rows', async () => {
    await relational.db.insert(scratch).values({ name: 'counter', data: 0 })
    const increments = Array.from({ length: 10 }, () =>
      relational.transaction(async (tx) => {
        const [row] = await tx.select().from(scratch).where(sql`name = 'counter'`).for('update')
        await tx
          .update(scratch)
          .set({ data: Number(row!.data) + 1 })
          .where(sql`name = 'counter'`)
      }),
    )
    await Promise.all(increments)
    expect((await relational.db.select().from(scratch).where(sql`name = 'counter'`))[0]?.data).toBe(10)
  })

  it('does not answer before a commit is on the disk', async () => {
    const settings = await relational.db.execute(
      sql`select name, setting from pg_settings where name in ('fsync', 'synchronous_commit')`,
    )
    expect(toRows(settings, columns({ name: string, setting: string }))).toEqual(
      expect.arrayContaining([
        { name: 'fsync', setting: 'on' },
        { name: 'synchronous_commit', setting: 'on' },
      ]),
    )
  })

  it('migrates once when two start at once, and refuses data of a newer version', async () => {
    await Promise.all([migrateRelational(relational), migrateRelational(relational)])
    expect(toRows(await relational.db.execute(sql`select id from workspaces`), ID_ROW)).toHaveLength(1)
    await relational.db.execute(sql`insert into migrations (version, name) values (9999, 'from the future')`)
    await expect(migrateRelational(relational)).rejects.toThrow(/written by a newer Touchstone/)
    await relational.db.execute(sql`delete from migrations where version = 9999`)
  })
})

it.skipIf(url === undefined)('is migrated once by two processes that find it empty', async () => {
  const empty = await createDatabase(url!)
  const [one, other] = await Promise.all([openPostgres(empty, fail), openPostgres(empty, fail)])
  expect(toRows(await one.db.execute(sql`select id from workspaces`), ID_ROW)).toHaveLength(1)
  await Promise.all([one.close(), other.close()])
})

it.skipIf(url === undefined)(
  'fails a transaction whose connection ended between two statements, and works on',
  async () => {
    const database = await createDatabase(url!)
    const [relational, other] = [await openPostgres(database, () => {}), await openPostgres(database, () => {})]
    const broken = relational.transaction(async (tx) => {
      const [session] = toRows(await tx.execute(sql`select pg_backend_pid() as pid`), columns({ pid: number }))
      await other.db.execute(sql`select pg_terminate_backend(${session!.pid})`)
      // Pause: the end arrives while nothing waits for a response.
      await new Promise((resolve) => setTimeout(resolve, 200))
      await tx.execute(sql`select 1`)
    })
    await expect(broken).rejects.toThrow()
    expect(toRows(await relational.db.execute(sql`select id from workspaces`), ID_ROW)).toHaveLength(1)
    await Promise.all([relational.close(), other.close()])
  },
)
