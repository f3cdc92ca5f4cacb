import fs, { mkdtempSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { afterEach, expect, it, vi } from 'vitest'
import { unpackEmptyPglite } from '../../testing/pglite-template.ts'
import { COUNT_ROW } from '../rows.ts'
import { isReadOnlyDisk, isReadOnlyStore } from '../unavailable-store.ts'
import { toRows } from './migrate.ts'
import { openPglite } from './pglite.ts'
import type { Relational } from './port.ts'

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

/** The file system refuses each write of this process, as one that the kernel has made read-only. */
function refuseWrites() {
  const refuse = () => {
    throw Object.assign(new Error('EROFS: read-only file system, write'), { code: 'EROFS' })
  }
  const spies = [vi.spyOn(fs, 'writeSync'), vi.spyOn(fs, 'writeFileSync')].map((spy) => spy.mockImplementation(refuse))
  syncBuiltinESMExports()
  return () => {
    for (const spy of spies) spy.mockRestore()
    syncBuiltinESMExports()
  }
}

it('refuses writes while its disk is read-only, reads on, and loses nothing', { timeout: 120_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'touchstone-pg-'))
  await unpackEmptyPglite(directory)
  const warnings: string[] = []
  const relational = await openPglite(directory, undefined, (message) => warnings.push(message))
  await relational.runScript('create table numbers (n int)')
  let next = 0
  const acknowledged: number[] = []
  const insert = async () => {
    const n = next++
    await relational.transaction((tx) => tx.execute(sql`insert into numbers values (${n})`))
    acknowledged.push(n)
  }
  const insertAtOnce = (count: number) => Promise.allSettled(Array.from({ length: count }, insert))
  const list = async ({ db }: Relational) =>
    toRows(await db.execute(sql`select n from numbers order by n`), COUNT_ROW).map(({ n }) => n)
  await insertAtOnce(5)

  const allowWrites = refuseWrites()
  for (let round = 0; round < 4; round++) {
    for (const outcome of await insertAtOnce(5)) {
      const reason = outcome.status === 'rejected' ? outcome.reason : undefined
      expect(isReadOnlyDisk(reason) || isReadOnlyStore(reason), String(reason)).toBe(true)
    }
    expect(await list(relational)).toEqual(acknowledged)
  }
  expect(warnings).toEqual([expect.stringMatching(/is read-only: changes are refused/)])

  allowWrites()
  await expect.poll(async () => (await insertAtOnce(1))[0]?.status, { timeout: 60_000 }).toBe('fulfilled')
  await insertAtOnce(5)
  expect(warnings.slice(1)).toEqual([expect.stringMatching(/can be written again/)])
  expect(await list(relational)).toEqual(acknowledged)
  await relational.close()
  const reopened = await openPglite(directory)
  expect(await list(reopened)).toEqual(acknowledged)
  await reopened.close()
})
