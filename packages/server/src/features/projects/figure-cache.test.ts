import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../testing/invent-runs.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { FigureCache } from './figure-cache.ts'
import { readStats, type StatsDeps } from './stats.ts'

const random = createRandom(1)

let app: StartedApp
let tenantId: string
beforeAll(async () => {
  app = await startApp()
  tenantId = (await app.call(contract.workspaces.settings)).body.id
})
afterAll(() => app.close())

const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]!
const dayOf = (at: number) => Date.UTC(2026, 0, 1 + at)

/** A trace whose root starts on one of a few days; an llm child may report what its parent repeats. */
function aTrace(session_name: string) {
  const start = dayOf(pick([0, 1, 2, 9])) + Math.floor(random() * 864e5)
  const root = uuid7()
  const time = (after: number) => new Date(start + after).toISOString()
  const usage = { usage_metadata: { input_tokens: pick([1, 7]), output_tokens: 3, total_tokens: pick([8, 11]) } }
  const ended = random() < 0.7 && { end_time: time(Math.floor(random() * 5000)), outputs: usage }
  const streamed = random() < 0.5 && { events: [{ name: 'new_token', time: time(40) }] }
  const failed = random() < 0.3 && { error: 'Boom' }
  const run_type = pick(['llm', 'chain'])
  const common = { session_name, trace_id: root, ...failed, ...streamed }
  const path = (at: string, id: string) => `${at.replaceAll(/[-:.]/g, '').replace('Z', '000Z')}${id}`
  const top = path(time(0), root)
  const child = uuid7()
  return [
    { id: root, name: 'root', run_type, start_time: time(0), dotted_order: top, ...common, ...ended },
    ...(random() < 0.5
      ? [
          {
            id: child,
            parent_run_id: root,
            name: 'model',
            run_type: 'llm',
            start_time: time(1),
            dotted_order: `${top}.${path(time(1), child)}`,
            ...common,
            outputs: usage,
          },
        ]
      : []),
  ]
}

/** Figures from the engine, without the cache. */
function afresh(projectId: string, since?: string) {
  const { changes: _, ...analytics } = app.deps.analytics
  const deps = {
    ...app.deps,
    analytics,
    kept: new FigureCache({ analytics, readHiddenScores: async () => undefined }),
  } as unknown as StatsDeps
  return readStats(deps, tenantId, [projectId], since === undefined ? {} : { stats_start_time: since })
}

/** The last digit of a deviation depends on the order in which the engine adds up. */
function pickFigures(figures: unknown) {
  const number = (value: number) => Number(value.toPrecision(12))
  return JSON.parse(JSON.stringify(figures, (_, value) => (typeof value === 'number' ? number(value) : value)))
}

describe('figures that are kept by day', () => {
  it('are equal to those of the engine after writes, changes and deletions', {
    timeout: 120_000,
  }, async () => {
    const name = 'kept'
    const roots: string[] = []
    const id = (await app.call(contract.projects.create, { body: { name } })).body.id
    const give = (run_id: string) =>
      app.call(contract.feedback.create, { body: { run_id, key: pick(['a', 'b']), score: pick([0, 1]) } })
    for (let round = 0; round < 25; round++) {
      const post = Array.from({ length: pick([1, 12]) }, () => aTrace(name)).flat()
      if (round % 5 === 0) await give(post[0]!.id)
      await app.call(contract.runs.batch, { body: { post } })
      roots.push(...post.filter((run) => !('parent_run_id' in run)).map((run) => run.id))
      if (round % 3 === 0) await give(pick(roots))
      if (round % 4 === 0) {
        const patch = [{ id: pick(roots), end_time: new Date(dayOf(10)).toISOString() }]
        await app.call(contract.runs.batch, { body: { patch } })
      }
      if (round % 7 === 6) {
        const trace_ids = [pick(roots)]
        await app.call(contract.runDeletions.delete, { body: { session_id: id, trace_ids } })
      }
      const since = pick([undefined, '2026-01-02T00:00:00.000000Z', '2026-01-02T13:07:00.000000Z'])
      const query = { include_stats: 'true', ...(since && { stats_start_time: since }) }
      const { body } = await app.call(contract.projects.read, { params: { session_id: id }, query })
      const expected = (await afresh(id, since)).get(id)!
      expect(pickFigures(body), `round ${round}, since ${since}`).toMatchObject(pickFigures(expected))
    }
  })

  it('are correct for concurrent requests', async () => {
    const name = 'asked at once'
    const id = (await app.call(contract.projects.create, { body: { name } })).body.id
    await app.call(contract.runs.batch, { body: { post: aTrace(name) } })
    const ask = () => app.call(contract.projects.read, { params: { session_id: id }, query: { include_stats: 'true' } })
    const answers = await Promise.all([ask(), ask(), ask()])
    expect(answers.map(({ body }) => body.run_count)).toEqual([1, 1, 1])
  })
})
