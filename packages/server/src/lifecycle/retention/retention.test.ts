import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordDeletion } from '../../storage/record-deletion.ts'
import { openEmptyPglite } from '../../testing/pglite-template.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { expireTraces } from './expire-traces.ts'

const DAY_MS = 86_400_000
const { retention } = contract
let app: StartedApp
let tenantId: string
beforeAll(async () => {
  app = await startApp()
  tenantId = (await app.call(contract.workspaces.settings)).body.id
})
afterAll(() => app.close())

/** A trace whose runs began so many days ago, its root first. */
async function aTrace(project: string, ages: readonly number[]): Promise<string[]> {
  const ids = ages.map(() => uuid7())
  const part = (at: number) => {
    const start = new Date(Date.now() - ages[at]! * DAY_MS).toISOString()
    return { start, order: `${start.replaceAll(/[-:.]/g, '').replace('Z', '000Z')}${ids[at]}` }
  }
  const root = part(0)
  const post = ids.map((id, at) => ({
    id,
    trace_id: ids[0],
    ...(at > 0 && { parent_run_id: ids[0] }),
    dotted_order: at === 0 ? root.order : `${root.order}.${part(at).order}`,
    name: 'step',
    run_type: 'chain',
    session_name: project,
    start_time: part(at).start,
    end_time: part(at).start,
    inputs: { at },
  }))
  const answer = await app.call(contract.runs.batch, { body: { post } })
  expect(answer.status, answer.text).toBe(202)
  return ids
}

async function idOf(name: string, on = app): Promise<string> {
  return (await on.call(contract.projects.list, { query: { name } })).body[0]!.id
}

async function runsOf(project: string, on = app): Promise<string[]> {
  const { body } = await on.call(contract.runs.query, { body: { session: [project], select: ['id'], limit: 100 } })
  return body.runs.map(({ id }) => id).sort()
}

const before = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().replace('Z', '000Z')
const expire = (projectId: string, days: number, more: object = {}) =>
  recordDeletion(app.deps, { tenantId, kind: 'retention', subject: 'old traces', requestedBy: undefined }, (record) =>
    expireTraces(app.deps, { tenantId, projectId, before: before(days), record, ...more }),
  )

describe('expiring traces', () => {
  it('removes whole old traces, but none with a younger run', async () => {
    const old = await aTrace('ageing', [40, 39])
    const stillRunning = await aTrace('ageing', [40, 2])
    const young = await aTrace('ageing', [1])
    const project = await idOf('ageing')
    await app.call(contract.feedback.create, { body: { run_id: old[0], key: 'k', score: 1 } })
    expect(await expire(project, 30)).toEqual({ isDone: true, runs: 2 })
    expect(await runsOf(project)).toEqual([...stillRunning, ...young].sort())
    expect((await app.call(contract.runs.read, { params: { run_id: old[0]! } })).status).toBe(404)
    expect((await app.call(contract.feedback.list, { query: { run: old[0]! } })).text).toBe('[]')
    expect(await expire(project, 30)).toEqual({ isDone: true, runs: 0 })
  })

  it('does not change other projects', async () => {
    await aTrace('one of two', [50])
    const others = await aTrace('the other', [50])
    await expire(await idOf('one of two'), 30)
    expect(await runsOf(await idOf('one of two'))).toEqual([])
    expect(await runsOf(await idOf('the other'))).toEqual(others)
  })

  it('keeps shared and queued traces as long as they are shared or queued', async () => {
    const shared = await aTrace('looked at', [50, 50])
    const queued = await aTrace('looked at', [50])
    const scored = await aTrace('looked at', [50])
    await aTrace('looked at', [50])
    const project = await idOf('looked at')
    await app.call(contract.sharing.shareRun, { params: { run_id: shared[1]! }, body: {} })
    const queue = (await app.call(contract.annotationQueues.create, { body: { name: 'triage' } })).body
    const params = { queue_id: queue.id }
    expect((await app.call(contract.annotationQueues.addRuns, { params, body: [queued[0]] })).status).toBe(200)
    await app.call(contract.feedback.create, { body: { run_id: scored[0], key: 'k', score: 1 } })
    const query = { days: '30' }
    const asked = { params: { session_id: project }, query }
    expect((await app.call(retention.estimateProject, asked)).body).toMatchObject({
      trace_count: 2,
      run_count: 2,
      kept_trace_count: 2,
    })
    await expire(project, 30)
    expect(await runsOf(project)).toEqual([...shared, ...queued].sort())
    await app.call(contract.sharing.unshareRun, { params: { run_id: shared[1]! } })
    await expire(project, 30)
    expect(await runsOf(project)).toEqual(queued)
  })

  it('stops between two steps and resumes there', async () => {
    for (let at = 0; at < 3; at++)
      await aTrace(
        'many',
        Array.from({ length: 400 }, () => 60),
      )
    const project = await idOf('many')
    const first = await expire(project, 30, { signal: AbortSignal.abort() })
    expect(first.isDone).toBe(false)
    const second = await expire(project, 30)
    expect([second.isDone, first.runs + second.runs]).toEqual([true, 1200])
    expect(await runsOf(project)).toEqual([])
  })
})

