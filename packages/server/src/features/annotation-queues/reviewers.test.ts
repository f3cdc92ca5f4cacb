import { contract, uuid7 } from '@touchstone/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { aQueue, someRuns } from '../../testing/a-queue.ts'
import { aQueueApp } from '../../testing/a-queue-app.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'

const { annotationQueues: routes, annotationQueueItems: itemRoutes } = contract

interface Person {
  readonly id: string
  readonly headers: Record<string, string>
}

describe.each(relationalEngines(import.meta.filename))('reviewers of a queue on %s', (_, open) => {
  const fixture = aQueueApp(open)
  let [ann, bob, eve] = [{}, {}, {}] as [Person, Person, Person]
  beforeAll(async () => {
    ann = await aPerson('Ann')
    bob = await aPerson('Bob')
    eve = await aPerson('Eve', { read_only: true })
  })

  async function aPerson(description: string, body: object = {}): Promise<Person> {
    const headers = ann.headers ?? {}
    const made = await fixture.app.call(contract.apiKeys.create, { body: { description, ...body }, headers })
    return { id: made.body.id, headers: { 'x-api-key': made.body.key } }
  }

  async function given(body: object, runs = 1) {
    const ids = await someRuns(fixture.app, runs, { headers: ann.headers })
    const queue_id = await aQueue(fixture.app, body, ids, ann.headers)
    const { body: entries } = await fixture.app.call(routes.listRuns, { params: { queue_id }, headers: ann.headers })
    return { queue_id, runs: ids, entries: entries.map((entry) => entry.queue_run_id) }
  }

  const say = ({ headers }: Person, queue_run_id: string, status: 'viewed' | 'completed' | null) =>
    fixture.app.call(routes.updateReview, { params: { queue_run_id }, body: { status }, headers })
  const seenBy = async ({ headers }: Person, queue_id: string, status: string) =>
    (await fixture.app.call(routes.listRuns, { params: { queue_id }, query: { status }, headers })).body
  const takenBy = async ({ headers }: Person, queue_id: string) =>
    (await fixture.app.call(routes.takeNext, { params: { queue_id }, headers })).body?.queue_run_id
  const placeFor = async ({ headers }: Person, queue_id: string, queue_run_id: string) =>
    (await fixture.app.call(routes.resolveRun, { params: { queue_id, queue_run_id }, headers })).body.section
  const patch = (queue_id: string, body: object) =>
    fixture.app.call(routes.update, { params: { queue_id }, body, headers: ann.headers })
  const assign = (queue_id: string, identity_id: string) =>
    fixture.app.call(itemRoutes.addReviewer, { params: { queue_id }, body: { identity_id }, headers: ann.headers })
  const release = (queue_id: string, identity_id: string) =>
    fixture.app.call(itemRoutes.removeReviewer, { params: { queue_id, identity_id }, headers: ann.headers })

  it('never reserve the same item, and can take it when it is released', async () => {
    const { queue_id, entries } = await given({}, 2)
    const [first, second] = entries as [string, string]
    expect((await say(ann, first, 'viewed')).status).toBe(200)
    const refused = await say(bob, first, 'viewed')
    expect(refused.status).toBe(409)
    expect(refused.text).toContain('reserved by another reviewer until')
    expect((await say(bob, first, 'completed')).status).toBe(409)
    expect((await seenBy(bob, queue_id, 'needs_my_review')).map((run) => run.queue_run_id)).toEqual([second])
    const [held] = await seenBy(bob, queue_id, 'needs_others_review')
    expect(held).toMatchObject({ queue_run_id: first, reserved_by: [ann.id] })
    expect(await takenBy(bob, queue_id)).toBe(second)
    expect(await takenBy(ann, queue_id)).toBe(first)
    await say(ann, first, null)
    expect((await say(bob, first, 'completed')).body.is_archived).toBe(true)
    expect(await takenBy(ann, queue_id)).toBeUndefined()
  })

  it('lose a reservation when it expires, and extend it by viewing the item', async () => {
    const { queue_id, entries } = await given({ reservation_minutes: 2 })
    const [item] = entries as [string]
    await say(ann, item, 'viewed')
    fixture.nowMs += 90_000
    await say(ann, item, 'viewed')
    fixture.nowMs += 90_000
    expect((await say(bob, item, 'viewed')).status).toBe(409)
    fixture.nowMs += 30_000
    expect(await takenBy(bob, queue_id)).toBe(item)
    expect((await say(ann, item, 'completed')).status).toBe(409)
    fixture.nowMs += 120_000
    expect((await say(ann, item, 'completed')).status).toBe(200)
    expect((await say(bob, item, 'completed')).text).toContain('Enough reviewers')
  })

  it('complete an item together when it requires two reviews', async () => {
    const { queue_id, entries } = await given({ num_reviewers_per_item: 2 })
    const [item] = entries as [string]
    await say(ann, item, 'viewed')
    expect((await say(bob, item, 'viewed')).status).toBe(200)
    const [seen] = await seenBy(ann, queue_id, 'needs_my_review')
    expect([...seen!.reserved_by].sort()).toEqual([ann.id, bob.id].sort())
    expect((await say(ann, item, 'completed')).body.is_archived).toBe(false)
    expect(await placeFor(ann, queue_id, item)).toBe('needs_others_review')
    expect(await placeFor(bob, queue_id, item)).toBe('needs_my_review')
    expect((await say(bob, item, 'completed')).body.is_archived).toBe(true)
    const [done] = await seenBy(ann, queue_id, 'completed')
    expect([...done!.completed_by].sort()).toEqual([ann.id, bob.id].sort())
    expect((await say(bob, item, null)).body.is_archived).toBe(false)
    expect(await placeFor(bob, queue_id, item)).toBe('needs_my_review')
  })

  it('have their own order after putting an item back', async () => {
    const { queue_id, runs, entries } = await given({ enable_reservations: false }, 2)
    const body = { override_added_at: '2999-01-01T00:00:00Z' }
    await fixture.app.call(routes.updateReview, { params: { queue_run_id: entries[0]! }, body, headers: ann.headers })
    const idsFor = async (person: Person) => (await seenBy(person, queue_id, 'needs_my_review')).map((run) => run.id)
    expect(await idsFor(ann)).toEqual([runs[1], runs[0]])
    expect(await idsFor(bob)).toEqual(runs)
  })

  it('can view the same item without reservations, but not complete it more often than required', async () => {
    const { queue_id, entries } = await given({ enable_reservations: false })
    const [item] = entries as [string]
    expect((await say(ann, item, 'viewed')).status).toBe(200)
    expect((await say(bob, item, 'viewed')).status).toBe(200)
    expect((await seenBy(bob, queue_id, 'needs_my_review'))[0]!.reserved_by).toEqual([])
    expect((await say(ann, item, 'completed')).status).toBe(200)
    expect((await say(bob, item, 'completed')).status).toBe(409)
  })

  it('cannot be viewers', async () => {
    const { queue_id, entries } = await given({})
    expect((await say(eve, entries[0]!, 'viewed')).status).toBe(403)
    expect(await seenBy(eve, queue_id, 'needs_my_review')).toEqual([])
    expect(await seenBy(eve, queue_id, 'needs_others_review')).toHaveLength(1)
  })

  it('are all members when no number is given', async () => {
    const { entries } = await given({ num_reviewers_per_item: null })
    const [item] = entries as [string]
    expect((await say(ann, item, 'completed')).body.is_archived).toBe(false)
    expect((await say(bob, item, 'completed')).body.is_archived).toBe(true)
  })

  it('are only the assigned ones in a queue with the access mode assigned', async () => {
    const { queue_id, entries } = await given({ reviewer_access_mode: 'assigned', num_reviewers_per_item: null })
    const [item] = entries as [string]
    expect((await say(ann, item, 'viewed')).status).toBe(403)
    for (const person of [ann, bob, ann]) {
      const assigned = await assign(queue_id, person.id)
      expect([assigned.status, assigned.body]).toEqual([201, { identity_id: person.id }])
    }
    const { body } = await fixture.app.call(routes.read, { params: { queue_id }, headers: ann.headers })
    const named = [
      { id: ann.id, name: 'Ann', email: null },
      { id: bob.id, name: 'Bob', email: null },
    ]
    expect(body.assigned_reviewers).toEqual(named.sort((a, b) => (a.id < b.id ? -1 : 1)))
    const mine = async (person: Person) => {
      const query = { assigned_to_me: 'True', ids: queue_id }
      return (await fixture.app.call(routes.list, { query, headers: person.headers })).body.length
    }
    expect([await mine(bob), await mine(eve)]).toEqual([1, 0])

    expect((await say(ann, item, 'completed')).body.is_archived).toBe(false)
    expect((await release(queue_id, bob.id)).status).toBe(204)
    expect((await release(queue_id, bob.id)).status).toBe(204)
    expect(await placeFor(ann, queue_id, item)).toBe('completed')
    expect((await assign(queue_id, uuid7())).status).toBe(404)
    expect((await assign(uuid7(), ann.id)).status).toBe(404)
  })

  it('can change in number for existing items', async () => {
    const { queue_id, entries } = await given({ num_reviewers_per_item: 2 }, 2)
    const [item] = entries as [string]
    await say(ann, item, 'completed')
    await patch(queue_id, { num_reviewers_per_item: 1 })
    expect(await placeFor(bob, queue_id, item)).toBe('completed')
    expect(await placeFor(bob, queue_id, entries[1]!)).toBe('needs_my_review')
    await patch(queue_id, { num_reviewers_per_item: 3 })
    expect(await placeFor(bob, queue_id, item)).toBe('needs_my_review')
  })

  it('keep their name after their key is revoked', async () => {
    const zoe = await aPerson('Zoe')
    const { queue_id, entries } = await given({})
    await say(zoe, entries[0]!, 'completed')
    await fixture.app.call(contract.apiKeys.revoke, { params: { id: zoe.id }, headers: ann.headers })
    const body = '{"include_annotator_detail":true}'
    const path = `/annotation-queues/${queue_id}/export`
    const file = await (await fixture.app.fetch(path, { method: 'POST', body, headers: ann.headers })).text()
    expect(file.trimEnd()).toMatch(/,Zoe$/)
  })

  describe('of a queue that hides the scores of others', () => {
    const score = async ({ headers }: Person, body: object) => {
      const sent = { key: 'tone', feedback_source: { type: 'app' }, ...body }
      const made = await fixture.app.call(contract.feedback.create, { body: sent, headers })
      expect(made.status, made.text).toBe(200)
      return made.body.id
    }
    const scoresFor = async ({ headers }: Person, query: Record<string, string>) =>
      (await fixture.app.call(contract.feedback.list, { query: { key: 'tone', ...query }, headers })).body.map(
        (record) => record.score,
      )
    const readBy = async ({ headers }: Person, feedback_id: string) =>
      (await fixture.app.call(contract.feedback.read, { params: { feedback_id }, headers })).status
    const statsFor = async (person: Person, queue_id: string) =>
      (await fixture.app.call(routes.listRuns, { params: { queue_id }, headers: person.headers })).body.map(
        (run) => run.feedback_stats?.tone?.n ?? 0,
      )

    it('see them after they have completed the item', async () => {
      const { queue_id, runs, entries } = await given({
        num_reviewers_per_item: 2,
        reviewer_access_mode: 'assigned',
        hide_others_scores: true,
      })
      for (const one of [ann, bob]) await assign(queue_id, one.id)
      const [run] = runs as [string]
      const [item] = entries as [string]
      const ofAnn = await score(ann, { run_id: run, score: 0.25 })
      await score(bob, { run_id: run, score: 0.75 })
      const ofJudge = await score(ann, { run_id: run, score: 0.5, feedback_source: { type: 'model' } })
      expect((await scoresFor(ann, { run })).sort()).toEqual([0.25, 0.5])
      expect((await scoresFor(bob, { run })).sort()).toEqual([0.5, 0.75])
      expect((await scoresFor(bob, {})).filter((value) => value === 0.25)).toEqual([])
      expect(await readBy(bob, ofAnn)).toBe(404)
      expect([await readBy(ann, ofAnn), await readBy(bob, ofJudge)]).toEqual([200, 200])
      expect([await statsFor(bob, queue_id), await statsFor(eve, queue_id)]).toEqual([[2], [3]])
      expect((await scoresFor(eve, { run })).sort()).toEqual([0.25, 0.5, 0.75])
      await say(bob, item, 'completed')
      expect((await scoresFor(bob, { run })).sort()).toEqual([0.25, 0.5, 0.75])
      expect(await readBy(bob, ofAnn)).toBe(200)
      expect(await statsFor(bob, queue_id)).toEqual([3])
      expect((await scoresFor(ann, { run })).sort()).toEqual([0.25, 0.5])
      await patch(queue_id, { hide_others_scores: false })
      expect((await scoresFor(ann, { run })).sort()).toEqual([0.25, 0.5, 0.75])
    })

    it('hides what was said about a thread, and nothing from keys that do not review', async () => {
      const thread_id = `thread ${uuid7()}`
      const [turn] = await someRuns(fixture.app, 1, { thread: thread_id, headers: ann.headers })
      const read = await fixture.app.call(contract.runs.read, { params: { run_id: turn! }, headers: ann.headers })
      const project_id = read.body.session_id
      const queue_id = await aQueue(fixture.app, { hide_others_scores: true }, [], ann.headers)
      const items = [{ item_type: 'THREAD', thread_id, project_id }]
      await fixture.app.call(itemRoutes.add, { params: { queue_id }, body: { items }, headers: ann.headers })
      await score(ann, { session_id: project_id, feedback_thread_id: thread_id, score: 1 })
      const query = { session: project_id, feedback_thread_id: thread_id }
      expect(await scoresFor(bob, query)).toEqual([1])
      await patch(queue_id, { reviewer_access_mode: 'assigned' })
      await assign(queue_id, bob.id)
      expect(await scoresFor(bob, query)).toEqual([])
    })
  })
})
