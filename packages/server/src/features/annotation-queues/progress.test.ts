import { contract } from '@touchstone/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { aQueue, someRuns } from '../../testing/a-queue.ts'
import { aQueueApp } from '../../testing/a-queue-app.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'

const { annotationQueues: routes } = contract

describe.each(relationalEngines)('the progress of queues on %s', (_, open) => {
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
})