describe('the retention of a project', () => {
  it('follows the workspace until it has its own setting, and removes expired traces', async () => {
    await aTrace('follower', [10])
    await aTrace('keeper', [10])
    const [follower, keeper] = [await idOf('follower'), await idOf('keeper')]
    const ofProject = (session_id: string) => ({ params: { session_id } })
    const set = (session_id: string, days: number | null) =>
      app.call(retention.setProject, { ...ofProject(session_id), body: { days } })
    expect((await app.call(retention.readProject, ofProject(follower))).body).toEqual({
      days: null,
      effective_days: 0,
      removes_before: null,
    })
    await set(keeper, 0)
    const estimate = (await app.call(retention.estimateWorkspace, { query: { days: '7' } })).body
    expect(estimate.trace_count).toBeGreaterThanOrEqual(1)
    const answer = await app.call(retention.setWorkspace, { body: { days: 7 } })
    expect(answer.body).toEqual({ days: 7, projects: [{ session_id: keeper, days: 0 }] })
    expect((await app.call(retention.readProject, ofProject(follower))).body.effective_days).toBe(7)
    await expect.poll(() => runsOf(follower), { timeout: 20_000 }).toEqual([])
    expect(await runsOf(keeper)).toHaveLength(1)
    expect((await set(keeper, null)).body).toMatchObject({ days: null, effective_days: 7 })
    await expect.poll(() => runsOf(keeper), { timeout: 20_000 }).toEqual([])
    await app.call(retention.setWorkspace, { body: { days: 0 } })
  })

  it('affects an experiment only by its own setting', async () => {
    const dataset = (await app.call(contract.datasets.create, { body: { name: 'golden' } })).body
    const body = { name: 'experiment', reference_dataset_id: dataset.id }
    const { id } = (await app.call(contract.projects.create, { body })).body
    await app.call(retention.setWorkspace, { body: { days: 3 } })
    const read = async () => (await app.call(retention.readProject, { params: { session_id: id } })).body
    expect((await read()).effective_days).toBe(0)
    await app.call(retention.setProject, { params: { session_id: id }, body: { days: 5 } })
    expect((await read()).effective_days).toBe(5)
    await app.call(retention.setWorkspace, { body: { days: 0 } })
  })

  it.each([-1, 1.5, 36_501, '7', undefined])('rejects %s days', async (days) => {
    expect((await app.call(retention.setWorkspace, { body: { days } })).status).toBe(400)
  })

  it('returns 404 for an unknown project', async () => {
    const params = { session_id: uuid7() }
    expect((await app.call(retention.readProject, { params })).status).toBe(404)
    expect((await app.call(retention.setProject, { params, body: { days: 3 } })).status).toBe(404)
    expect((await app.call(retention.estimateProject, { params, query: { days: '3' } })).status).toBe(404)
  })
})

it('continues after a restart with the work of a stopped process', async () => {
  const relational = await openEmptyPglite()
  const stopped = await startApp({ relational, config: { roles: ['api'] } })
  const start = new Date(Date.now() - 20 * DAY_MS).toISOString()
  const id = uuid7()
  const order = `${start.replaceAll(/[-:.]/g, '').replace('Z', '000Z')}${id}`
  const run = {
    id,
    trace_id: id,
    dotted_order: order,
    name: 'r',
    run_type: 'chain',
    start_time: start,
    end_time: start,
  }
  await stopped.call(contract.runs.batch, { body: { post: [{ ...run, session_name: 'across' }] } })
  const project = await idOf('across', stopped)
  await stopped.call(retention.setProject, { params: { session_id: project }, body: { days: 10 } })
  expect(await runsOf(project, stopped)).toEqual([id])
  await stopped.close()

  const started = await startApp({ relational })
  await expect.poll(() => runsOf(project, started), { timeout: 20_000 }).toEqual([])
  await started.close()
  await relational.close()
})
