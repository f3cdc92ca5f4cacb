import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type InventedRun, inventRuns } from '../testing/invent-runs.ts'
import { type StartedApp, startApp } from '../testing/start-app.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const send = (body: object) => app.call(contract.runs.batch, { body })

async function seeded(name: string): Promise<{ runs: InventedRun[]; project: string }> {
  const runs = inventRuns(name, 8, name.length)
  await send({ post: runs.map((run) => run.sent) })
  const [project] = (await app.call(contract.projects.list, { query: { name } })).body
  return { runs, project: project!.id }
}

async function idsIn(project: string): Promise<string[]> {
  const { body } = await app.call(contract.runs.query, { body: { session: [project], select: ['id'] } })
  return body.runs.map(({ id }) => id).sort()
}

/** A run that ended, of the project of this name. */
function aRun(session_name: string, start_time: string) {
  const id = uuid7()
  return { id, trace_id: id, name: 'r', run_type: 'chain', session_name, start_time, end_time: start_time, inputs: {} }
}

const idsOf = (runs: readonly InventedRun[]) => runs.map(({ id }) => id).sort()

describe('deleting traces', () => {
  it('hides every row of the traces and of nothing else', async () => {
    const { runs, project } = await seeded('by ids')
    const trace = runs.find((run) => run.parent !== undefined)!.root
    const doomed = runs.filter((run) => run.root === trace)
    const kept = runs.filter((run) => run.root !== trace)
    await app.call(contract.feedback.create, { body: { run_id: trace, key: 'gone', score: 1 } })
    const body = { session_id: project, trace_ids: [trace] }
    const answer = await app.call(contract.runDeletions.deleteTraces, { body })
    expect(answer.status, answer.text).toBe(202)
    expect(answer.body.deleted_runs).toBe(doomed.length)

    expect(await idsIn(project)).toEqual(idsOf(kept))
    for (const { id } of doomed) {
      expect((await app.call(contract.runs.read, { params: { run_id: id } })).status).toBe(404)
    }
    expect((await app.call(contract.runs.query, { body: { trace } })).body.runs).toEqual([])
    expect((await app.call(contract.traces.runs, { params: { trace_id: trace } })).status).toBe(404)
    expect((await app.call(contract.feedback.list, { query: { run: trace } })).text).toBe('[]')
    const query = { include_stats: 'true' }
    const read = await app.call(contract.projects.read, { params: { session_id: project }, query })
    const tokens = kept.reduce((sum, run) => sum + (run.tokens ? run.tokens.prompt + run.tokens.completion : 0), 0)
    expect(read.body).toMatchObject({
      run_count: kept.filter((run) => run.parent === undefined).length,
      total_tokens: tokens,
      feedback_stats: {},
    })
    expect((await app.call(contract.runDeletions.deleteTraces, { body })).body.deleted_runs).toBe(0)
  })

  it('keeps traces of another project and rejects an invalid body', async () => {
    const { runs, project } = await seeded('elsewhere')
    const body = { session_id: uuid7(), trace_ids: [runs[0]!.root] }
    expect((await app.call(contract.runDeletions.delete, { body })).body.deleted_runs).toBe(0)
    expect(await idsIn(project)).toEqual(idsOf(runs))
    for (const bad of [{}, { session_id: project }, { metadata: {} }, { trace_ids: [runs[0]!.root] }]) {
      expect((await app.call(contract.runDeletions.delete, { body: bad })).status).toBe(400)
    }
  })

  it('finds traces by all given metadata pairs', async () => {
    const { runs, project } = await seeded('by metadata')
    const [run] = runs
    const at = { id: run!.id, extra: { metadata: { customer: 'c-1', level: 3 } } }
    await send({ patch: [at] })
    const wrong = { metadata: { customer: 'c-1', level: 4 } }
    expect((await app.call(contract.runDeletions.delete, { body: wrong })).body.deleted_runs).toBe(0)
    const right = { metadata: { customer: ['c-0', 'c-1'], level: 3 } }
    await app.call(contract.runDeletions.delete, { body: right })
    expect(await idsIn(project)).toEqual(idsOf(runs.filter(({ root }) => root !== run!.root)))
  })

  it('never takes the id of one user for that of another', async () => {
    const at = '2025-01-01T00:00:00.000Z'
    const post = async (userId: string) => {
      const run = { ...aRun('long ids', at), extra: { metadata: { user_id: '?' } } }
      await app.call(contract.runs.batch, { body: JSON.stringify({ post: [run] }).replace('"?"', userId) })
      return run.id
    }
    const other = await post('107505301260286110')
    const [asNumber, asText] = [await post('107505301260286111'), await post('"107505301260286111"')]
    const hasRun = async (id: string) => (await app.call(contract.runs.read, { params: { run_id: id } })).status === 200

    const rounded = '{"metadata":{"user_id":107505301260286111}}'
    for (const body of [rounded, rounded.replace(/\d+/, '["a",$&]')]) {
      const refused = await app.call(contract.runDeletions.delete, { body })
      expect(refused.status, refused.text).toBe(400)
      expect(refused.text).toContain('send it as text')
    }
    const body = { metadata: { user_id: '107505301260286111' } }
    expect((await app.call(contract.runDeletions.delete, { body })).body.deleted_runs).toBe(2)
    expect(await Promise.all([other, asNumber, asText].map(hasRun))).toEqual([true, false, false])
  })

  it('covers all projects and all times, also the future, and counts before it deletes', async () => {
    const one = await seeded('of a user')
    const other = await seeded('of a user elsewhere')
    const [first, second] = [one.runs[0]!, other.runs[0]!]
    const extra = { metadata: { user_id: 'dan' } }
    await send({ patch: [first, second].map(({ id }) => ({ id, extra })) })
    const future = { ...aRun('of a user', '2030-01-01T00:00:00.000Z'), extra }
    const past = { ...aRun('of a user', '2001-01-01T00:00:00.000Z'), extra }
    await send({ post: [future, past] })
    await app.call(contract.feedback.create, { body: { run_id: past.id, key: 'helpful', score: 1 } })
    const doomed = [...one.runs, ...other.runs].filter(({ root }) => root === first.root || root === second.root)

    const request = { metadata: { user_id: 'dan' } }
    const count = async (body: object = request) =>
      (await app.call(contract.runDeletions.delete, { body: { ...body, dry_run: true } })).body
    expect(await count()).toEqual({
      message: 'Nothing was deleted',
      deleted_runs: 0,
      deletion_id: null,
      found: {
        runs: doomed.length + 2,
        traces: 4,
        projects: 2,
        feedback: 1,
        first_start_time: '2001-01-01T00:00:00.000000Z',
        last_start_time: '2030-01-01T00:00:00.000000Z',
      },
    })
    expect((await count({ session_id: one.project, trace_ids: [past.id] })).found).toMatchObject({ runs: 1, traces: 1 })
    expect((await app.call(contract.runs.read, { params: { run_id: past.id } })).status).toBe(200)

    const { body } = await app.call(contract.runDeletions.delete, { body: request })
    expect(body).toMatchObject({ message: 'Runs deleted', deleted_runs: doomed.length + 2 })
    expect((await count()).found).toEqual({
      ...{ runs: 0, traces: 0, projects: 0, feedback: 0, first_start_time: null, last_start_time: null },
    })
    expect((await app.call(contract.runs.read, { params: { run_id: future.id } })).status).toBe(404)
    expect(await idsIn(other.project)).toEqual(idsOf(other.runs.filter(({ root }) => root !== second.root)))
  })

  it('ignores a later update and accepts a run that is sent again', async () => {
    const { runs, project } = await seeded('back again')
    const root = runs.find((run) => run.parent === undefined)!
    await app.call(contract.runDeletions.delete, { body: { session_id: project, trace_ids: [root.id] } })
    const late = await send({ patch: [{ id: root.id, trace_id: root.id, outputs: { late: true } }] })
    expect(late.text).toContain('was deleted')
    expect((await app.call(contract.runs.read, { params: { run_id: root.id } })).status).toBe(404)
    await send({ post: [root.sent] })
    expect((await app.call(contract.runs.read, { params: { run_id: root.id } })).body).toMatchObject({ id: root.id })
    expect(await idsIn(project)).toContain(root.id)
  })
})
