import { contract, uuid7 } from '@touchstone/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { aQueue, someRuns } from '../../testing/a-queue.ts'
import { aQueueApp } from '../../testing/a-queue-app.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'

const { annotationQueues: routes } = contract
const THREAD = 'order 88, "urgent"'

describe.each(relationalEngines(import.meta.filename))('the progress of queues on %s', (_, open) => {
  const fixture = aQueueApp(open)
  let [ann, bob] = [{}, {}] as Record<string, string>[]
  beforeAll(async () => {
    ann = await aPerson('Ann')
    bob = await aPerson('Bob')
  })

  async function aPerson(description: string): Promise<Record<string, string>> {
    const made = await fixture.app.call(contract.apiKeys.create, { body: { description }, headers: ann ?? {} })
    return { 'x-api-key': made.body.key }
  }

  async function given(body: object, runs: number) {
    const ids = await someRuns(fixture.app, runs, { headers: ann! })
    const queue_id = await aQueue(fixture.app, body, ids, ann)
    const { body: entries } = await fixture.app.call(routes.listRuns, { params: { queue_id }, headers: ann! })
    return { queue_id, runs: ids, entries: entries.map((entry) => entry.queue_run_id) }
  }
  const review = (headers: object, queue_run_id: string, status: string) =>
    fixture.app.call(routes.updateReview, { params: { queue_run_id }, body: { status }, headers: { ...headers } })
  const score = (headers: object, run_id: string, key: string, value: object) =>
    fixture.app.call(contract.feedback.create, {
      body: { run_id, key, ...value, feedback_source: { type: 'app', user_id: 'someone else' } },
      headers: { ...headers },
    })
  const progressFor = async (headers: object, ids: string | string[]) =>
    (await fixture.app.call(routes.progress, { query: { ids }, headers: { ...headers } })).body

  it('counts the sections, own reviews and reservations for the caller', async () => {
    const { queue_id, entries } = await given({ num_reviewers_per_item: 2 }, 3)
    await review(ann!, entries[0]!, 'completed')
    await review(bob!, entries[0]!, 'completed')
    await review(ann!, entries[1]!, 'completed')
    await review(bob!, entries[2]!, 'viewed')
    const last_reviewed_time = new Date(fixture.nowMs).toISOString()
    const [forAnn] = await progressFor(ann!, queue_id)
    const counts = { queue_id, completed: 1, reserved: 1 }
    expect(forAnn).toMatchObject({ ...counts, needs_my_review: 1, needs_others_review: 1, completed_by_me: 2 })
    expect(new Date(forAnn!.last_reviewed_time!).toISOString()).toBe(last_reviewed_time)
    const [forBob] = await progressFor(bob!, queue_id)
    expect(forBob).toMatchObject({ ...counts, needs_my_review: 2, needs_others_review: 0, completed_by_me: 1 })
  })

  it('is zero for an empty queue, and rejects no ids and unknown queues', async () => {
    const { queue_id } = await given({}, 0)
    expect(await progressFor(ann!, queue_id)).toEqual([
      {
        queue_id,
        needs_my_review: 0,
        needs_others_review: 0,
        completed: 0,
        completed_by_me: 0,
        reserved: 0,
        last_reviewed_time: null,
      },
    ])
    expect((await fixture.app.call(routes.progress, { headers: ann! })).status).toBe(400)
    const ids = '00000000-0000-4000-8000-000000000001'
    expect((await fixture.app.call(routes.progress, { query: { ids }, headers: ann! })).status).toBe(404)
  })

  it('tells how far reviewers agree, by the answers that they gave in the app', async () => {
    const rubric_items = [{ feedback_key: 'tone' }, { feedback_key: 'kind' }]
    const { queue_id, runs, entries } = await given({ num_reviewers_per_item: 2, rubric_items }, 3)
    const [a, b] = runs as [string, string, string]
    for (const entry of entries.slice(0, 2)) {
      await review(ann!, entry, 'completed')
      await review(bob!, entry, 'completed')
    }
    await score(ann!, a, 'tone', { score: 1 })
    await score(bob!, a, 'tone', { score: 1 })
    await score(ann!, b, 'tone', { score: 0 })
    await score(bob!, b, 'tone', { score: 1 })
    fixture.nowMs += 1_000
    await score(bob!, b, 'tone', { score: 0 }) // the latest counts
    await score(ann!, a, 'kind', { value: 'bug' })
    await score(await aPerson('Carol'), a, 'tone', { score: 0 }) // she does not review in this queue
    const { body } = await fixture.app.call(routes.agreement, { params: { queue_id }, headers: ann! })
    expect(body).toEqual({
      keys: [
        { key: 'tone', level: 'interval', items: 2, reviewers: 2, alpha: 1, equal_share: 1 },
        { key: 'kind', level: 'nominal', items: 0, reviewers: 1, alpha: null, equal_share: null },
      ],
      items: 2,
      items_read: 2,
    })
  })

  it('counts threads in the agreement', async () => {
    const { queue_id } = await given({ num_reviewers_per_item: 2, rubric_items: [{ feedback_key: 'tone' }] }, 0)
    const [turn] = await someRuns(fixture.app, 1, { thread: THREAD, headers: ann! })
    const run = await fixture.app.call(contract.runs.read, { params: { run_id: turn! }, headers: ann! })
    const project_id = run.body.session_id
    const made = await fixture.app.call(contract.annotationQueueItems.add, {
      params: { queue_id },
      body: { items: [{ item_type: 'THREAD', project_id, thread_id: THREAD }] },
      headers: ann!,
    })
    const [item] = made.body.items
    for (const [headers, value] of [
      [ann!, 1],
      [bob!, 0],
    ] as const) {
      await fixture.app.call(contract.annotationQueueItems.updateReview, {
        params: { item_id: item!.id },
        body: { status: 'completed' },
        headers: { ...headers },
      })
      const body = { session_id: project_id, feedback_thread_id: THREAD, key: 'tone', score: value }
      const sent = { ...body, feedback_source: { type: 'app' } }
      expect((await fixture.app.call(contract.feedback.create, { body: sent, headers: { ...headers } })).status).toBe(
        200,
      )
    }
    const { body } = await fixture.app.call(routes.agreement, { params: { queue_id }, headers: ann! })
    expect(body).toMatchObject({
      keys: [{ key: 'tone', level: 'interval', items: 1, reviewers: 2, equal_share: 0 }],
      items: 1,
      items_read: 1,
    })
  })

  it('tells reviewers apart whose answers are sent with runs', async () => {
    const { queue_id, runs, entries } = await given(
      { num_reviewers_per_item: 2, rubric_items: [{ feedback_key: 'fit' }] },
      1,
    )
    for (const headers of [ann!, bob!]) {
      await review(headers, entries[0]!, 'completed')
      const id = uuid7()
      const feedback = { id, run_id: runs[0], key: 'fit', score: 1, feedback_source: { type: 'app' } }
      const form = new FormData()
      form.append(`feedback.${id}`, new Blob([JSON.stringify(feedback)], { type: 'application/json' }))
      const answer = await fixture.app.fetch('/runs/multipart', { method: 'POST', headers, body: form })
      expect(answer.status, await answer.text()).toBe(202)
    }
    const { body } = await fixture.app.call(routes.agreement, { params: { queue_id }, headers: ann! })
    expect(body.keys).toMatchObject([{ key: 'fit', items: 1, reviewers: 2, equal_share: 1 }])
  })
})
