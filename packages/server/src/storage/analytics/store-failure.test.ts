import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { columns, number, text } from '../rows.ts'
import { openChdbToRestore } from './chdb.ts'
import type { Analytics } from './port.ts'
import { literal, sql } from './sql.ts'
import { CLASSIFIED_CODES, StoreFailure, toInsertFailure, toStoreFailure } from './store-failure.ts'

let analytics: Analytics
beforeAll(async () => {
  analytics = await openChdbToRestore(mkdtempSync(join(tmpdir(), 'touchstone-chdb-')))
  await analytics.command(literal('create table numbered (x UInt64) engine MergeTree order by x'))
})
afterAll(() => analytics.close())

describe('the codes that tell whose fault a failure is', () => {
  it('are those of the engine', async () => {
    const rows = await analytics.query(
      sql`select toInt32(number) as code, errorCodeToName(toInt32(number)) as name from numbers(2000) where name != ''`,
      columns({ code: number, name: text }),
    )
    const names = new Map(rows.map(({ code, name }) => [code, name]))
    for (const [code, name] of CLASSIFIED_CODES) expect([code, names.get(code)]).toEqual([code, name])
  })

  it('are read from inserts, which only print them', async () => {
    await expect(analytics.insert('numbered', [{ json: '{"x":"a"}' }])).rejects.toMatchObject({ kind: 'row' })
    await expect(analytics.insert('nowhere', [{ json: '{"x":1}' }])).rejects.toMatchObject({ kind: 'resources' })
  })

  it('do not blame a row for a failing select', async () => {
    const failure = await analytics.query(sql`select toUInt8('a') as x`, columns({ x: number })).catch(toStoreFailure)
    expect(failure).toMatchObject({ kind: 'unknown' })
  })
})

describe('a failure without a code of the engine', () => {
  const withCode = (code: string, message = 'failed') => Object.assign(new Error(message), { code })

  it.each(['ENOSPC', 'ECONNREFUSED', 'EIO', '53100', '57P01', '40001', 'XX000'])(
    '%s is the fault of a store',
    (code) => {
      expect(toStoreFailure(new Error('query failed', { cause: withCode(code) })).kind).toBe('resources')
    },
  )

  it.each([withCode('23505'), new TypeError('x is undefined'), 'text'])('%s may be the fault of a row', (cause) => {
    expect(toInsertFailure(cause).kind).toBe('unknown')
  })

  it('is classified once', () => {
    const failure = new StoreFailure('row', 'x')
    expect(toInsertFailure(failure)).toBe(failure)
    expect(toStoreFailure(failure)).toBe(failure)
  })
})
