import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clickhouseUrl } from '../../testing/analytics-engine.ts'
import { createClickHouseDatabase } from '../../testing/test-stores.ts'
import { ANY_ROW, columns, list, number, text as string } from '../rows.ts'
import { openChdb } from './chdb.ts'
import { openClickHouse } from './clickhouse.ts'
import { migrateAnalytics } from './migrate.ts'
import type { Analytics } from './port.ts'
import { columnTime, join as joined, literal, sql, text, texts, time, uint, uuid, uuids } from './sql.ts'
import { limitQueries } from './wrappers.ts'

const openServer = async (server: string) => openClickHouse(await createClickHouseDatabase(server))
const engines: readonly (readonly [string, () => Promise<Analytics>])[] = [
  ['chdb', () => openChdb(mkdtempSync(join(tmpdir(), 'touchstone-chdb-')))],
  ...(clickhouseUrl === undefined ? [] : [['clickhouse', openServer.bind(undefined, clickhouseUrl)] as const]),
]

describe.each(engines)('the column store on %s', (_name, open) => {
  let analytics: Analytics
  beforeAll(async () => {
    analytics = await open()
    await analytics.command(literal('drop table if exists scratch'))
    await analytics.command(literal('create table scratch (name String, n UInt64) engine = MergeTree order by n'))
  })
  afterAll(() => analytics.close())

  it.each([
    'plain',
    'tab\there',
    'line\nbreak\r',
    'back\\slash \\N',
    `quo'te "double"`,
    'nul\0byte',
    'uni€😀\u2028',
    "'; drop table scratch --",
    '{p0:String}',
    '',
  ])('binds %j as a value, alone and in a list', async (hostile) => {
    const rows = await analytics.query(
      sql`select ${text(hostile)} as one, ${texts([hostile, 'x'])} as many`,
      columns({ one: string, many: list(string) }),
    )
    expect(rows).toEqual([{ one: hostile, many: [hostile, 'x'] }])
  })

  it('keeps every digit of large integers and of times', async () => {
    const at = '2025-07-10T04:42:19.024001Z'
    const rows = await analytics.query(
      sql`select ${uint('18446744073709551615')} as n, ${time(at)} as at`,
      columns({ n: string, at: string }),
    )
    expect(rows).toEqual([{ n: '18446744073709551615', at: columnTime(at) }])
  })

  it('does not add the partial output of a failed statement to the next answer', async () => {
    const failing = sql`
      select throwIf(number = 5) as failed, ${text('of another')} as secret from numbers(10)
      settings max_block_size = 1`
    for (const statement of [failing, failing])
      await expect(analytics.query(statement, ANY_ROW)).rejects.toThrow('throwIf')
    const own = await analytics.query(sql`select ${text('mine [\n')} as own`, columns({ own: string }))
    expect(own).toEqual([{ own: 'mine [\n' }])
    expect(await analytics.queryTexts(literal('select 1 as n where false'))).toEqual([])
    expect(await analytics.queryTexts(literal('select number as n from numbers(2)'))).toEqual([
      '{"n":"0"}',
      '{"n":"1"}',
    ])
  })

  it('stops a select that takes too long, as a mistake of the caller', async () => {
    const endless = literal('select count() as n from numbers(1000000000000) where sipHash64(number) = 1')
    await expect(limitQueries(analytics, 1).query(endless, ANY_ROW)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining('longer than 1 seconds'),
    })
  })

  it('refuses a select that is too long or too deep before or after the engine reads it', async () => {
    const limited = limitQueries(analytics, 10)
    for (const statement of [
      literal(`select ${' '.repeat(1024 * 1024)} 1 as n`),
      literal(`select ${'('.repeat(2_000)}1${')'.repeat(2_000)} as n`),
    ]) {
      await expect(limited.query(statement, ANY_ROW)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    }
    const short = literal('select 1 as n union all select 2 as n order by n')
    expect(await limited.query(short, ANY_ROW)).toHaveLength(2)
  })

  it('reads rows as soon as the insert settles', async () => {
    await analytics.insert('scratch', [{ json: '{"name":"a","n":"1"}' }, { json: '{"name":"b\\u0000\\n","n":"2"}' }])
    const rows = await analytics.query(
      sql`select name, n from scratch where n in (1, 2) order by n`,
      columns({ name: string, n: string }),
    )
    expect(rows).toEqual([
      { name: 'a', n: '1' },
      { name: 'b\0\n', n: '2' },
    ])
  })

  it('stores nothing of a block in which one row is malformed', async () => {
    await expect(
      analytics.insert('scratch', [{ json: '{"name":"good","n":"3"}' }, { json: '{"name":"bad","n":"x"}' }]),
    ).rejects.toThrow()
    expect(await analytics.query(sql`select n from scratch where n = 3`, ANY_ROW)).toEqual([])
  })

  it('composes statements from fragments, binding each value once', async () => {
    const id = '0197f2a4-3c10-7d21-9b55-2f4b8e7a1c01'
    const conditions = [sql`${uuid(id)} in ${uuids([id])}`, sql`${text('a')} = 'a'`]
    const rows = await analytics.query(sql`select 1 as ok where ${joined(conditions)}`, columns({ ok: number }))
    expect(rows).toEqual([{ ok: 1 }])
  })

  it('migrates again without harm and refuses data of a newer version', async () => {
    await migrateAnalytics(analytics)
    await analytics.command(sql`insert into migrations (version, name) values (9999, 'from the future')`)
    await expect(migrateAnalytics(analytics)).rejects.toThrow(/written by a newer Touchstone/)
    await analytics.command(sql`delete from migrations where version = 9999`)
  })
})
