import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { uuid7 } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { padSpanId } from '../../storage/analytics/run-aliases.ts'
import type { Relational } from '../../storage/relational/port.ts'
import { openPostgres } from '../../storage/relational/postgres.ts'
import { aRequest } from '../../testing/otlp-request.ts'
import { isFull, rounds } from '../../testing/rounds.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { createDatabase } from '../../testing/test-stores.ts'
import { toTraceUuid } from '../otlp/tree/span-ids.ts'
import { toPathSegment } from '../run-path.ts'

const server = process.env.TOUCHSTONE_TEST_POSTGRES_URL
const RUNS = (isFull ? 100 : 40) * rounds
const patience = { timeout: 120_000 }

/** Two servers over the same stores, as two processes are: each has its own connections, caches and group commit. */
async function startTwo(url: string, change: (relational: Relational) => Relational = (relational) => relational) {
  const relationals = await Promise.all([1, 2].map(() => openPostgres(url, () => {})))
  const config = { clickhouseUrl: 'http://127.0.0.1:1' } // no embedded engine that only one process may use
  const apps: StartedApp[] = []
  for (const relational of relationals) apps.push(await startApp({ relational: change(relational), config }))
  const close = async () => {
    for (const app of apps) await app.close()
    for (const relational of relationals) await relational.close()
  }
  return { apps, relationals, close }
}

const START = '2026-02-03T04:05:06.000007Z'

/** Sends a request. Like a client, repeats what was answered 503: so a server asks to wait when its database is too busy. */
async function send(app: StartedApp, path: string, method: string, body: object): Promise<Response> {
  const init = { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  for (;;) {
    const answer = await app.fetch(path, init)
    if (answer.status !== 503) return answer
    // Pause: gives the database time; how much is of no importance.
    await setTimeout(100)
  }
}

/** Sends the create and the update of a run to different servers at once. @returns the statuses of both */
async function race(apps: readonly StartedApp[], id: string, at: number, namesTrace: boolean) {
  const place = { trace_id: id, dotted_order: toPathSegment(START, id) }
  const create = { id, ...place, name: `run ${at}`, run_type: 'chain', start_time: START, inputs: { at } }
  const update = { ...(namesTrace && place), end_time: '2026-02-03T04:05:07Z', outputs: { at }, tags: ['updated'] }
  const [first, second] = at % 2 === 0 ? apps : [...apps].reverse()
  const answers = await Promise.all([
    send(first!, '/runs', 'POST', create),
    send(second!, `/runs/${id}`, 'PATCH', update),
  ])
  return answers.map(({ status }) => status)
}

/** Ids of runs that lack something that was acknowledged. */
async function findIncomplete(app: StartedApp, ids: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    ids.map(async (id, at) => {
      const { name, status, inputs, outputs, tags } = (await (await app.fetch(`/runs/${id}`)).json()) as StoredFields
      const isWhole = isDeepStrictEqual(
        { name, status, inputs, outputs, tags },
        { name: `run ${at}`, status: 'success', inputs: { at }, outputs: { at }, tags: ['updated'] },
      )
      return isWhole ? [] : [id]
    }),
  )
  return found.flat()
}

type StoredFields = Record<'name' | 'status' | 'inputs' | 'outputs' | 'tags', unknown>

const aRootSpan = () => ({
  traceId: randomBytes(16).toString('hex'),
  spanId: randomBytes(8).toString('hex'),
  name: 'root',
})

/**
 * Sends feedback for the padded id of a span, then at once: the span to one server, more feedback and a change of the first to
 * the other. @returns the statuses of all
 */
async function raceFeedback(apps: readonly StartedApp[], span: ReturnType<typeof aRootSpan>, at: number) {
  const run_id = padSpanId(span.spanId)
  const [first, second] = at % 2 === 0 ? apps : [...apps].reverse()
  const id = uuid7()
  const early = await send(second!, '/feedback', 'POST', { id, run_id, trace_id: run_id, key: 'before', score: 0 })
  const answers = await Promise.all([
    send(first!, '/otel/v1/traces', 'POST', aRequest([span])),
    send(second!, '/feedback', 'POST', { id: uuid7(), run_id, trace_id: run_id, key: 'meanwhile', score: 1 }),
    send(second!, `/feedback/${id}`, 'PATCH', { score: 0.5 }),
  ])
  return [early, ...answers].map(({ status }) => status)
}

/**
 * Sends at once: a span whose root is missing to one server, and the root to the other, as a run of an SDK that names neither its
 * trace nor its path. @returns the statuses of both
 */
