import { contract, type Run, type RunSort, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aWorkspace } from '../../testing/a-workspace.ts'
import { inventRuns } from '../../testing/invent-runs.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

let app: StartedApp
let invented: string
beforeAll(async () => {
  app = await startApp()
  const runs = inventRuns('invented', 60).map(({ sent }) => sent)
  invented = await record('invented', [...runs, ...withRepeatedUsage()])
})
afterAll(() => app.close())

const FIELDS = ['id', 'start_time', 'end_time', 'first_token_time', 'total_tokens', 'total_cost']
const START = Date.UTC(2026, 1, 3, 4)
const at = (ms: number) => new Date(START + ms).toISOString()

/** @returns the id of the project */
async function record(name: string, post: readonly object[], patch: readonly object[] = []): Promise<string> {
  await app.call(contract.runs.batch, { body: { post: post.map((run) => ({ ...run, session_name: name })) } })
  await app.call(contract.runs.batch, { body: { patch } })
  const [project] = (await app.call(contract.projects.list, { query: { name } })).body
  return project?.id ?? ''
}

/** An llm run whose child reports the same tokens, and a trace without any. */
function withRepeatedUsage(): object[] {
  const [trace, llm, model, idle] = [uuid7(), uuid7(), uuid7(), uuid7()]
  const segment = (id: string) => `20260203T050000000000Z${id}`
  const run = (id: string, run_type: string, ...above: string[]) => ({
    id,
    run_type,
    name: 'repeats',
    trace_id: above[0] ?? id,
    parent_run_id: above.at(-1),
    dotted_order: [...above, id].map(segment).join('.'),
    start_time: '2026-02-03T05:00:00.000000Z',
    outputs: run_type === 'llm' ? { usage_metadata: { input_tokens: 900, output_tokens: 99, total_tokens: 999 } } : {},
  })
  return [run(trace, 'chain'), run(llm, 'llm', trace), run(model, 'llm', trace, llm), run(idle, 'chain')]
}

async function pagesOf(body: object): Promise<Run[][]> {
  const pages: Run[][] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const answer = await app.call(contract.runs.query, { body: { select: FIELDS, ...body, ...(cursor && { cursor }) } })
    expect(answer.status).toBe(200)
    pages.push(answer.body.runs)
    cursor = answer.body.cursors.next
  }
  return pages
}

const micros = (time: string) => Date.parse(time) * 1000 + Number(time.slice(23, 26))
const since = (run: Run, end: string | null | undefined) => (end ? micros(end) - micros(run.start_time) : null)

/** The figures that the answer contains for a run. */
const FIGURES: Record<Exclude<RunSort, 'start_time'>, (run: Run) => number | null> = {
  latency: (run) => since(run, run.end_time),
  first_token: (run) => since(run, run.first_token_time),
  total_tokens: (run) => run.total_tokens || null,
  total_cost: (run) => (run.total_cost == null ? null : Number(run.total_cost)),
}
const NAMES = Object.keys(FIGURES) as (keyof typeof FIGURES)[]

/** Figure and start of each run; runs that share both are sorted by id, as the engine compares ids. */
const toKeys = (runs: readonly Run[], sort: keyof typeof FIGURES) =>
  runs.map((run) => `${FIGURES[sort](run)} ${run.start_time}`)

function sortKeys(runs: readonly Run[], sort: keyof typeof FIGURES, order: string): string[] {
  const sign = order === 'asc' ? 1 : -1
  const byNewest = (a: Run, b: Run) => micros(b.start_time) - micros(a.start_time)
  const sorted = runs.toSorted((a, b) => {
    const [one, other] = [FIGURES[sort](a), FIGURES[sort](b)]
    if (one === null || other === null) return Number(one === null) - Number(other === null) || byNewest(a, b)
    return sign * (one - other) || byNewest(a, b)
  })
  return toKeys(sorted, sort)
}

/** Asserts that pages contain each of the runs once, in order. */
function expectSorted(pages: readonly Run[][], runs: readonly Run[], sort: keyof typeof FIGURES, order: string): void {
  const found = pages.flat()
  expect(toKeys(found, sort), `${sort} ${order}`).toEqual(sortKeys(runs, sort, order))
  expect(new Set(found.map(({ id }) => id))).toEqual(new Set(runs.map(({ id }) => id)))
}

