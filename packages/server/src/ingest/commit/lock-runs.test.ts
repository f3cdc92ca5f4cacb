import { isDeepStrictEqual } from 'node:util'
import { uuid7 } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Relational } from '../../storage/relational/port.ts'
import { openPostgres } from '../../storage/relational/postgres.ts'
import { rounds } from '../../testing/rounds.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { createDatabase } from '../../testing/test-stores.ts'
import { toPathSegment } from '../run-path.ts'

const server = process.env.TOUCHSTONE_TEST_POSTGRES_URL
const RUNS = 100 * rounds
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

const send = (app: StartedApp, path: string, method: string, body: object) =>
  app.fetch(path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

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

/** Ends the sessions that hold or wait for locks, a number of times. */
async function endSessions({ db }: Relational, times: number): Promise<void> {
  for (let left = times; left > 0; left--) {
    await new Promise((resolve) => setTimeout(resolve, 100))
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

    it('loses nothing that was acknowledged while sessions of the database are ended', async () => {
      const ids = Array.from({ length: RUNS }, () => uuid7())
      const ending = endSessions(two.relationals[0]!, 8)
      const acknowledged = await Promise.all(
        ids.map(async (id, at) => {
          // Like a client, which repeats what was answered 503.
          for (;;) {
            const statuses = await race(two.apps, id, at, true)
            if (statuses.every((status) => status === 202)) return id
            expect(statuses.every((status) => status === 202 || status === 503)).toBe(true)
          }
        }),
      )
      await ending
      expect(await findIncomplete(two.apps[1]!, acknowledged)).toEqual([])
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
