import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client, type Run } from '../index.ts'

const PROJECT = '2b1f0f5e-6a0e-4f0a-8f0e-0f6f5a1b2c3d'
const TENANT = '7f3c1c1e-0d7b-4a53-9a5e-3f6a2b7d1c10'
const ids = [1, 2, 3, 4].map((n) => `0197f2a4-3c10-7d21-9b55-2f4b8e7a1c0${n}`) as [string, string, string, string]
const segment = (n: number) => `20250710T0442190${n}4000Z${ids[n]}`

const aRun = (over: Partial<Run> = {}): Run => ({
  id: ids[0],
  name: 'answer',
  run_type: 'chain',
  status: 'success',
  trace_id: ids[0],
  session_id: PROJECT,
  dotted_order: segment(0),
  app_path: `/o/${TENANT}/projects/p/${PROJECT}/r/${ids[0]}`,
  start_time: '2025-07-10T04:42:19.024000',
  inputs: {},
  ...over,
})

let server: Recorder
let client: Client

beforeEach(async () => {
  server = await Recorder.start()
  client = new Client({ apiUrl: server.url })
})
afterEach(() => server.stop())

const bodies = () =>
  server.requests.filter(({ body }) => body.length > 0).map(({ body }) => JSON.parse(body.toString()))

describe('tagging a run', () => {
  it('sends the tags and nothing else', async () => {
    server.respond(() => ({ status: 202, body: { message: 'ok' } }))
    await client.setRunTags(ids[0], ['seen', 'later'])
    expect(server.requests[0]).toMatchObject({ method: 'PATCH', path: `/runs/${ids[0]}` })
    expect(bodies()).toEqual([{ tags: ['seen', 'later'] }])
    await expect(client.setRunTags('42', [])).rejects.toThrow('Invalid UUID: 42')
  })
})

describe('reading a run', () => {
  it('refuses an id that is none before any request', async () => {
    await expect(client.readRun('42')).rejects.toThrow('Invalid UUID: 42')
    await expect(client.updateRun('42', {})).rejects.toThrow('Invalid UUID: 42')
    expect(server.requests).toHaveLength(0)
  })

  it('gives naive times their zone', async () => {
    server.respond(() => ({ body: aRun({ end_time: '2025-07-10T04:42:20+02:00' }) }))
    const run = await client.readRun(ids[0])
    server.respond(() => ({ body: { ...aRun(), inputs: null } }))
    expect((await client.readRun(ids[0])).inputs).toEqual({})
    expect([run.start_time, run.end_time]).toEqual(['2025-07-10T04:42:19.024000Z', '2025-07-10T04:42:20+02:00'])
  })

  it('nests the descendants, oldest first, wherever their parents stand in the answer', async () => {
    const child = (n: number, parent: number, path: number[], second = n) =>
      aRun({
        id: ids[n]!,
        parent_run_id: ids[parent]!,
        dotted_order: path.map(segment).join('.'),
        start_time: `2025-07-10T04:43:0${second}.000000Z`,
      })
    const others = [child(3, 1, [0, 1, 3]), child(2, 0, [0, 2]), child(1, 0, [0, 1])]
    const respond = (runs: readonly object[]) =>
      server.respond(({ path }) => ({ body: path === '/runs/query' ? { runs, cursors: { next: null } } : aRun() }))
    respond(others)
    const run = await client.readRun(ids[0], { loadChildRuns: true })
    expect(run.child_runs!.map(({ id }) => id)).toEqual([ids[1], ids[2]])
    expect(run.child_runs![0]!.child_runs!.map(({ id }) => id)).toEqual([ids[3]])
    expect(run.child_run_ids).toHaveLength(3)
    expect(bodies()[0]).toMatchObject({ session: [PROJECT], trace: ids[0], is_root: false, order: 'asc' })

    // At the same time: by end, running runs last, else as the server has them.
    const ended = (n: number, end_time: string | null) => ({ ...child(n, 0, [0, n], 1), end_time })
    respond([ended(1, null), ended(3, '2025-07-10T04:43:02Z'), ended(2, '2025-07-10T04:43:01Z')])
    const tied = await client.readRun(ids[0], { loadChildRuns: true })
    expect(tied.child_runs!.map(({ id }) => id)).toEqual([ids[2], ids[3], ids[1]])
  })

  it('refuses a child without a parent', async () => {
    const runs = [aRun({ id: ids[1], dotted_order: `${segment(0)}.${segment(1)}` })]
    server.respond(({ path }) => ({ body: path === '/runs/query' ? { runs, cursors: { next: null } } : aRun() }))
    await expect(client.readRun(ids[0], { loadChildRuns: true })).rejects.toThrow(`Child run ${ids[1]} has no parent`)
  })
})

