import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aRunItem } from '../../testing/an-outage.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import type { IngestItem } from '../ingest-item.ts'
import { appendRefused } from './keep-refused.ts'
import { retryRefused } from './retry-refused.ts'

let app: StartedApp
let tenantId: string
beforeAll(async () => {
  app = await startApp()
  tenantId = (await app.call(contract.workspaces.settings)).body.id
})
afterAll(() => app.close())

const refuse = (items: readonly IngestItem[]) =>
  appendRefused(app.deps, tenantId, new Map(items.map((item) => [item, 'no reason that lasts'])))
const list = async () => (await app.call(contract.ingestReceipts.listRefused)).body
const aRefusedRun = (fields: object = {}) =>
  aRunItem(tenantId, { sessionId: undefined, sessionName: 'again', ...fields })

describe('refused runs', () => {
  it('are listed, and stored again on demand with their payloads', async () => {
    const runs = [aRefusedRun(), aRefusedRun()]
    await refuse(runs)
    const [first] = runs
    expect(await list()).toMatchObject({
      total: 2,
      items: [{ id: first!.write.id, reason: 'no reason that lasts' }, {}],
    })
    const retried = await app.call(contract.ingestReceipts.retryRefused)
    expect(retried.body).toEqual({ accepted: 2, refused: 0 })
    expect(await list()).toEqual({ total: 0, items: [] })
    const read = await app.call(contract.runs.read, { params: { run_id: first!.write.id } })
    expect(read.body).toMatchObject({ name: 'step', inputs: { question: 'why' } })
  })

  it('are kept again when they are refused again', async () => {
    await refuse([aRefusedRun({ sessionId: uuid7(), sessionName: undefined })])
    const retried = await app.call(contract.ingestReceipts.retryRefused)
    expect(retried.body).toEqual({ accepted: 0, refused: 1 })
    const { total, items } = await list()
    expect([total, items[0]?.reason === 'no reason that lasts']).toEqual([1, false])
  })

  it('are none where nothing was refused', async () => {
    const other = await app.call(contract.workspaces.create, { body: { display_name: 'Other' } })
    const headers = { 'x-tenant-id': other.body.id }
    expect((await app.call(contract.ingestReceipts.listRefused, { headers })).body.total).toBe(0)
    expect((await app.call(contract.ingestReceipts.retryRefused, { headers })).body).toEqual({
      accepted: 0,
      refused: 0,
    })
  })
})

describe('a retry that fails in between', () => {
  it('keeps what was not offered, and goes on with it the next time', async () => {
    const other = uuid7()
    const config = { ...app.deps.config, dataDir: join(app.deps.config.dataDir, 'interrupted') }
    mkdirSync(config.dataDir)
    const runs = Array.from({ length: 450 }, () => aRunItem(other))
    const path = await appendRefused({ ...app.deps, config }, other, new Map(runs.map((item) => [item, 'x'])))
    const offered: string[] = []
    let calls = 0
    const submit = async (items: readonly IngestItem[]) => {
      if (++calls === 2) throw new Error('the journal is full')
      offered.push(...items.map((item) => (item.kind === 'run' ? item.write.id : '')))
      return new Map()
    }
    const retry = () => retryRefused({ ...app.deps, config, submit }, other)
    await expect(retry()).rejects.toThrow('the journal is full')
    expect(readFileSync(`${path}.retrying`, 'utf8').trim().split('\n')).toHaveLength(250)
    expect(await retry()).toEqual({ accepted: 250, refused: 0 })
    expect(offered).toEqual(runs.map(({ write }) => write.id))
    expect([existsSync(path), existsSync(`${path}.retrying`)]).toEqual([false, false])
  })
})
