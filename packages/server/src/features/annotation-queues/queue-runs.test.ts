import { contract, uuid7 } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import { aQueue, someRuns } from '../../testing/a-queue.ts'
import { aQueueApp } from '../../testing/a-queue-app.ts'
import { anExperimentSet } from '../../testing/an-experiment.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'

const { annotationQueues: routes } = contract

describe.each(relationalEngines(import.meta.filename))('the content of annotation queues on %s', (_, open) => {
  const fixture = aQueueApp(open)
  const { add, listRuns, listIds, at, size, remove } = fixture

  describe('runs', () => {
    it('are added once, by id, by object and by key', async () => {
      const runs = await someRuns(fixture.app, 3)
      const queue = await aQueue(fixture.app)
      const proposed = uuid7()
      const [first] = (await add(queue, [runs[0]])).body
      expect(first).toEqual({
        id: first!.id,
        queue_id: queue,
        run_id: runs[0],
        added_at: first!.added_at,
        last_reviewed_time: null,
        source_proposed_example_id: null,
      })
      const mixed = await add(queue, [runs[0], { run_id: runs[1], source_proposed_example_id: proposed }])
      expect(mixed.body.map((entry) => [entry.run_id, entry.source_proposed_example_id])).toEqual([
        [runs[0], null],
        [runs[1], proposed],
      ])
      expect(mixed.body[0]!.id).toBe(first!.id)
      const key = { run_id: runs[2], session_id: uuid7(), start_time: '2026-01-01T00:00:00.000Z' }
      const byKey = await fixture.app.call(routes.addRunsByKey, { params: { queue_id: queue }, body: [key] })
      expect(byKey.body.map((entry) => entry.run_id)).toEqual([runs[2]])
      expect(await listIds(queue)).toEqual(runs)
    })

    it('are rejected together when one is unknown', async () => {
      const [run] = await someRuns(fixture.app, 1)
      const queue = await aQueue(fixture.app)
      const refused = await add(queue, [run, uuid7()])
      expect(refused.status).toBe(404)
      expect(refused.text).toContain('not found')
      expect(await listIds(queue)).toEqual([])
      expect((await add(uuid7(), [run])).status).toBe(404)
      expect((await add(queue, ['no id'])).status).toBe(400)
      expect((await add(queue, [])).body).toEqual([])
    })

    it('are read in the order of their addition, by index and in pages', async () => {
      const runs = await someRuns(fixture.app, 4)
      const shuffled = [runs[2]!, runs[0]!, runs[3]!, runs[1]!]
      const queue = await aQueue(fixture.app, {}, shuffled)
      for (const [index, id] of shuffled.entries()) expect((await at(queue, index)).body.id).toBe(id)
      expect(await listIds(queue, { offset: '1', limit: '2' })).toEqual(shuffled.slice(1, 3))
      const past = await at(queue, 4)
      expect(past.status).toBe(404)
      expect(past.text).toContain('not found')
      expect((await at(queue, -1)).status).toBe(400)
      const over = await fixture.app.call(routes.listRuns, { params: { queue_id: queue }, query: { limit: '101' } })
      expect(over.status).toBe(400)
    })

    it('contain all fields and their item of the queue', async () => {
      const [id] = await someRuns(fixture.app, 1)
      await fixture.app.call(contract.feedback.create, { body: { run_id: id, key: 'correct', score: 1 } })
      const queue = await aQueue(fixture.app, {}, [id!])
      const { body } = await at(queue, 0)
      expect(body).toMatchObject({
        id,
        inputs: { at: 0 },
        outputs: { answer: 0 },
        app_path: expect.stringContaining(id!),
        feedback_stats: { correct: { n: 1, avg: 1 } },
        extra: expect.anything(),
        last_reviewed_time: null,
        reserved_by: [],
        completed_by: [],
        source_proposed_example_id: null,
      })
      expect(body.effective_added_at).toBe(body.added_at)
      expect((await at(queue, 0, { include_extra: 'False' })).body).not.toHaveProperty('extra')
      expect((await listRuns(queue, { include_stats: 'false' }))[0]).not.toHaveProperty('feedback_stats')
    })

    it('always have inputs, with the raw JSON of sent inputs', async () => {
      const project = {
        session_name: 'odd inputs',
        name: 'odd',
        run_type: 'chain',
        start_time: new Date().toISOString(),
      }
      const [none, big] = [uuid7(), uuid7()]
      await fixture.app.call(contract.runs.batch, { body: { post: [{ id: none, ...project }] } })
      const inputs = '{"n":12345678901234567890,"__proto__":{"x":1}}'
      const text = `{"post":[{"id":"${big}",${JSON.stringify(project).slice(1, -1)},"inputs":${inputs}}]}`
      await fixture.app.call(contract.runs.batch, { body: text })
      const queue = await aQueue(fixture.app, {}, [none, big])
      expect((await at(queue, 0)).body.inputs).toEqual({})
      expect((await at(queue, 1)).text).toContain(`"inputs":${inputs}`)
    })

    it('are removed from the queue by item id or run id, but not deleted', async () => {
      const runs = await someRuns(fixture.app, 6)
      const queue = await aQueue(fixture.app, {}, runs)
      const [first] = await listRuns(queue)
      expect((await remove(queue, first!.queue_run_id)).text).toBe('null')
      expect((await remove(queue, runs[1]!)).status).toBe(200)
      expect((await remove(queue, runs[1]!)).text).toContain('not found')
      const removeMany = (body: object) => fixture.app.call(routes.deleteRuns, { params: { queue_id: queue }, body })
      expect((await removeMany({ run_ids: [runs[2], uuid7()] })).body).toEqual({ removed: 1 })
      expect((await removeMany({})).body).toEqual({ removed: 0 })
      expect((await removeMany({ delete_all: true, exclude_run_ids: [runs[4]] })).body).toEqual({ removed: 2 })
      expect(await listIds(queue)).toEqual([runs[4]])
      expect((await fixture.app.call(contract.runs.read, { params: { run_id: runs[0]! } })).status).toBe(200)
    })

    it('are found in their queues', async () => {
      const [run] = await someRuns(fixture.app, 1)
      const [one, two] = [await aQueue(fixture.app, {}, [run!]), await aQueue(fixture.app, {}, [run!])]
      await aQueue(fixture.app)
      const { body } = await fixture.app.call(routes.queuesOfRun, { params: { run_id: run! } })
      expect(body.map((queue) => queue.id).sort()).toEqual([one, two].sort())
      expect((await fixture.app.call(routes.queuesOfRun, { params: { run_id: uuid7() } })).body).toEqual([])
    })

    it('change their position with their time', async () => {
      const runs = await someRuns(fixture.app, 3)
      const queue = await aQueue(fixture.app, {}, runs)
      const [first] = await listRuns(queue)
      const body = { added_at: '2999-01-01T00:00:00Z', last_reviewed_time: '2026-05-05T05:05:05Z' }
      const params = { queue_id: queue, queue_run_id: first!.queue_run_id }
      const changed = await fixture.app.call(routes.updateRun, { params, body })
      expect(changed.body).toMatchObject({
        added_at: '2999-01-01T00:00:00.000000Z',
        last_reviewed_time: '2026-05-05T05:05:05.000000Z',
      })
      expect(await listIds(queue)).toEqual([runs[1], runs[2], runs[0]])
      await fixture.app.call(routes.updateRun, { params, body: { added_at: null } })
      expect(await listIds(queue)).toEqual([runs[1], runs[2], runs[0]])
      const unknown = { queue_id: queue, queue_run_id: uuid7() }
      expect((await fixture.app.call(routes.updateRun, { params: unknown, body })).status).toBe(404)
    })

    it('are removed when they or their project are deleted', async () => {
      const runs = await someRuns(fixture.app, 3, { project: 'to be thinned out' })
      const queue = await aQueue(fixture.app, {}, runs)
      const [project] = (await fixture.app.call(contract.projects.list, { query: { name: 'to be thinned out' } })).body
      const body = { session_id: project!.id, trace_ids: [runs[0]] }
      await fixture.app.call(contract.runDeletions.deleteTraces, { body })
      expect(await listIds(queue)).toEqual(runs.slice(1))
      expect(await size(queue)).toBe(2)
      expect((await fixture.app.call(routes.queuesOfRun, { params: { run_id: runs[0]! } })).body).toEqual([])
      const metadata = { team: uuid7() }
      await fixture.app.call(contract.runs.batch, { body: { patch: [{ id: runs[1], extra: { metadata } }] } })
      await fixture.app.call(contract.runDeletions.delete, { body: { metadata, trace_ids: [] } })
      expect(await listIds(queue)).toEqual(runs.slice(2))
      await fixture.app.call(contract.projects.delete, { params: { session_id: project!.id } })
      expect(await size(queue)).toBe(0)
    })
  })

  describe('filling a queue', () => {
    it('adds the root runs of experiments that match a filter, once', async () => {
      const set = await anExperimentSet(fixture.app, { examples: 3 })
      const queue = await aQueue(fixture.app, {}, [set.runIds[0]![1]!])
      const populate = (body: object) => fixture.app.call(routes.populate, { body: { queue_id: queue, ...body } })
      const filter = `eq(reference_example_id, "${set.exampleIds[2]}")`
      expect((await populate({ session_ids: [set.sessionIds[0]], filter })).body).toEqual({ added: 1 })
      expect((await populate({ session_ids: [set.sessionIds[0]] })).body).toEqual({ added: 1 })
      const [a, b, c] = set.runIds[0]!
      expect(await listIds(queue)).toEqual([b, c, a])
      expect((await populate({ session_ids: [uuid7()] })).status).toBe(404)
      expect((await populate({ session_ids: [] })).status).toBe(400)
      expect((await populate({ session_ids: [set.sessionIds[0]], filter: 'eq(' })).status).toBe(400)
    })

    it('pairs the runs of two experiments', async () => {
      const set = await anExperimentSet(fixture.app, { examples: 2 })
      const created = await fixture.app.call(routes.create, { body: { name: 'pairs', session_ids: set.sessionIds } })
      expect(created.body.queue_type).toBe('pairwise')
      const [[a, b], [c, d]] = set.runIds as [[string, string], [string, string]]
      expect(await listIds(created.body.id)).toEqual([a, c, b, d])

      const scores = { correct: [[[1, 0, 1]], [[1, 0]]] }
      const repeated = await anExperimentSet(fixture.app, { examples: 1, scores })
      const body = { name: 'repetitions', session_ids: repeated.sessionIds }
      const queue = (await fixture.app.call(routes.create, { body })).body.id
      const [[a1, a2, a3], [b1, b2]] = repeated.runIds as [string[], string[]]
      expect(await listIds(queue)).toEqual([a1, b1, a2, b2, a3])
      const refused = await fixture.app.call(routes.create, { body: { name: 'q', session_ids: [uuid7()] } })
      expect(refused.status).toBe(404)
    })
  })
})
