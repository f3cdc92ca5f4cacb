import { contract } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Relational } from '../../storage/relational/port.ts'
import { aQueue, someRuns } from '../../testing/a-queue.ts'
import { everyRelationalEngine } from '../../testing/relational-engines.ts'
import { isFull, rounds } from '../../testing/rounds.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

const { annotationQueues: routes, annotationQueueItems: itemRoutes } = contract
const REVIEWERS = 20
const ITEMS = isFull ? 500 : 100
/** For what is slower to try. */
const FEWER = isFull ? 150 : 60

type Headers = Record<string, string>

const patience = { timeout: 300_000, repeats: rounds - 1 }

describe.each(everyRelationalEngine)(`twenty reviewers over ${ITEMS} items on %s`, patience, (_, open) => {
  let app: StartedApp
  let relational: Relational
  let nowMs = Date.now()
  const reviewers: { id: string; headers: Headers }[] = []
  let runIds: string[]

  beforeAll(async () => {
    relational = await open()
    app = await startApp({ relational, clock: () => nowMs })
    let headers: Headers = {}
    for (let at = 0; at < REVIEWERS; at++) {
      const body = { description: `reviewer ${at}` }
      const { id, key } = (await app.call(contract.apiKeys.create, { body, headers })).body
      reviewers.push({ id, headers: { 'x-api-key': key } })
      headers = reviewers[0]!.headers
    }
    runIds = await someRuns(app, ITEMS, { headers })
  })
  afterAll(async () => {
    await app.close()
    await relational.close()
  })

  const owner = () => reviewers[0]!.headers

  async function completedBy(queue_id: string): Promise<Map<string, readonly string[]>> {
    const done = new Map<string, readonly string[]>()
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = { status: 'archived', ...(cursor && { cursor }) }
      const { body } = await app.call(itemRoutes.list, { params: { queue_id }, query, headers: owner() })
      for (const item of body.items) done.set(item.run_id!, item.completed_by)
      cursor = body.next_cursor
    }
    return done
  }

  /** Each item was completed by so many different reviewers, and all that was accepted is there. */
  async function expectDone(queue_id: string, times: number, accepted: ReadonlyMap<string, readonly string[]>) {
    const done = await completedBy(queue_id)
    expect([...done.keys()].sort()).toEqual([...accepted.keys()].sort())
    for (const [runId, by] of done) {
      expect(by).toHaveLength(times)
      expect(new Set(by).size).toBe(times)
      expect([...by].sort()).toEqual([...accepted.get(runId)!].sort())
    }
    const { body } = await app.call(routes.size, { params: { queue_id }, headers: owner() })
    expect(body.size).toBe(0)
    return done.size
  }

  function ledger() {
    const accepted = new Map<string, string[]>()
    return {
      accepted,
      note(runId: string, reviewer: string) {
        accepted.set(runId, [...(accepted.get(runId) ?? []), reviewer])
      },
    }
  }

  const say = (queue_run_id: string, status: 'viewed' | 'completed' | null, headers: Headers) =>
    app.call(routes.updateReview, { params: { queue_run_id }, body: { status }, headers })

  it('each is completed exactly twice by reviewers who take the next item', async () => {
    const times = 2
    const queue_id = await aQueue(app, { num_reviewers_per_item: times }, runIds, owner())
    const { accepted, note } = ledger()
    const held = new Map<string, number>()
    await Promise.all(
      reviewers.map(async ({ id, headers }) => {
        for (;;) {
          const next = await app.call(itemRoutes.takeNext, { params: { queue_id }, headers })
          expect(next.status, next.text).toBe(200)
          if (next.body === null) return
          const holders = (held.get(next.body.id) ?? 0) + 1
          held.set(next.body.id, holders)
          expect(holders).toBeLessThanOrEqual(times)
          const done = await say(next.body.id, 'completed', headers)
          expect(done.status, done.text).toBe(200)
          note(next.body.run_id!, id)
        }
      }),
    )
    expect(await expectDone(queue_id, times, accepted)).toBe(ITEMS)
  })

  it('each is completed exactly once by reviewers who pick from the list, and no item is reserved twice', async () => {
    const queue_id = await aQueue(app, {}, runIds.slice(0, FEWER), owner())
    const { accepted, note } = ledger()
    await Promise.all(
      reviewers.map(async ({ id, headers }, seat) => {
        for (;;) {
          const query = { status: 'needs_my_review', page_size: '40' }
          const { body } = await app.call(itemRoutes.list, { params: { queue_id }, query, headers })
          if (body.items.length === 0) return
          for (let at = seat % body.items.length; at < body.items.length; at += 7) {
            const item = body.items[at]!
            const viewed = await say(item.id, 'viewed', headers)
            expect([200, 409]).toContain(viewed.status)
            if (viewed.status === 409 || viewed.body.is_archived) continue
            const done = await say(item.id, 'completed', headers)
            expect(done.status, done.text).toBe(200)
            note(item.run_id!, id)
          }
        }
      }),
    )
    expect(await expectDone(queue_id, 1, accepted)).toBe(FEWER)
  })

  it('each is completed exactly once, although every third reviewer disappears with a reservation', async () => {
    const queue_id = await aQueue(app, { reservation_minutes: 5 }, runIds.slice(0, FEWER), owner())
    const { accepted, note } = ledger()
    const lost: { item: string; headers: Headers }[] = []
    const work =
      ({ id, headers }: (typeof reviewers)[number], losesAfter: number) =>
      async () => {
        for (let done = 0; ; done++) {
          const next = await app.call(itemRoutes.takeNext, { params: { queue_id }, headers })
          if (next.body === null) return
          if (done === losesAfter) return void lost.push({ item: next.body.id, headers })
          expect((await say(next.body.id, 'completed', headers)).status).toBe(200)
          note(next.body.run_id!, id)
        }
      }
    await Promise.all(reviewers.map((one, seat) => work(one, seat % 3 === 0 ? seat % 4 : Number.POSITIVE_INFINITY)()))
    expect(lost.length).toBeGreaterThan(0)
    const left = await app.call(routes.size, { params: { queue_id }, headers: owner() })
    expect(left.body.size).toBe(lost.length)

    nowMs += 5 * 60_000
    const others = reviewers.filter((one) => !lost.some(({ headers }) => headers === one.headers))
    await Promise.all(others.map((one) => work(one, Number.POSITIVE_INFINITY)()))
    for (const { item, headers } of lost) expect((await say(item, 'completed', headers)).status).toBe(409)
    expect(await expectDone(queue_id, 1, accepted)).toBe(FEWER)
  })

  it('an item is archived exactly when enough reviewers have completed it, also with concurrent reviews', async () => {
    const queue_id = await aQueue(app, { num_reviewers_per_item: 3 }, runIds.slice(0, 10), owner())
    const params = { queue_id }
    const { body: items } = await app.call(routes.listRuns, { params, headers: owner() })
    const words = ['viewed', 'completed', 'completed', null] as const
    const change = (num_reviewers_per_item: number) =>
      app.call(routes.update, { params, body: { num_reviewers_per_item }, headers: owner() })
    const patches = (async () => {
      for (const needed of [1, 3, 2, 1, 3, 2]) expect((await change(needed)).status).toBe(200)
    })()
    await Promise.all(
      reviewers.map(async ({ headers }, seat) => {
        for (let turn = 0; turn < 20; turn++) {
          const item = items[(seat * 7 + turn * 3) % items.length]!
          const answer = await say(item.queue_run_id, words[(seat + turn) % words.length]!, headers)
          expect([200, 409], answer.text).toContain(answer.status)
        }
      }),
    )
    await patches
    const { body: after } = await app.call(routes.listRuns, { params, headers: owner() })
    const archived = await app.call(routes.listRuns, { params, query: { archived: 'true' }, headers: owner() })
    const enough = after.filter((run) => run.completed_by.length >= 2)
    expect(archived.body.map((run) => run.id)).toEqual(enough.map((run) => run.id))
  })
})
