import { randomUUID } from 'node:crypto'
import { contract } from '@touchstone/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { aProjectName } from '../../clients/javascript/a-client.ts'
import { aRunHead } from '../../support/raw-ingest.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { callOf, type WatchedClient, watchClient } from '../support/watch-client.ts'

let server: SharedServer
let watched: WatchedClient
beforeAll(async () => {
  server = await shareServer()
  watched = watchClient(server.url)
})
beforeEach(() => void watched.taken())
afterAll(() => server?.stop())

async function recordRun() {
  const projectName = aProjectName('called')
  const run = aRunHead({ session_name: projectName, inputs: { q: 1 }, end_time: new Date().toISOString() })
  await watched.client.multipartIngestRuns({ runCreates: [run] as never })
  const { id: projectId } = await watched.client.readProject({ projectName })
  watched.taken()
  return { runId: run.id, projectId, projectName }
}

describe('calls about runs', () => {
  it('POST /runs/stats carries every filter field of the specification', async () => {
    const { runId, projectId } = await recordRun()
    const [startTime, endTime] = ['2020-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z']
    const conditions = { id: [runId], trace: runId, runType: 'chain', error: false, isRoot: true }
    const stats = await watched.client.getRunStats({
      ...conditions,
      projectIds: [projectId],
      startTime,
      endTime,
      filter: 'eq(name, "a run")',
      dataSourceType: 'current',
    })
    expect(stats).toMatchObject({ run_count: 1 })
    expect(watched.taken()).toEqual([
      {
        call: callOf(contract.runStats.stats),
        query: {},
        body: {
          id: [runId],
          trace: runId,
          run_type: 'chain',
          session: [projectId],
          start_time: startTime,
          end_time: endTime,
          error: false,
          filter: 'eq(name, "a run")',
          is_root: true,
          data_source_type: 'current',
        },
      },
    ])
    const none = { projectIds: [projectId], parentRun: runId, query: 'nothing of the kind' }
    expect(await watched.client.getRunStats(none)).toMatchObject({ run_count: 0 })
    expect(watched.taken()[0]!.body).toEqual({
      session: [projectId],
      parent_run: runId,
      query: 'nothing of the kind',
    })
  })
})

describe('calls about shared runs', () => {
  it('PUT, GET and DELETE /runs/{id}/share open a run, tell its token and close it', async () => {
    const { runId } = await recordRun()
    const shareId = randomUUID()
    const page = await watched.client.shareRun(runId, { shareId })
    expect(page).toBe(`${server.url}/public/${shareId}/r`)
    expect(await watched.client.readRunSharedLink(runId)).toBe(page)
    await watched.client.unshareRun(runId)
    expect(await watched.client.readRunSharedLink(runId)).toBeUndefined()
    expect(watched.taken()).toEqual([
      { call: callOf(contract.sharing.shareRun), query: {}, body: { run_id: runId, share_token: shareId } },
      { call: callOf(contract.sharing.readRunShare), query: {} },
      { call: callOf(contract.sharing.unshareRun), query: {} },
      { call: callOf(contract.sharing.readRunShare), query: {} },
    ])
  })

  it('GET /public/{token}/runs lists all of them, or some by repeated id', async () => {
    const { runId } = await recordRun()
    const token = randomUUID()
    await watched.client.shareRun(runId, { shareId: token })
    watched.taken()
    const other = randomUUID()
    expect(await watched.client.listSharedRuns(token)).toMatchObject([{ id: runId }])
    expect(await watched.client.listSharedRuns(token, { runIds: [runId, other] })).toMatchObject([{ id: runId }])
    expect(await watched.client.listSharedRuns(token, { runIds: [other] })).toEqual([])
    const call = callOf(contract.sharing.publicRuns)
    expect(watched.taken()).toEqual([
      { call, query: {} },
      { call, query: { id: [runId, other] } },
      { call, query: { id: other } },
    ])
  })
})