describe('listing runs', () => {
  it('follows cursors and stops at the limit', async () => {
    server.respond(({ path }, earlier) => {
      if (path === '/sessions') return { body: [{ id: PROJECT }] }
      const runs = Array.from({ length: 2 }, () => aRun())
      return { body: { runs, cursors: { next: earlier < 9 ? `c${earlier}` : null } } }
    })
    const found: Run[] = []
    const params = { projectName: 'p', limit: 5, isRoot: true, sortBy: 'total_cost', order: 'asc' } as const
    for await (const run of client.listRuns(params)) found.push(run)
    expect(found).toHaveLength(5)
    const [first, second] = bodies()
    expect(first).toMatchObject({ session: [PROJECT], limit: 5, is_root: true, sort_by: 'total_cost', order: 'asc' })
    expect(first.select).toContain('inputs')
    expect(first.cursor).toBeUndefined()
    expect(second.cursor).toBe('c0')
    expect(bodies()).toHaveLength(3)
  })

  it('asks for nothing until it is iterated', () => {
    client.listRuns({ projectId: PROJECT })
    expect(server.requests).toHaveLength(0)
  })

  it('names the id that is none', async () => {
    await expect(client.listRuns({ traceId: 'x' }).next()).rejects.toThrow('Invalid UUID for traceId: x')
  })
})

describe('the link of a run', () => {
  it('needs one of the two', async () => {
    await expect(client.getRunUrl({})).rejects.toThrow('Must provide either runId or run')
  })

  it('is read from the run, or put together from one at hand', async () => {
    server.respond(({ path }) => ({ body: path === '/sessions' ? [{ id: PROJECT, tenant_id: TENANT }] : aRun() }))
    const origin = new URL(server.url).origin
    expect(await client.getRunUrl({ runId: ids[0] })).toBe(origin + aRun().app_path)
    const page = `${origin}/o/${TENANT}/projects/p/${PROJECT}/r/${ids[0]}?poll=true`
    expect(await client.getRunUrl({ run: { id: ids[0], session_id: PROJECT } })).toBe(page)
    expect(await client.getRunUrl({ run: { id: ids[0] } })).toBe(page)
    expect(server.requests.some(({ query }) => query.get('name') === 'default')).toBe(true)
  })

  it('cannot be made when the run has no page', async () => {
    server.respond(() => ({ body: { ...aRun(), app_path: '' } }))
    await expect(client.getRunUrl({ runId: ids[0] })).rejects.toThrow(`Run ${ids[0]} has no app_path`)
  })
})

describe('the calls of our own UI', () => {
  it('reach their endpoints', async () => {
    server.respond(() => ({ body: {} }))
    await client.queryRuns({ session: [PROJECT], limit: 50 })
    await client.readTraceTree(ids[0], { projectId: PROJECT })
    await client.resolveId(ids[0])
    await client.queryProjects({ sort_by: 'name', limit: 20, metadata: { a: 1 } })
    await client.createApiKey({ description: 'ci', readOnly: true, expiresAt: new Date(0) })
    await client.revokeApiKey(ids[0])
    await client.listModelPrices()
    await client.deleteModelPrice(ids[0])
    expect(
      server.requests.map(({ method, path, query }) => `${method} ${path}${query.size ? `?${query}` : ''}`),
    ).toEqual([
      'POST /runs/query',
      `GET /traces/${ids[0]}/runs?session_id=${PROJECT}`,
      `GET /resolve/${ids[0]}`,
      'GET /sessions?sort_by=name&limit=20&metadata=%7B%22a%22%3A1%7D',
      'POST /api-key',
      `DELETE /api-key/${ids[0]}`,
      'GET /model-price-map',
      `DELETE /model-price-map/${ids[0]}`,
    ])
    expect(bodies()[1]).toEqual({ description: 'ci', expires_at: '1970-01-01T00:00:00.000Z', read_only: true })
  })
})
