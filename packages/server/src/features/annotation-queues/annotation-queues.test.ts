import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Relational } from '../../storage/relational/port.ts'
import { aQueue, someRuns } from '../../testing/a-queue.ts'
import { anExperimentSet } from '../../testing/an-experiment.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

const { annotationQueues: routes } = contract
const LOCAL = '00000000-0000-0000-0000-000000000000'

describe.each(relationalEngines)('annotation queues on %s', (_, open) => {
  let app: StartedApp
  let relational: Relational
  let nowMs = Date.now()
  beforeAll(async () => {
    relational = await open()
    app = await startApp({ relational, clock: () => nowMs })
  })
  afterAll(async () => {
    await app.close()
    await relational.close()
  })

  const read = (queue_id: string) => app.call(routes.read, { params: { queue_id } })
  const update = (queue_id: string, body: object | string) => app.call(routes.update, { params: { queue_id }, body })
  const list = async (query: Record<string, string | string[]>) => (await app.call(routes.list, { query })).body
  const add = (queue_id: string, body: unknown) => app.call(routes.addRuns, { params: { queue_id }, body })
  const runsOf = async (queue_id: string, query: Record<string, string> = {}) =>
    (await app.call(routes.listRuns, { params: { queue_id }, query })).body
  const idsOf = async (queue_id: string, query: Record<string, string> = {}) =>
    (await runsOf(queue_id, query)).map((run) => run.id)
  const at = (queue_id: string, index: number, query: Record<string, string> = {}) =>
    app.call(routes.readRun, { params: { queue_id, index: String(index) }, query })
  const say = (queue_run_id: string, body: object) => app.call(routes.updateReview, { params: { queue_run_id }, body })
  const size = async (queue_id: string, query: Record<string, string> = {}) =>
    (await app.call(routes.size, { params: { queue_id }, query })).body.size
  const remove = (queue_id: string, queue_run_id: string) =>
    app.call(routes.deleteRun, { params: { queue_id, queue_run_id } })

  describe('the queue itself', () => {
    it('is created without showing its rubric, and read with it', async () => {
      const rubric = '[{"feedback_key":"correctness","score_descriptions":{"1":"right","0":"wrong"},"of_later":1e400}]'
      const id = uuid7()
      const created = await app.call(routes.create, {
        body: `{"id":"${id}","name":"bad answers","rubric_instructions":"Check.","rubric_items":${rubric},"metadata":{"z":12345678901234567890,"a":1}}`,
      })
      expect(created.status).toBe(200)
      expect(created.body).toMatchObject({
        id,
        name: 'bad answers',
        description: null,
        queue_type: 'single',
        default_dataset: null,
        num_reviewers_per_item: 1,
        enable_reservations: true,
        reservation_minutes: 1,
        reviewer_access_mode: 'any',
        source_rule_id: null,
        run_rule_id: null,
        assigned_reviewers: [],
      })
      expect(created.text).toContain('"metadata":{"z":12345678901234567890,"a":1}')
      expect(created.body).not.toHaveProperty('rubric_instructions')
      expect(created.body).not.toHaveProperty('rubric_items')
      const found = await read(id)
      expect(found.body.rubric_instructions).toBe('Check.')
      expect(found.text).toContain(`"rubric_items":${rubric}`)
      expect((await app.call(routes.create, { body: { id, name: 'again' } })).status).toBe(409)
    })

    it('has null for a rubric that it has not', async () => {
      const found = await read(await aQueue(app))
      expect(found.body).toMatchObject({ rubric_instructions: null, rubric_items: null, metadata: null })
    })

    it('changes what is given and nothing else; null and the sentinel mean what they say', async () => {
      const id = await aQueue(app, {
        description: 'old',
        rubric_items: [{ feedback_key: 'a' }],
        num_reviewers_per_item: 3,
        metadata: { a: 1 },
      })
      const missing = { __missing__: '__missing__' }
      const changed = await update(id, { name: 'new', num_reviewers_per_item: missing, metadata: missing })
      expect(changed.body).toMatchObject({
        name: 'new',
        description: 'old',
        rubric_items: [{ feedback_key: 'a' }],
        num_reviewers_per_item: 3,
        metadata: { a: 1 },
      })
      const body = { name: null, description: null, rubric_items: [], num_reviewers_per_item: null, metadata: null }
      await update(id, body)
      expect((await read(id)).body).toMatchObject({
        name: 'new',
        description: null,
        rubric_items: [],
        num_reviewers_per_item: null,
        metadata: null,
      })
      expect((await update(uuid7(), { name: 'x' })).status).toBe(404)
    })

    it.each([
      ['without a name', {}],
      ['with an empty name', { name: '' }],
      ['whose name no database holds', { name: 'a\0b' }],
      ['of no reviewers', { name: 'q', num_reviewers_per_item: 0 }],
      ['with reservations of no time', { name: 'q', reservation_minutes: 0 }],
      ['of three experiments', { name: 'q', session_ids: [uuid7(), uuid7(), uuid7()] }],
      ['with a rubric item without key', { name: 'q', rubric_items: [{}] }],
      ['with an unknown access mode', { name: 'q', reviewer_access_mode: 'nobody' }],
    ])('is refused %s', async (_why, body) => {
      expect((await app.call(routes.create, { body })).status).toBe(400)
    })

    it('names a dataset that exists', async () => {
      expect((await app.call(routes.create, { body: { name: 'q', default_dataset: uuid7() } })).status).toBe(404)
      const dataset = (await app.call(contract.datasets.create, { body: { name: `d-${uuid7()}` } })).body.id
      const id = await aQueue(app, { default_dataset: dataset })
      expect((await list({ dataset_id: dataset })).map((one) => one.id)).toEqual([id])
      await app.call(contract.datasets.delete, { params: { dataset_id: dataset } })
      expect((await read(id)).body.default_dataset).toBeNull()
    })

    it('is found by id, name and part of it, a page at a time, with the runs that are to be done', async () => {
      const runs = await someRuns(app, 3)
      const mark = uuid7()
      const first = await aQueue(app, { name: `${mark} 100%`, created_at: '2026-01-01T00:00:00Z' }, runs)
      const second = await aQueue(app, { name: `${mark} B`, created_at: '2026-01-02T00:00:00Z' })
      const of = async (query: Record<string, string | string[]>) =>
        (await list({ name_contains: mark, ...query })).map((one) => [one.id, one.total_runs])
      expect(await of({})).toEqual([
        [second, 0],
        [first, 3],
      ])
      const [run] = await runsOf(first)
      await say(run!.queue_run_id, { status: 'completed' })
      expect(await of({ sort_by_desc: 'False' })).toEqual([
        [first, 2],
        [second, 0],
      ])
      expect(await of({ sort_by: 'total_runs', limit: '1' })).toEqual([[first, 2]])
      expect(await of({ ids: [second, uuid7()] })).toEqual([[second, 0]])
      expect(await of({ name: `${mark} B` })).toEqual([[second, 0]])
      expect(await of({ name_contains: '100%', ids: [first, second] })).toEqual([[first, 2]])
      expect(await of({ offset: '2' })).toEqual([])
      expect(await of({ queue_type: 'pairwise' })).toEqual([])
      expect((await app.call(routes.list, { query: { limit: '101' } })).status).toBe(400)
    })

    it('goes without its runs, alone or with others', async () => {
      const [run] = await someRuns(app, 1)
      const [one, two] = [await aQueue(app, {}, [run!]), await aQueue(app)]
      const gone = await app.call(routes.delete, { params: { queue_id: one } })
      expect([gone.status, gone.text]).toEqual([200, 'null'])
      expect((await read(one)).text).toContain('not found')
      expect((await app.call(contract.runs.read, { params: { run_id: run! } })).status).toBe(200)
      expect((await app.call(routes.delete, { params: { queue_id: one } })).status).toBe(404)
      const partly = await app.call(routes.deleteMany, { query: { queue_ids: [one, two] } })
      expect(partly.status).toBe(207)
      expect(partly.body).toMatchObject({ deleted: [two], failed: [{ id: one }] })
      expect((await app.call(routes.deleteMany, { query: { queue_ids: [two] } })).status).toBe(404)
      expect((await app.call(routes.deleteMany)).status).toBe(400)
    })
  })

  describe('runs', () => {
    it('are added once, by id, with more than the id, and by key', async () => {
      const runs = await someRuns(app, 3)
      const queue = await aQueue(app)
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
      const byKey = await app.call(routes.addRunsByKey, { params: { queue_id: queue }, body: [key] })
      expect(byKey.body.map((entry) => entry.run_id)).toEqual([runs[2]])
      expect(await idsOf(queue)).toEqual(runs)
    })

    it('that are unknown are refused, and nothing is added', async () => {
      const [run] = await someRuns(app, 1)
      const queue = await aQueue(app)
      const refused = await add(queue, [run, uuid7()])
      expect(refused.status).toBe(404)
      expect(refused.text).toContain('not found')
      expect(await idsOf(queue)).toEqual([])
      expect((await add(uuid7(), [run])).status).toBe(404)
      expect((await add(queue, ['no id'])).status).toBe(400)
      expect((await add(queue, [])).body).toEqual([])
    })

    it('stand in the order in which they were added, read by index and by page', async () => {
      const runs = await someRuns(app, 4)
      const shuffled = [runs[2]!, runs[0]!, runs[3]!, runs[1]!]
      const queue = await aQueue(app, {}, shuffled)
      for (const [index, id] of shuffled.entries()) expect((await at(queue, index)).body.id).toBe(id)
      expect(await idsOf(queue, { offset: '1', limit: '2' })).toEqual(shuffled.slice(1, 3))
      const past = await at(queue, 4)
      expect(past.status).toBe(404)
      expect(past.text).toContain('not found')
      expect((await at(queue, -1)).status).toBe(400)
      const over = await app.call(routes.listRuns, { params: { queue_id: queue }, query: { limit: '101' } })
      expect(over.status).toBe(400)
    })

    it('are shown whole, with their place in the queue', async () => {
      const [id] = await someRuns(app, 1)
      await app.call(contract.feedback.create, { body: { run_id: id, key: 'correct', score: 1 } })
      const queue = await aQueue(app, {}, [id!])
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
      expect((await runsOf(queue, { include_stats: 'false' }))[0]).not.toHaveProperty('feedback_stats')
    })

    it('have inputs whatever was sent, and the text of those that were', async () => {
      const project = {
        session_name: 'odd inputs',
        name: 'odd',
        run_type: 'chain',
        start_time: new Date().toISOString(),
      }
      const [none, big] = [uuid7(), uuid7()]
      await app.call(contract.runs.batch, { body: { post: [{ id: none, ...project }] } })
      const inputs = '{"n":12345678901234567890,"__proto__":{"x":1}}'
      const text = `{"post":[{"id":"${big}",${JSON.stringify(project).slice(1, -1)},"inputs":${inputs}}]}`
      await app.call(contract.runs.batch, { body: text })
      const queue = await aQueue(app, {}, [none, big])
      expect((await at(queue, 0)).body.inputs).toEqual({})
      expect((await at(queue, 1)).text).toContain(`"inputs":${inputs}`)
    })

    it('are removed by the id of their entry or their own, one or many, and stay where they are', async () => {
      const runs = await someRuns(app, 6)
      const queue = await aQueue(app, {}, runs)
      const [first] = await runsOf(queue)
      expect((await remove(queue, first!.queue_run_id)).text).toBe('null')
      expect((await remove(queue, runs[1]!)).status).toBe(200)
      expect((await remove(queue, runs[1]!)).text).toContain('not found')
      const removeMany = (body: object) => app.call(routes.deleteRuns, { params: { queue_id: queue }, body })
      expect((await removeMany({ run_ids: [runs[2], uuid7()] })).body).toEqual({ removed: 1 })
      expect((await removeMany({})).body).toEqual({ removed: 0 })
      expect((await removeMany({ delete_all: true, exclude_run_ids: [runs[4]] })).body).toEqual({ removed: 2 })
      expect(await idsOf(queue)).toEqual([runs[4]])
      expect((await app.call(contract.runs.read, { params: { run_id: runs[0]! } })).status).toBe(200)
    })

    it('tell which queues hold them', async () => {
      const [run] = await someRuns(app, 1)
      const [one, two] = [await aQueue(app, {}, [run!]), await aQueue(app, {}, [run!])]
      await aQueue(app)
      const { body } = await app.call(routes.queuesOfRun, { params: { run_id: run! } })
      expect(body.map((queue) => queue.id).sort()).toEqual([one, two].sort())
      expect((await app.call(routes.queuesOfRun, { params: { run_id: uuid7() } })).body).toEqual([])
    })

    it('move when their time is changed', async () => {
      const runs = await someRuns(app, 3)
      const queue = await aQueue(app, {}, runs)
      const [first] = await runsOf(queue)
      const body = { added_at: '2999-01-01T00:00:00Z', last_reviewed_time: '2026-05-05T05:05:05Z' }
      const params = { queue_id: queue, queue_run_id: first!.queue_run_id }
      const changed = await app.call(routes.updateRun, { params, body })
      expect(changed.body).toMatchObject({
        added_at: '2999-01-01T00:00:00.000000Z',
        last_reviewed_time: '2026-05-05T05:05:05.000000Z',
      })
      expect(await idsOf(queue)).toEqual([runs[1], runs[2], runs[0]])
      await app.call(routes.updateRun, { params, body: { added_at: null } })
      expect(await idsOf(queue)).toEqual([runs[1], runs[2], runs[0]])
      const unknown = { queue_id: queue, queue_run_id: uuid7() }
      expect((await app.call(routes.updateRun, { params: unknown, body })).status).toBe(404)
    })

    it('that are deleted wait in no queue, nor do those of a deleted project', async () => {
      const runs = await someRuns(app, 3, { project: 'to be thinned out' })
      const queue = await aQueue(app, {}, runs)
      const [project] = (await app.call(contract.projects.list, { query: { name: 'to be thinned out' } })).body
      const body = { session_id: project!.id, trace_ids: [runs[0]] }
      await app.call(contract.runDeletions.deleteTraces, { body })
      expect(await idsOf(queue)).toEqual(runs.slice(1))
      expect(await size(queue)).toBe(2)
      expect((await app.call(routes.queuesOfRun, { params: { run_id: runs[0]! } })).body).toEqual([])
      const metadata = { team: uuid7() }
      await app.call(contract.runs.batch, { body: { patch: [{ id: runs[1], extra: { metadata } }] } })
      await app.call(contract.runDeletions.delete, { body: { metadata, trace_ids: [] } })
      expect(await idsOf(queue)).toEqual(runs.slice(2))
      await app.call(contract.projects.delete, { params: { session_id: project!.id } })
      expect(await size(queue)).toBe(0)
    })
  })

  describe('reviewing', () => {
    it('completes an item, which is then archived, and takes it back', async () => {
      const runs = await someRuns(app, 3)
      const queue = await aQueue(app, {}, runs)
      const [first] = await runsOf(queue)
      const viewed = await say(first!.queue_run_id, { status: 'viewed' })
      expect(viewed.body).toEqual({
        queue_item_id: first!.queue_run_id,
        status: 'viewed',
        is_archived: false,
        override_added_at: null,
      })
      expect((await at(queue, 0)).body.reserved_by).toEqual([LOCAL])
      expect((await say(first!.queue_run_id, { status: 'completed' })).body.is_archived).toBe(true)
      expect((await say(first!.queue_run_id, { status: 'completed' })).body.is_archived).toBe(true)
      expect((await at(queue, 0)).body.id).toBe(runs[1])
      const [done] = await runsOf(queue, { status: 'completed' })
      expect(done).toMatchObject({ id: runs[0], reserved_by: [], completed_by: [LOCAL] })
      expect(done!.last_reviewed_time).not.toBeNull()
      expect(await idsOf(queue, { archived: 'true' })).toEqual([runs[0]])
      expect(await idsOf(queue, { archived: 'false' })).toEqual(runs.slice(1))
      expect(await idsOf(queue)).toEqual(runs)
      expect(await size(queue)).toBe(2)
      expect(await size(queue, { status: 'completed' })).toBe(1)
      const total = await app.call(routes.totalSize, { params: { queue_id: queue } })
      expect(total.body.size).toBe(3)
      expect((await say(first!.queue_run_id, { status: null })).body.is_archived).toBe(false)
      expect(await idsOf(queue, { archived: 'false' })).toEqual(runs)
      expect((await say(uuid7(), { status: 'viewed' })).text).toContain('not found')
      expect((await say(first!.queue_run_id, { status: 'skipped' })).status).toBe(400)
    })

    it('puts an item back to the end for the one who asks', async () => {
      const runs = await someRuns(app, 3)
      const queue = await aQueue(app, {}, runs)
      const [first] = await runsOf(queue)
      nowMs += 1000
      const override_added_at = new Date(nowMs).toISOString()
      const { body } = await say(first!.queue_run_id, { status: null, override_added_at })
      expect(body.override_added_at).toBe(override_added_at.replace('Z', '000Z'))
      expect(await idsOf(queue)).toEqual([runs[1], runs[2], runs[0]])
      expect((await at(queue, 2)).body.effective_added_at).toBe(body.override_added_at)
      const params = { queue_id: queue }
      expect((await app.call(routes.takeNext, { params })).body!.id).toBe(runs[1])
      const [second, third] = await runsOf(queue)
      for (const one of [second, third]) await say(one!.queue_run_id, { status: 'completed' })
      expect((await app.call(routes.takeNext, { params })).body!.id).toBe(runs[0])
    })

    it('hands the next one out, the same one until it is done, and null in the end', async () => {
      const runs = await someRuns(app, 2)
      const params = { queue_id: await aQueue(app, {}, runs) }
      const next = await app.call(routes.takeNext, { params })
      expect(next.body).toMatchObject({ id: runs[0], reserved_by: [LOCAL] })
      expect((await app.call(routes.takeNext, { params })).body!.id).toBe(runs[0])
      await say(next.body!.queue_run_id, { status: 'completed' })
      const last = await app.call(routes.takeNext, { params })
      expect(last.body!.id).toBe(runs[1])
      await say(last.body!.queue_run_id, { status: 'completed' })
      expect((await app.call(routes.takeNext, { params })).text).toBe('null')
      expect((await app.call(routes.takeNext, { params: { queue_id: uuid7() } })).status).toBe(404)
    })

    it('counts what was completed in a while, and finds the place of an item', async () => {
      const runs = await someRuns(app, 4)
      const queue = await aQueue(app, {}, runs)
      const entries = await runsOf(queue)
      const times: string[] = []
      for (const entry of entries.slice(0, 3)) {
        nowMs += 1000
        times.push(new Date(nowMs).toISOString())
        await say(entry.queue_run_id, { status: 'completed' })
      }
      const archived = async (query: Record<string, string>) =>
        (await app.call(routes.totalArchived, { params: { queue_id: queue }, query })).body.size
      expect(await archived({})).toBe(3)
      expect(await archived({ start_time: times[1]! })).toBe(2)
      expect(await archived({ start_time: times[0]!, end_time: times[2]! })).toBe(2)
      const place = async (queue_run_id: string) =>
        (await app.call(routes.resolveRun, { params: { queue_id: queue, queue_run_id } })).body
      expect(await place(entries[3]!.queue_run_id)).toEqual({ section: 'needs_my_review', position: 0 })
      expect(await place(entries[2]!.queue_run_id)).toEqual({ section: 'completed', position: 2 })
      const unknown = await app.call(routes.resolveRun, { params: { queue_id: queue, queue_run_id: uuid7() } })
      expect(unknown.status).toBe(404)
    })
  })

  describe('filling a queue', () => {
    it('takes the root runs of experiments, once, those that a filter matches', async () => {
      const set = await anExperimentSet(app, { examples: 3 })
      const queue = await aQueue(app, {}, [set.runIds[0]![1]!])
      const populate = (body: object) => app.call(routes.populate, { body: { queue_id: queue, ...body } })
      const filter = `eq(reference_example_id, "${set.exampleIds[2]}")`
      expect((await populate({ session_ids: [set.sessionIds[0]], filter })).body).toEqual({ added: 1 })
      expect((await populate({ session_ids: [set.sessionIds[0]] })).body).toEqual({ added: 1 })
      const [a, b, c] = set.runIds[0]!
      expect(await idsOf(queue)).toEqual([b, c, a])
      expect((await populate({ session_ids: [uuid7()] })).status).toBe(404)
      expect((await populate({ session_ids: [] })).status).toBe(400)
      expect((await populate({ session_ids: [set.sessionIds[0]], filter: 'eq(' })).status).toBe(400)
    })

    it('puts the runs of two experiments side by side', async () => {
      const set = await anExperimentSet(app, { examples: 2 })
      const created = await app.call(routes.create, { body: { name: 'pairs', session_ids: set.sessionIds } })
      expect(created.body.queue_type).toBe('pairwise')
      const [[a, b], [c, d]] = set.runIds as [[string, string], [string, string]]
      expect(await idsOf(created.body.id)).toEqual([a, c, b, d])
      const refused = await app.call(routes.create, { body: { name: 'q', session_ids: [uuid7()] } })
      expect(refused.status).toBe(404)
    })
  })

  describe('what comes of it', () => {
    it('is exported: completed runs with scores and comments', async () => {
      const runs = await someRuns(app, 3)
      const queue = await aQueue(app, { name: 'bad "answers"' }, runs)
      const give = (run_id: string, key: string, fields: object) =>
        app.call(contract.feedback.create, { body: { run_id, key, ...fields } })
      await give(runs[0]!, 'correct', { score: 1, comment: 'well, "yes"' })
      nowMs += 1
      await give(runs[0]!, 'correct', { score: 0 })
      await give(runs[1]!, 'tone', { value: 'rude' })
      for (const run of (await runsOf(queue)).slice(0, 2)) await say(run.queue_run_id, { status: 'completed' })
      const path = `/annotation-queues/${queue}/export`
      const plain = await app.fetch(path, { method: 'POST', body: '{}' })
      expect(plain.headers.get('content-type')).toContain('text/csv')
      expect(plain.headers.get('content-disposition')).toContain('bad')
      expect(await plain.text()).toBe(
        [
          'run_id,inputs,outputs,feedback.correct,feedback.tone,comment',
          `${runs[0]},"{""at"":0}","{""answer"":0}",0.5,,"correct: well, ""yes"""`,
          `${runs[1]},"{""at"":1}","{""answer"":1}",,rude,`,
          '',
        ].join('\n'),
      )
      const detail = await app.fetch(path, { method: 'POST', body: '{"include_annotator_detail":true}' })
      const [header, first] = (await detail.text()).split('\n')
      expect(header).toMatch(/,comment,completed_by$/)
      expect(first).toContain('1; 0')
      expect(first).toMatch(/,local$/)
      const later = JSON.stringify({ start_time: new Date(nowMs + 1000).toISOString() })
      expect(await (await app.fetch(path, { method: 'POST', body: later })).text()).toBe(
        'run_id,inputs,outputs,comment\n',
      )
      expect((await app.fetch(`/annotation-queues/${uuid7()}/export`, { method: 'POST' })).status).toBe(404)
    })

    describe('as an example', () => {
      const correct = (queue_id: string, queue_run_id: string, body?: object | string) =>
        app.call(routes.addExample, { params: { queue_id, queue_run_id }, ...(body !== undefined && { body }) })
      const aDataset = async () =>
        (await app.call(contract.datasets.create, { body: { name: `d-${uuid7()}` } })).body.id
      const examplesOf = async (dataset: string) =>
        (await app.call(contract.examples.list, { query: { dataset } })).body

      it('is written to the default dataset, and once more in its place', async () => {
        const dataset = await aDataset()
        const [run] = await someRuns(app, 1)
        const queue = await aQueue(app, { default_dataset: dataset }, [run!])
        const [entry] = await runsOf(queue)
        const first = await correct(queue, entry!.queue_run_id)
        expect(first.status, first.text).toBe(200)
        expect(first.body).toMatchObject({
          dataset_id: dataset,
          inputs: { at: 0 },
          outputs: { answer: 0 },
          source_run_id: run,
        })
        const outputs = '{"answer":12345678901234567890}'
        const second = await correct(queue, run!, `{"outputs":${outputs},"metadata":{"by":"me"},"split":"hard"}`)
        expect(second.text).toContain(`"outputs":${outputs}`)
        expect(second.body).toMatchObject({
          id: first.body.id,
          inputs: { at: 0 },
          metadata: { by: 'me', dataset_split: ['hard'] },
        })
        expect(await examplesOf(dataset)).toHaveLength(1)
        await app.call(contract.examples.delete, { params: { example_id: first.body.id } })
        expect((await correct(queue, run!)).body.id).not.toBe(first.body.id)
        expect(await examplesOf(dataset)).toHaveLength(1)
      })

      it('takes the place of the one it was proposed for', async () => {
        const dataset = await aDataset()
        const body = { dataset_id: dataset, inputs: { old: true } }
        const proposed = (await app.call(contract.examples.create, { body })).body.id
        const [run] = await someRuns(app, 1)
        const queue = await aQueue(app, { default_dataset: dataset })
        const [entry] = (await add(queue, [{ run_id: run, source_proposed_example_id: proposed }])).body
        expect((await correct(queue, entry!.id, { outputs: { right: 1 } })).body.id).toBe(proposed)
        expect(await examplesOf(dataset)).toMatchObject([{ id: proposed, inputs: { at: 0 }, outputs: { right: 1 } }])
      })

      it('is refused without a dataset, by its schema, and for unknown items', async () => {
        const [run] = await someRuns(app, 1)
        const bare = await aQueue(app, {}, [run!])
        expect((await correct(bare, run!)).status).toBe(400)
        const schema = { type: 'object', required: ['question'] }
        const body = { name: `d-${uuid7()}`, inputs_schema_definition: schema }
        const dataset = (await app.call(contract.datasets.create, { body })).body.id
        const strict = await aQueue(app, { default_dataset: dataset }, [run!])
        expect((await correct(strict, run!)).status).toBe(400)
        expect((await correct(strict, run!, { inputs: { question: '?' } })).status).toBe(200)
        expect((await correct(strict, uuid7())).status).toBe(404)
        expect((await correct(uuid7(), run!)).status).toBe(404)
      })
    })
  })
})