async function raceRoot(apps: readonly StartedApp[], { traceId, spanId }: ReturnType<typeof aRootSpan>, at: number) {
  const [first, second] = at % 2 === 0 ? apps : [...apps].reverse()
  const child = { traceId, spanId, parentSpanId: randomBytes(8).toString('hex'), name: 'child' }
  const root = { id: toTraceUuid(traceId), name: 'native', run_type: 'chain', start_time: START, inputs: {} }
  const answers = await Promise.all([
    send(first!, '/otel/v1/traces', 'POST', aRequest([child])),
    send(second!, '/runs', 'POST', root),
  ])
  return answers.map(({ status }) => status)
}

/** Figures of feedback by key, as lists show them for the run of a span. */
async function readScores(app: StartedApp, { traceId }: ReturnType<typeof aRootSpan>) {
  const run = (await (await app.fetch(`/runs/${toTraceUuid(traceId)}`)).json()) as {
    readonly feedback_stats: Record<string, { n: number; avg: number }> | null
  }
  return Object.entries(run.feedback_stats ?? {}).map(([key, { n, avg }]) => [key, n, avg])
}

/** Ends the sessions that hold or wait for locks, a number of times. */
async function endSessions({ db }: Relational, times: number): Promise<void> {
  for (let left = times; left > 0; left--) {
    // Pause: lets writers take locks; any number of them is right.
    await setTimeout(100)
    await db.execute(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query ilike '%pg_advisory_xact_lock%' and pid <> pg_backend_pid()`)
  }
}

describe.skipIf(server === undefined)('one run written by two processes', patience, () => {
  let url: string
  beforeAll(async () => {
    url = await createDatabase(server!)
  })

  describe('with locks', () => {
    let two: Awaited<ReturnType<typeof startTwo>>
    beforeAll(async () => {
      two = await startTwo(url)
    })
    afterAll(() => two.close())

    it.each([true, false])('loses no field of it, when updates name its trace: %s', async (namesTrace) => {
      const ids = Array.from({ length: RUNS }, () => uuid7())
      const statuses = await Promise.all(ids.map((id, at) => race(two.apps, id, at, namesTrace)))
      expect(new Set(statuses.flat())).toEqual(new Set([202]))
      expect(await findIncomplete(two.apps[0]!, ids)).toEqual([])
    })

    it('shows feedback and its changes on a run whose span arrives meanwhile', async () => {
      const spans = Array.from({ length: RUNS / 2 }, aRootSpan)
      const statuses = await Promise.all(spans.map((span, at) => raceFeedback(two.apps, span, at)))
      expect(new Set(statuses.flat())).toEqual(new Set([200]))
      const scores = await Promise.all(spans.map((span) => readScores(two.apps[0]!, span)))
      const expected = [
        ['before', 1, 0.5],
        ['meanwhile', 1, 1],
      ]
      expect(scores.map((one) => one.toSorted())).toEqual(spans.map(() => expected))
    })

    it('keeps a root whose span child writes a placeholder meanwhile', async () => {
      const spans = Array.from({ length: RUNS }, aRootSpan)
      const statuses = await Promise.all(spans.map((span, at) => raceRoot(two.apps, span, at)))
      expect(new Set(statuses.flat())).toEqual(new Set([200, 202]))
      const names = await Promise.all(
        spans.map(async ({ traceId }) => {
          const run = (await (await two.apps[0]!.fetch(`/runs/${toTraceUuid(traceId)}`)).json()) as StoredFields
          return run.name
        }),
      )
      expect(new Set(names)).toEqual(new Set(['native']))
    })

    it('loses nothing that was acknowledged while sessions of the database are ended', async () => {
      const ids = Array.from({ length: RUNS }, () => uuid7())
      const ending = endSessions(two.relationals[0]!, 8)
      const statuses = await Promise.all(ids.map((id, at) => race(two.apps, id, at, true)))
      await ending
      expect(new Set(statuses.flat())).toEqual(new Set([202]))
      expect(await findIncomplete(two.apps[1]!, ids)).toEqual([])
    })
  })

  it('loses fields without locks, which shows that the test would see it', async () => {
    const two = await startTwo(url, ({ locks: _, ...relational }) => relational)
    const ids = Array.from({ length: RUNS }, () => uuid7())
    await Promise.all(ids.map((id, at) => race(two.apps, id, at, true)))
    expect((await findIncomplete(two.apps[0]!, ids)).length).toBeGreaterThan(0)
    await two.close()
  })
})