describe('runs sorted by a figure', () => {
  const queries: [string, object][] = [
    ['all roots of a project', { is_root: true }],
    ['roots of a time range', { is_root: true, start_time: at(10 * 3600e3), end_time: at(30 * 3600e3) }],
    ['roots with a filter', { is_root: true, filter: 'has(tags, "even")' }],
    ['roots by a condition on their traces', { is_root: true, tree_filter: 'eq(status, "error")' }],
    ['all runs', {}],
    ['runs of a type', { run_type: 'llm' }],
    ['runs with a filter, of a time range', { filter: 'eq(name, "plan")', start_time: at(8 * 3600e3) }],
  ]
  it.each(queries)('are in the order of the figures that are shown: %s', async (_, conditions) => {
    const body = { session: [invented], ...conditions }
    const runs = (await pagesOf(body)).flat()
    expect(runs.length).toBeGreaterThan(10)
    for (const sort_by of NAMES) {
      for (const order of ['desc', 'asc']) {
        const pages = await pagesOf({ ...body, sort_by, order, limit: 30 })
        expectSorted(pages, runs, sort_by, order)
        expect(pages.slice(0, -1).every((page) => page.length === 30)).toBe(true)
      }
    }
  })

  it('of some ids, of a whole trace, and of the workspace', async () => {
    const runs = (await pagesOf({ session: [invented] })).flat()
    const all = (await pagesOf({})).flat()
    const ids = runs.slice(3, 30).map(({ id }) => id)
    const trace = (await pagesOf({ session: [invented], filter: 'eq(name, "repeats")' })).flat().at(-1)?.id
    const whole = (await pagesOf({ trace })).flat()
    for (const sort_by of NAMES) {
      const some = runs.filter(({ id }) => ids.includes(id))
      expectSorted(await pagesOf({ id: ids, sort_by, limit: 10 }), some, sort_by, 'desc')
      expectSorted(await pagesOf({ trace, sort_by, order: 'asc', limit: 1 }), whole, sort_by, 'asc')
      expectSorted(await pagesOf({ sort_by }), all, sort_by, 'desc')
    }
  })

  it('with equal figures are newest first, without a figure last, on pages of any size', async () => {
    const post = Array.from({ length: 23 }, (_, n) => ({
      id: uuid7(),
      name: 'tie',
      run_type: 'chain',
      start_time: at(Math.floor(n / 3) * 1000),
      ...(n % 4 !== 0 && { end_time: at(Math.floor(n / 3) * 1000 + 500 * (n % 2)) }),
    }))
    const session = [await record('ties', post)]
    const runs = (await pagesOf({ session })).flat()
    for (const is_root of [true, undefined]) {
      for (const order of ['asc', 'desc']) {
        for (const limit of [4, 23]) {
          const pages = await pagesOf({ session, is_root, sort_by: 'latency', order, limit })
          expectSorted(pages, runs, 'latency', order)
        }
      }
    }
  })

  it('use the newest version of each run, also when older versions fill the page', async () => {
    const ids = Array.from({ length: 40 }, () => uuid7())
    const run = (id: string, n: number) => ({ id, name: 'v', run_type: 'tool', start_time: at(n * 1000) })
    const slow = ids.map((id, n) => ({ ...run(id, n), end_time: at(n * 1000 + 60_000 + n) }))
    const fast = ids.map((id, n) => ({ id, ...(n % 5 !== 0 && { end_time: at(n * 1000 + 100 - n) }) }))
    const session = [await record('versions', slow, fast)]
    const runs = (await pagesOf({ session })).flat()
    for (const order of ['asc', 'desc']) {
      const pages = await pagesOf({ session, run_type: 'tool', sort_by: 'latency', order, limit: 9 })
      expectSorted(pages, runs, 'latency', order)
    }
  })

  it('neither repeat nor disappear when runs arrive between two pages', async () => {
    let count = 0
    const some = (length: number) =>
      Array.from({ length }, () => {
        const n = count++
        const usage_metadata = { input_tokens: n % 7, output_tokens: 1, total_tokens: (n % 7) + 1 }
        const start_time = at(n * 1000)
        const end_time = n % 6 === 0 ? undefined : at(n * 1000 + (n % 11))
        return { id: uuid7(), name: 'new', run_type: 'llm', start_time, end_time, outputs: { usage_metadata } }
      })
    for (const sort_by of ['latency', 'total_tokens'] as const) {
      const name = `arriving ${sort_by}`
      const before = some(30)
      const body = { session: [await record(name, before)], sort_by, limit: 7, select: FIELDS }
      const seen: string[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const answer = await app.call(contract.runs.query, { body: { ...body, cursor } })
        seen.push(...answer.body.runs.map(({ id }) => id))
        cursor = answer.body.cursors.next
        if (seen.length < 30) await record(name, some(5))
      }
      expect(new Set(seen).size).toBe(seen.length)
      expect(before.filter(({ id }) => !seen.includes(id))).toEqual([])
      expectSorted(await pagesOf(body), (await pagesOf({ session: body.session })).flat(), sort_by, 'desc')
    }
  })

  it('refuse a cursor of another order, and an unknown figure', async () => {
    const cursorOf = async (body: object) =>
      (await app.call(contract.runs.query, { body: { session: [invented], limit: 1, ...body } })).body.cursors.next
    const cursors = [await cursorOf({}), await cursorOf({ sort_by: 'latency' })]
    const forged = Buffer.from(JSON.stringify(['total_cost', '1e400', at(0), uuid7()])).toString('base64url')
    for (const cursor of [...cursors, forged]) {
      const answer = await app.call(contract.runs.query, { body: { sort_by: 'total_cost', cursor } })
      expect(answer.status).toBe(400)
    }
    const answer = await app.call(contract.runs.query, { body: { sort_by: 'latency', cursor: cursors[0] } })
    expect(answer.status).toBe(400)
    expect((await app.call(contract.runs.query, { body: { sort_by: 'name' } })).status).toBeGreaterThanOrEqual(400)
  })

  it('are those of the own workspace, also where two workspaces share the store', async () => {
    const both = await startApp()
    const [ours, theirs] = [await aWorkspace(both, 'ours'), await aWorkspace(both, 'theirs')]
    const run = { id: uuid7(), name: 'own', run_type: 'chain', session_name: 'p', start_time: at(0), end_time: at(9) }
    await both.call(contract.runs.create, { body: run, headers: ours.headers })
    const [project] = (await both.call(contract.projects.list, { headers: ours.headers })).body
    for (const sort_by of NAMES) {
      for (const conditions of [{ is_root: true }, { is_root: true, filter: 'eq(name, "own")' }, {}]) {
        const body = { session: [project?.id], ...conditions, sort_by, select: FIELDS }
        const foundBy = async ({ headers }: typeof ours) =>
          (await both.call(contract.runs.query, { headers, body })).body.runs.map(({ id }) => id)
        expect([await foundBy(ours), await foundBy(theirs)]).toEqual([[run.id], []])
      }
    }
    await both.close()
  })
})
