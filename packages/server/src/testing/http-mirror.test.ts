import { uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Analytics } from '../storage/analytics/port.ts'
import { literal, sql, text, texts } from '../storage/analytics/sql.ts'
import { ANY_ROW, columns, text as string } from '../storage/rows.ts'
import { compareReads, takeDifferences } from './http-mirror.ts'
import { type StartedApp, startApp } from './start-app.ts'

let app: StartedApp
let engine: Analytics
beforeAll(async () => {
  app = await startApp()
  engine = app.deps.analytics
})
afterAll(() => app.close())

/** A statement that no other test has sent. */
const aColumn = () => literal(`c${uuid7().replaceAll('-', '')}`)

describe('a read that is sent to two drivers', () => {
  it('returns the rows of the first and finds no difference when both are right', async () => {
    const both = compareReads(engine, engine)
    const name = aColumn()
    const rows = await both.query(sql`select ${text("a'\\")} as name, 1 as ${name}`, columns({ name: string }))
    expect(rows).toMatchObject([{ name: "a'\\" }])
    expect(await both.queryTexts(sql`select '1' as ${name}`)).toHaveLength(1)
    await expect(both.query(sql`select unknown as ${name}`, ANY_ROW)).rejects.toThrow('unknown')
    expect(await both.queryTable(sql`select 1 as ${name}`, {}, { seconds: 10, tables: [] })).toMatchObject({
      types: ['UInt8'],
    })
    expect(takeDifferences()).toEqual([])
  })

  it.each<[what: string, broken: (engine: Analytics) => Partial<Analytics>]>([
    ['a row less', (one) => ({ query: async (...of) => (await one.query(...of)).slice(1) })],
    ['another order', (one) => ({ query: async (...of) => (await one.query(...of)).toReversed() })],
    [
      'another value',
      (one) => ({ query: async ({ params, ...of }, row) => one.query({ ...of, params: bent(params) }, row) }),
    ],
    [
      'another type',
      (one) => ({
        query: async ({ text: of, params }, row) =>
          one.query({ text: of.replace(':Array(String)} as many', ':String} as many'), params }, row),
      }),
    ],
    ['an error', () => ({ query: () => Promise.reject(new Error('socket hang up')) })],
  ])('differs by %s', async (_what, broken) => {
    const both = compareReads(engine, { ...engine, ...broken(engine) })
    const statement = sql`select number, ${texts(['x', 'y'])} as many, 1 as ${aColumn()} from numbers(2) order by number`
    expect(await both.query(statement, ANY_ROW)).toHaveLength(2)
    expect(takeDifferences()).toEqual([expect.stringContaining(statement.text)])
    // Once for each statement.
    await both.query(statement, ANY_ROW)
    expect(takeDifferences()).toEqual([])
  })

  it('differs by the error alone', async () => {
    const broken = () => Promise.reject(Object.assign(new Error('no such column'), { code: '1' }))
    const both = compareReads(engine, { ...engine, query: broken })
    await expect(both.query(sql`select unknown as ${aColumn()}`, ANY_ROW)).rejects.toThrow('unknown')
    expect(takeDifferences()).toEqual([expect.stringContaining('no such column')])
  })

  it('may have its rows in another order where the statement has none', async () => {
    const both = compareReads(engine, { ...engine, query: async (...of) => (await engine.query(...of)).toReversed() })
    const statement = sql`select number, 1 as ${aColumn()} from (select number from numbers(3) order by number)`
    expect(await both.query(statement, ANY_ROW)).toHaveLength(3)
    expect(takeDifferences()).toEqual([])
  })

  it('is compared again when rows were written or time has passed in between', async () => {
    let reads = 0
    const late: Analytics['query'] = async (...of) => (await engine.query(...of)).slice(reads++ === 0 ? 1 : 0)
    const both = compareReads(engine, { ...engine, query: late })
    await both.query(sql`select 1 as ${aColumn()}`, ANY_ROW)
    expect([reads, takeDifferences()]).toEqual([2, []])
  })
})

const bent = (params: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, Array.isArray(value) ? value.slice(1) : value]),
  )
