import { contract, uuid7 } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import { aQueue, someRuns } from '../../testing/a-queue.ts'
import { aQueueApp } from '../../testing/a-queue-app.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'

const { annotationQueues: routes } = contract
const LOCAL = '00000000-0000-0000-0000-000000000000'

describe.each(relationalEngines(import.meta.filename))('reviewing on %s', (_, open) => {
  const fixture = aQueueApp(open)
  const { listRuns, listIds, at, say, size } = fixture

  it('completes and reopens an item', async () => {
    const runs = await someRuns(fixture.app, 3)
    const queue = await aQueue(fixture.app, {}, runs)
    const [first] = await listRuns(queue)
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
    const [done] = await listRuns(queue, { status: 'completed' })
    expect(done).toMatchObject({ id: runs[0], reserved_by: [], completed_by: [LOCAL] })
    expect(done!.last_reviewed_time).not.toBeNull()
    expect(await listIds(queue, { archived: 'true' })).toEqual([runs[0]])
    expect(await listIds(queue, { archived: 'false' })).toEqual(runs.slice(1))
    expect(await listIds(queue)).toEqual(runs)
    expect(await size(queue)).toBe(2)
    expect(await size(queue, { status: 'completed' })).toBe(1)
    const total = await fixture.app.call(routes.totalSize, { params: { queue_id: queue } })
    expect(total.body.size).toBe(3)
    expect((await say(first!.queue_run_id, { status: null })).body.is_archived).toBe(false)
    expect(await listIds(queue, { archived: 'false' })).toEqual(runs)
    expect((await say(uuid7(), { status: 'viewed' })).text).toContain('not found')
    expect((await say(first!.queue_run_id, { status: 'skipped' })).status).toBe(400)
  })

  it('moves an item to the end for the caller', async () => {
    const runs = await someRuns(fixture.app, 3)
    const queue = await aQueue(fixture.app, {}, runs)
    const [first] = await listRuns(queue)
    fixture.nowMs += 1000
    const override_added_at = new Date(fixture.nowMs).toISOString()
    const { body } = await say(first!.queue_run_id, { status: null, override_added_at })
    expect(body.override_added_at).toBe(override_added_at.replace('Z', '000Z'))
    expect(await listIds(queue)).toEqual([runs[1], runs[2], runs[0]])
    expect((await at(queue, 2)).body.effective_added_at).toBe(body.override_added_at)
    const params = { queue_id: queue }
    expect((await fixture.app.call(routes.takeNext, { params })).body!.id).toBe(runs[1])
    const [second, third] = await listRuns(queue)
    for (const one of [second, third]) await say(one!.queue_run_id, { status: 'completed' })
    expect((await fixture.app.call(routes.takeNext, { params })).body!.id).toBe(runs[0])
  })

  it('returns the same next item until it is completed, and null at the end', async () => {
    const runs = await someRuns(fixture.app, 2)
    const params = { queue_id: await aQueue(fixture.app, {}, runs) }
    const next = await fixture.app.call(routes.takeNext, { params })
    expect(next.body).toMatchObject({ id: runs[0], reserved_by: [LOCAL] })
    expect((await fixture.app.call(routes.takeNext, { params })).body!.id).toBe(runs[0])
    await say(next.body!.queue_run_id, { status: 'completed' })
    const last = await fixture.app.call(routes.takeNext, { params })
    expect(last.body!.id).toBe(runs[1])
    await say(last.body!.queue_run_id, { status: 'completed' })
    expect((await fixture.app.call(routes.takeNext, { params })).text).toBe('null')
    expect((await fixture.app.call(routes.takeNext, { params: { queue_id: uuid7() } })).status).toBe(404)
  })

  it('counts items completed in a time range, and returns the position of an item', async () => {
    const runs = await someRuns(fixture.app, 4)
    const queue = await aQueue(fixture.app, {}, runs)
    const entries = await listRuns(queue)
    const times: string[] = []
    for (const entry of entries.slice(0, 3)) {
      fixture.nowMs += 1000
      times.push(new Date(fixture.nowMs).toISOString())
      await say(entry.queue_run_id, { status: 'completed' })
    }
    const archived = async (query: Record<string, string>) =>
      (await fixture.app.call(routes.totalArchived, { params: { queue_id: queue }, query })).body.size
    expect(await archived({})).toBe(3)
    expect(await archived({ start_time: times[1]! })).toBe(2)
    expect(await archived({ start_time: times[0]!, end_time: times[2]! })).toBe(2)
    const place = async (queue_run_id: string) =>
      (await fixture.app.call(routes.resolveRun, { params: { queue_id: queue, queue_run_id } })).body
    expect(await place(entries[3]!.queue_run_id)).toEqual({ section: 'needs_my_review', position: 0 })
    expect(await place(entries[2]!.queue_run_id)).toEqual({ section: 'completed', position: 2 })
    const unknown = await fixture.app.call(routes.resolveRun, { params: { queue_id: queue, queue_run_id: uuid7() } })
    expect(unknown.status).toBe(404)
  })
})
