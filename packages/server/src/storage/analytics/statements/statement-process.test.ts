import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { columns, text } from '../../rows.ts'
import { openChdb } from '../chdb.ts'
import type { Analytics } from '../port.ts'
import { literal, sql } from '../sql.ts'

let analytics: Analytics
const directory = join(mkdtempSync(join(tmpdir(), 'touchstone-statements-')), 'analytics')
const statements = `${directory}-statements`
beforeAll(async () => {
  analytics = await openChdb(directory)
  await analytics.command(
    literal(
      'create table words (id UInt64, word String, version UInt64) engine = ReplacingMergeTree(version) order by id',
    ),
  )
})

const LIMITS = { seconds: 30, tables: ['words'] }
const insert = (id: number, word: string, version: number) =>
  analytics.insert('words', [{ json: JSON.stringify({ id, word, version }) }])
const readWords = async () =>
  (await analytics.queryTable(sql`select id, word from words final order by id`, {}, LIMITS)).rows
const countParts = async () => {
  const parts = await analytics.query(
    sql`select name from system.parts where database = currentDatabase() and table = 'words' and active`,
    columns({ name: text }),
  )
  return parts.length
}

/** One call of 10^13 steps, inside of which the engine does not look at its time limit. */
const STUCK = sql`select position(repeat(repeat('a', 1000000), 100), concat(repeat('a', 1000000), 'b'))`

describe('a statement of a user', () => {
  it('reads what was stored before it, also after merges, deletions and changes of the table', async () => {
    expect(await readWords()).toEqual([])
    await insert(1, 'one', 1)
    await insert(2, 'two', 1)
    expect(await readWords()).toEqual(['[1,"one"]', '[2,"two"]'])
    await insert(1, 'uno', 2)
    expect(await readWords()).toEqual(['[1,"uno"]', '[2,"two"]'])
    expect(await countParts()).toBe(3)
    await analytics.command(literal('optimize table words final'))
    expect(await countParts()).toBe(1)
    expect(await readWords()).toEqual(['[1,"uno"]', '[2,"two"]'])
    await analytics.command(literal('alter table words delete where id = 2 settings mutations_sync = 1'))
    expect(await readWords()).toEqual(['[1,"uno"]'])
    await analytics.command(literal(`alter table words add column language String default 'it'`))
    await insert(3, 'tre', 1)
    const { rows } = await analytics.queryTable(sql`select word, language from words order by id`, {}, LIMITS)
    expect(rows).toEqual(['["uno","it"]', '["tre","it"]'])
  })

  it('changes nothing, and does not see other tables', async () => {
    const before = await readWords()
    const change = analytics.queryTable(sql`insert into words select 9, 'nine', 1`, {}, LIMITS)
    await expect(change).rejects.toThrow(/readonly/i)
    await expect(analytics.queryTable(sql`select count() from runs`, {}, LIMITS)).rejects.toMatchObject({ code: '60' })
    expect(await readWords()).toEqual(before)
  })

  it('that does not end is ended, while the store is read and written', async () => {
    const stuck = analytics.queryTable(STUCK, {}, { seconds: 1, tables: ['words'] })
    let isEnded = false
    const ended = stuck.catch((error: unknown) => error).finally(() => (isEnded = true))
    await insert(4, 'quattro', 1)
    expect(await analytics.query(sql`select word from words where id = 4`, columns({ word: text }))).toHaveLength(1)
    expect(isEnded).toBe(false)
    expect(await ended).toMatchObject({ code: '159' })
    expect(await readWords()).toContain('[4,"quattro"]')
  })

  it('that uses up the memory of its process fails, and the next one runs', async () => {
    const greedy = analytics.queryTable(
      sql`select length(groupArray(repeat('x', 1000000))) from system.numbers`,
      { max_memory_usage: 50_000_000 },
      LIMITS,
    )
    await expect(greedy).rejects.toMatchObject({ code: '241' })
    expect(await readWords()).toContain('[4,"quattro"]')
  })

  it('runs in a folder that is removed with its process', async () => {
    expect(readdirSync(statements)).toHaveLength(1)
    const stuck = analytics.queryTable(STUCK, {}, LIMITS).catch((error: unknown) => error)
    // The engine runs one query at a time: after two, it has listed the parts, and the statement is in its process.
    await countParts()
    await countParts()
    await analytics.close()
    expect(String(await stuck)).toContain('the server stops')
    expect(existsSync(statements)).toBe(false)
  })
})
