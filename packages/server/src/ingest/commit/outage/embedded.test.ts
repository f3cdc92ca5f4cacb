import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openChdb } from '../../../storage/analytics/chdb.ts'
import type { Analytics } from '../../../storage/analytics/port.ts'
import { literal } from '../../../storage/analytics/sql.ts'
import { readEngineCode } from '../../../storage/analytics/store-failure.ts'
import { aRunItem, idsOf, openWriter, readIds } from '../../../testing/an-outage.ts'
import type { IngestItem } from '../../ingest-item.ts'

let analytics: Analytics
beforeAll(async () => {
  analytics = await openChdb(mkdtempSync(join(tmpdir(), 'touchstone-chdb-')))
})
afterAll(() => analytics.close())

const run =
  (...statements: string[]) =>
  async () => {
    for (const statement of statements) await analytics.command(literal(statement))
  }

const OUTAGES = [
  {
    name: 'no memory',
    code: 241,
    begin: run('set max_untracked_memory = 1', 'set max_memory_usage = 200000'),
    end: run('set max_memory_usage = 0', 'set max_untracked_memory = 4194304'),
  },
  {
    name: 'a full disk',
    code: 243,
    begin: run('set min_free_disk_bytes_to_perform_insert = 1000000000000000'),
    end: run('set min_free_disk_bytes_to_perform_insert = 0'),
  },
  {
    name: 'too many parts',
    code: 252,
    begin: run('alter table runs modify setting parts_to_throw_insert = 1'),
    end: run('alter table runs reset setting parts_to_throw_insert'),
  },
  {
    name: 'a read-only table',
    code: 774,
    begin: run('alter table runs modify setting table_readonly = 1'),
    end: run('alter table runs modify setting table_readonly = 0'),
  },
  {
    name: 'a time-out',
    code: 159,
    begin: run('set max_execution_time = 0.001'),
    end: run('set max_execution_time = 0'),
  },
] as const

describe('an outage of a minute of the embedded engine', () => {
  it.each(OUTAGES)('with $name keeps what is acknowledged, and stores it afterwards', async (outage) => {
    const tenantId = uuid7()
    const writer = await openWriter(analytics)
    const sent: IngestItem[] = []
    const send = async (count: number) => {
      const items = Array.from({ length: count }, () => aRunItem(tenantId))
      await writer.send(...items)
      sent.push(...items)
    }
    await send(2)
    await writer.settled()
    await writer.break(outage.begin, outage.end)
    for (const count of [1, 3, 1, 1]) await send(count)
    const settled = writer.settled()
    await send(2)
    expect(idsOf(await writer.waiting())).toEqual(idsOf(sent.slice(2)))
    await settled
    await writer.settled()
    expect(writer.refused).toEqual([])
    expect(await readIds(analytics, tenantId)).toEqual(idsOf(sent))
    expect(await writer.waiting()).toEqual([])
    expect(writer.failures.length).toBeGreaterThan(10)
    const codes = writer.failures.map((failure) => readEngineCode((failure as Error).cause))
    expect(new Set(codes)).toEqual(new Set([outage.code]))
    await writer.close()
  })

  it('with one single run in the queue keeps that run', async () => {
    const tenantId = uuid7()
    const writer = await openWriter(analytics)
    // A function that the engine does not have, as an error of no class that we know.
    await writer.break(
      run('alter table runs add constraint broken check throwIf(1) = 0'),
      run('alter table runs drop constraint broken'),
    )
    const item = aRunItem(tenantId)
    await writer.send(item)
    await writer.settled()
    expect(writer.refused).toEqual([])
    expect(writer.failures).not.toEqual([])
    expect(writer.failures.every((failure) => (failure as { kind?: string }).kind === 'unknown')).toBe(true)
    expect(await readIds(analytics, tenantId)).toEqual(idsOf([item]))
    await writer.close()
  })
})

describe('a bad item beside good ones', () => {
  it('is set aside alone when the engine cannot read it', async () => {
    const tenantId = uuid7()
    const writer = await openWriter(analytics)
    const good = [aRunItem(tenantId), aRunItem(tenantId)]
    const bad: IngestItem = { kind: 'row', tenantId, table: 'run_attachments', json: '{"run_id":"no id"}' }
    await writer.send(good[0]!, bad, good[1]!)
    await writer.settled()
    expect(writer.refused).toEqual(['row'])
    expect(await readIds(analytics, tenantId)).toEqual(idsOf(good))
    await writer.close()
  })

  it('is set aside alone when the engine fails on it for a reason of no known class', async () => {
    const tenantId = uuid7()
    const writer = await openWriter(analytics)
    await run(`alter table runs add constraint broken check throwIf(name = 'poison') = 0`)()
    const bad = aRunItem(tenantId, { name: 'poison' })
    const good = Array.from({ length: 7 }, () => aRunItem(tenantId))
    for (const items of [good.slice(0, 3), [good[3]!, bad, good[4]!], good.slice(5)]) await writer.send(...items)
    await writer.settled()
    await run('alter table runs drop constraint broken')()
    expect(writer.refused).toEqual([bad.write.id])
    expect(await readIds(analytics, tenantId)).toEqual(idsOf(good))
    await writer.close()
  })

  it('waits until the store has accepted another run', async () => {
    const tenantId = uuid7()
    const writer = await openWriter(analytics)
    await run(`alter table runs add constraint broken check throwIf(name = 'poison') = 0`)()
    const bad = aRunItem(tenantId, { name: 'poison' })
    await writer.send(bad)
    const settled = writer.settled()
    await writer.failed(20)
    expect(writer.refused).toEqual([])
    expect(idsOf(await writer.waiting())).toEqual([bad.write.id])
    const good = aRunItem(tenantId)
    await writer.send(good)
    await settled
    await writer.settled()
    await run('alter table runs drop constraint broken')()
    expect(writer.refused).toEqual([bad.write.id])
    expect(await readIds(analytics, tenantId)).toEqual([good.write.id])
    await writer.close()
  })
})
