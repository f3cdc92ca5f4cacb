import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openClickHouse } from '../../../storage/analytics/clickhouse.ts'
import type { Analytics } from '../../../storage/analytics/port.ts'
import { literal } from '../../../storage/analytics/sql.ts'
import { readEngineCode, type StoreFailure } from '../../../storage/analytics/store-failure.ts'
import { aRunItem, idsOf, openWriter, readIds } from '../../../testing/an-outage.ts'
import { openFrontEngine } from '../../../testing/clickhouse-front/front-engine.ts'
import { createFront } from '../../../testing/clickhouse-front/front-server.ts'
import { createClickHouseDatabase } from '../../../testing/test-stores.ts'
import type { IngestItem } from '../../ingest-item.ts'

/** What happens to requests during an outage. */
type Interfere = (request: IncomingMessage) => void

let interfere: Interfere = () => {}
let analytics: Analytics
const servers: ReturnType<typeof createServer>[] = []

beforeAll(async () => {
  const front = createFront(await openFrontEngine(mkdtempSync(join(tmpdir(), 'touchstone-clickhouse-'))))
  const server = createServer((request, response) => {
    interfere(request)
    if (!request.socket.destroyed) front.emit('request', request, response)
  })
  servers.push(front, server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  analytics = await openClickHouse(await createClickHouseDatabase(url))
})
afterAll(async () => {
  await analytics.close()
  for (const server of servers) server.close()
})

/** Has the engine refuse inserts by a setting that it is given with each of them. */
const withSettings =
  (settings: string): Interfere =>
  (request) => {
    if (/insert(\+|%20)into/.test(request.url ?? '')) request.url += `&${settings}`
  }

const alterRuns = (setting: string) => () => analytics.command(literal(`alter table runs ${setting}`))

interface Outage {
  readonly name: string
  readonly code: number | undefined
  readonly interfere?: Interfere
  readonly begin?: () => Promise<void>
  readonly end?: () => Promise<void>
}

const OUTAGES: readonly Outage[] = [
  { name: 'no memory', code: 241, interfere: withSettings('max_untracked_memory=1&max_memory_usage=200000') },
  { name: 'a full disk', code: 243, interfere: withSettings('min_free_disk_bytes_to_perform_insert=1000000000000000') },
  {
    name: 'too many parts',
    code: 252,
    begin: alterRuns('modify setting parts_to_throw_insert = 1'),
    end: alterRuns('reset setting parts_to_throw_insert'),
  },
  { name: 'a read-only user', code: 164, interfere: withSettings('readonly=1') },
  { name: 'a time-out', code: 159, interfere: withSettings('max_execution_time=0.001') },
  { name: 'lost connections', code: undefined, interfere: (request) => request.socket.destroy() },
]

describe('an outage of a minute of a server of ClickHouse', () => {
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
    await writer.break(
      async () => {
        await outage.begin?.()
        interfere = outage.interfere ?? interfere
      },
      async () => {
        interfere = () => {}
        await outage.end?.()
      },
    )
    for (const count of [1, 3, 1]) await send(count)
    const settled = writer.settled()
    expect(idsOf(await writer.waiting())).toEqual(idsOf(sent.slice(2)))
    await settled
    expect(writer.refused).toEqual([])
    expect(await readIds(analytics, tenantId)).toEqual(idsOf(sent))
    expect(await writer.waiting()).toEqual([])
    expect(writer.failures.length).toBeGreaterThan(10)
    const failures = writer.failures as StoreFailure[]
    expect(new Set(failures.map(({ kind }) => kind))).toEqual(new Set(['resources']))
    expect(new Set(failures.map(({ cause }) => readEngineCode(cause)))).toEqual(new Set([outage.code]))
    await writer.close()
  })

  it('sets nothing aside but a row that the engine cannot read', async () => {
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
})
