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
