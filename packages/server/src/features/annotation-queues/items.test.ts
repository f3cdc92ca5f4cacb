import { contract, type ListedQueueItem, uuid7 } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import { aQueue, someRuns } from '../../testing/a-queue.ts'
import { aQueueApp } from '../../testing/a-queue-app.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'

const { annotationQueues, annotationQueueItems: routes } = contract

describe.each(relationalEngines(import.meta.filename))('items of annotation queues on %s', (_, open) => {
  const fixture = aQueueApp(open)

  const add = (queue_id: string, items: readonly object[]) =>
    fixture.app.call(routes.add, { params: { queue_id }, body: { items } })
  const list = async (queue_id: string, query: Record<string, string>) =>
    fixture.app.call(routes.list, { params: { queue_id }, query })
  const say = (item_id: string, body: object) => fixture.app.call(routes.updateReview, { params: { item_id }, body })
  const count = async (queue_id: string, query: Record<string, string>) =>
    (await fixture.app.call(routes.count, { params: { queue_id }, query })).body.count
  const placement = (queue_id: string, item_id: string) =>
    fixture.app.call(routes.placement, { params: { queue_id, item_id } })
  const projectOf = async (name: string) =>
    (await fixture.app.call(contract.projects.list, { query: { name } })).body[0]!.id

  /** Two runs and a thread of two traces, in the order run, thread, run. */
  async function mixed() {
    const project = `threads ${uuid7()}`
    const thread_id = `conversation ${uuid7()} \u0001 "quoted"`
    const turns = await someRuns(fixture.app, 2, { project, thread: thread_id })
    const runs = await someRuns(fixture.app, 2)
    const project_id = await projectOf(project)
    const queue_id = await aQueue(fixture.app)
    const items = [
      { item_type: 'RUN', run_id: runs[0] },
      { item_type: 'THREAD', thread_id, session_id: project_id },
      { item_type: 'RUN', run_id: runs[1], source_proposed_example_id: uuid7() },
    ]
    const added = await add(queue_id, items)
    return { queue_id, items, added, runs, turns, thread_id, project_id }
  }

  it('are runs and threads, added once, all or none', async () => {
    const { queue_id, items, added, runs, thread_id, project_id } = await mixed()
    expect(added.status, added.text).toBe(200)
    expect(added.body.items).toMatchObject([
      { item_type: 'RUN', run_id: runs[0], thread_id: null, queue_id, last_reviewed_time: null },
      { item_type: 'THREAD', run_id: null, thread_id, project_id },
      { item_type: 'RUN', run_id: runs[1], source_proposed_example_id: items[2]!.source_proposed_example_id },
    ])
    const again = await add(queue_id, items)
    expect(again.body.items.map((item) => item.id)).toEqual(added.body.items.map((item) => item.id))
    const [fresh] = await someRuns(fixture.app, 1)
    const unknown = { item_type: 'THREAD', thread_id: 'no such thread', project_id }
    const refused = await add(queue_id, [{ item_type: 'RUN', run_id: fresh }, unknown])
    expect(refused.status).toBe(404)
    expect(refused.body).toMatchObject({ error: expect.stringContaining('not found') })
    expect((await add(queue_id, [{ ...unknown, thread_id: 'a\0b' }])).status).toBe(404)
    expect(await count(queue_id, { status: 'all' })).toBe(3)
  })

  it.each([
    ['a run without id', { item_type: 'RUN' }],
    ['a thread without id', { item_type: 'THREAD', project_id: uuid7() }],
    ['a thread without project', { item_type: 'THREAD', thread_id: 'x' }],
    ['something else', { item_type: 'TRACE', run_id: uuid7() }],
  ])('are rejected: %s', async (_what, item) => {
    expect((await add(await aQueue(fixture.app), [item])).status).toBe(400)
  })

  it('are listed by section and type, with runs only for older clients', async () => {
    const { queue_id, added, runs, thread_id } = await mixed()
    const [first, thread] = added.body.items
    await say(first!.id, { status: 'completed' })
    const ids = async (query: Record<string, string>) => (await list(queue_id, query)).body.items.map((item) => item.id)
    expect(await ids({ status: 'needs_my_review' })).toEqual(added.body.items.slice(1).map((item) => item.id))
    expect(await ids({ status: 'needs_my_review', item_type: 'THREAD' })).toEqual([thread!.id])
    expect(await ids({ status: 'archived' })).toEqual([first!.id])
    expect(await ids({ status: 'needs_others_review' })).toEqual([])
    expect((await list(queue_id, { status: 'completed' })).status).toBe(400)
    expect((await list(queue_id, {})).status).toBe(400)
    const params = { queue_id }
    const seen = (await fixture.app.call(annotationQueues.listRuns, { params })).body
    expect(seen.map((run) => run.id)).toEqual(runs)
    expect((await fixture.app.call(annotationQueues.size, { params })).body.size).toBe(1)
    await say(thread!.id, { status: 'viewed' })
    const [held] = (await list(queue_id, { status: 'needs_my_review', item_type: 'THREAD' })).body.items
    expect(held).toMatchObject({ thread_id, reserved_by: [expect.any(String)], completed_by: [] })
  })

  it('are listed in pages, forward and backward, from any cursor', async () => {
    const runs = await someRuns(fixture.app, 7)
    const queue_id = await aQueue(fixture.app, {}, runs)
    const status = 'needs_my_review'
    const pages: (readonly ListedQueueItem[])[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { body } = await list(queue_id, { status, page_size: '3', ...(cursor && { cursor }) })
      pages.push(body.items)
      cursor = body.next_cursor
    }
    expect(pages.map((page) => page.map((item) => item.run_id))).toEqual([
      runs.slice(0, 3),
      runs.slice(3, 6),
      runs.slice(6),
    ])
    const item = pages[1]![2]!
    const { body } = await placement(queue_id, item.id)
    expect(body).toEqual({ item_type: 'RUN', section: status, position: 5, cursor: body.cursor })
    const from = await list(queue_id, { status, cursor: body.cursor, page_size: '1' })
    expect(from.body.items.map((one) => one.id)).toEqual([item.id])
    const back = { status, direction: 'backward', page_size: '3' }
    const before = await list(queue_id, { ...back, cursor: body.cursor })
    expect(before.body.items.map((one) => one.run_id)).toEqual(runs.slice(2, 5))
    const start = await list(queue_id, { ...back, cursor: before.body.next_cursor! })
    expect(start.body.items.map((one) => one.run_id)).toEqual(runs.slice(0, 2))
    expect(start.body.next_cursor).toBeNull()
    expect((await list(queue_id, { ...back })).status).toBe(400)
    expect((await list(queue_id, { status, cursor: 'nonsense' })).status).toBe(400)
    expect((await list(queue_id, { status, page_size: '101' })).status).toBe(400)
  })

  it('are taken one after another, including threads', async () => {
    const { queue_id, added } = await mixed()
    for (const item of added.body.items) {
      const next = await fixture.app.call(routes.takeNext, { params: { queue_id } })
      expect(next.body).toMatchObject({ id: item.id, item_type: item.item_type })
      const { body } = await say(item.id, { status: 'completed' })
      expect(body).toEqual({ queue_item_id: item.id, status: 'completed', is_archived: true, override_added_at: null })
    }
    expect((await fixture.app.call(routes.takeNext, { params: { queue_id } })).text).toBe('null')
    expect((await placement(queue_id, added.body.items[2]!.id)).body).toMatchObject({
      section: 'archived',
      position: 2,
    })
  })

  it('are counted by section, archived ones also in a time range', async () => {
    const runs = await someRuns(fixture.app, 3)
    const queue_id = await aQueue(fixture.app, {}, runs)
    const { items } = (await list(queue_id, { status: 'needs_my_review' })).body
    const times: string[] = []
    for (const item of items.slice(0, 2)) {
      fixture.nowMs += 1000
      times.push(new Date(fixture.nowMs).toISOString())
      await say(item.id, { status: 'completed' })
    }
    expect(await count(queue_id, { status: 'all' })).toBe(3)
    expect(await count(queue_id, { status: 'needs_my_review' })).toBe(1)
    expect(await count(queue_id, { status: 'needs_others_review' })).toBe(0)
    expect(await count(queue_id, { status: 'archived' })).toBe(2)
    expect(await count(queue_id, { status: 'archived', start_time: times[0]! })).toBe(1)
    expect(await count(queue_id, { status: 'archived', end_time: times[0]! })).toBe(0)
    const bad = await fixture.app.call(routes.count, { params: { queue_id }, query: { status: 'some' } })
    expect(bad.status).toBe(400)
  })

  it('are listed and counted between two start times, both inclusive', async () => {
    const { queue_id, added } = await mixed()
    const starts = added.body.items.map((item) => item.start_time).sort()
    const bounds = { min_start_time: starts[1]!, max_start_time: starts[1]! }
    const within = starts.filter((start) => start === starts[1]).length
    const page = (await list(queue_id, { status: 'needs_my_review', ...bounds })).body.items
    expect(page.map((item) => [item.start_time, item.assigned_to])).toEqual(Array(within).fill([starts[1], []]))
    expect(await count(queue_id, { status: 'all', ...bounds })).toBe(within)
    expect(await count(queue_id, { status: 'needs_my_review', max_start_time: '2001-01-01T00:00:00Z' })).toBe(0)
    expect(await count(queue_id, { status: 'all', max_start_time: '0001-01-01T00:00:00Z' })).toBe(3)
    const body = { items: [], extend_trace_retention: true }
    expect((await fixture.app.call(routes.add, { params: { queue_id }, body })).status).toBe(200)
  })

  it('are changed and removed', async () => {
    const { queue_id, added } = await mixed()
    const ids = added.body.items.map((item) => item.id)
    const params = { queue_id, item_id: ids[1]! }
    const changed = await fixture.app.call(routes.update, { params, body: { added_at: '2999-01-01T00:00:00Z' } })
    expect(changed.body).toMatchObject({ id: ids[1], added_at: '2999-01-01T00:00:00.000000Z' })
    expect((await placement(queue_id, ids[1]!)).body.position).toBe(2)
    const removed = await fixture.app.call(routes.delete, {
      params: { queue_id },
      body: { item_ids: [ids[1], uuid7()] },
    })
    expect([removed.status, removed.body]).toEqual([200, {}])
    expect((await placement(queue_id, ids[1]!)).status).toBe(404)
    expect(await count(queue_id, { status: 'all' })).toBe(2)
  })

  it('are removed with the traces of a thread or its project', async () => {
    const one = await mixed()
    const { queue_id, project_id, turns } = one
    const deleteTrace = (trace: string) =>
      fixture.app.call(contract.runDeletions.deleteTraces, { body: { session_id: project_id, trace_ids: [trace] } })
    await deleteTrace(turns[0]!)
    expect(await count(queue_id, { status: 'all' })).toBe(3)
    await deleteTrace(turns[1]!)
    expect(await count(queue_id, { status: 'all' })).toBe(2)
    const other = await mixed()
    await fixture.app.call(contract.projects.delete, { params: { session_id: other.project_id } })
    expect(await count(other.queue_id, { status: 'all' })).toBe(2)
  })
})
