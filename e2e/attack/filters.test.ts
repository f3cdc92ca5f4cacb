import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isFull } from '../support/scale.ts'
import { type SharedServer, shareServer } from '../support/share-server.ts'

let server: SharedServer
let sessionId: string
let datasetId: string
let runToken: string
let datasetToken: string

const root = randomUUID()
const child = randomUUID()

beforeAll(async () => {
  server = await shareServer()
  datasetId = (await post<{ id: string }>('/datasets', { name: 'attacked' })).body.id
  const metadata = [{ kind: 'a' }, { kind: "it's", n: 5 }, { kind: 7 }, {}]
  await post(
    '/examples/bulk',
    metadata.map((one) => ({ dataset_id: datasetId, inputs: { of: one }, metadata: one })),
  )
  const experiment = (await post<{ id: string }>('/sessions', { name: 'attacked', reference_dataset_id: datasetId }))
    .body
  sessionId = experiment.id
  const at = '20260203T040506000000Z'
  const run = { run_type: 'chain', session_name: 'attacked', start_time: '2026-02-03T04:05:06Z', trace_id: root }
  const runs = [
    {
      ...run,
      id: root,
      name: 'root',
      dotted_order: at + root,
      end_time: '2026-02-03T04:05:08Z',
      tags: ['blue', "it's"],
      inputs: { question: 'why' },
      extra: { metadata: { user: 'u1', retries: 3 } },
    },
    {
      ...run,
      id: child,
      name: 'child',
      parent_run_id: root,
      dotted_order: `${at + root}.${at}${child}`,
      run_type: 'llm',
    },
  ]
  await post('/runs/batch', { post: runs })
  await post('/feedback', { run_id: root, key: 'score', score: 0.5 })
  runToken = (await send<{ share_token: string }>('PUT', `/runs/${root}/share`, {})).body.share_token
  const shared = await send<{ share_token: string }>('PUT', `/datasets/${datasetId}/share?share_projects=true`, {})
  datasetToken = shared.body.share_token
})
afterAll(() => server?.stop())

async function send<Body>(method: string, path: string, body?: unknown) {
  const answer = await fetch(`${server.url}/api/v1${path}`, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, text, body: (text === '' ? {} : JSON.parse(text)) as Body }
}
const post = <Body>(path: string, body: unknown) => send<Body>('POST', path, body)

const named = (count: number) => Array.from({ length: count }, (_, at) => JSON.stringify(`v ' ${at}`)).join(',')
const repeated = (count: number, clause: string) => Array(count).fill(clause).join(',')

/** Every route that takes a filter on runs, with that filter. */
const routes = (filter: string): readonly [method: string, path: string, body?: unknown][] => [
  ['POST', '/runs/query', { session: [sessionId], filter }],
  ['POST', '/runs/query', { session: [sessionId], search_filter: filter }],
  ['POST', '/runs/query', { session: [sessionId], trace_filter: filter }],
  ['POST', '/runs/query', { session: [sessionId], tree_filter: filter }],
  ['POST', '/runs/stats', { session: [sessionId], filter }],
  ['POST', '/runs/stats', { session: [sessionId], filter, group_by: { attribute: 'name' } }],
  ['POST', '/runs/group', { session_id: sessionId, group_by: 'conversation', filter }],
  ['POST', '/bulk', { action: 'export', session: [sessionId], filter, dry_run: true }],
  ['POST', `/datasets/${datasetId}/runs`, { session_ids: [sessionId], filters: { [sessionId]: [filter] } }],
]
const publicRoutes = (filter: string): readonly [method: string, path: string, body?: unknown][] => [
  ['POST', `/public/${runToken}/runs/query`, { filter }],
  ['POST', `/public/${runToken}/runs/query`, { search_filter: filter }],
  ['POST', `/public/${datasetToken}/datasets/runs/query`, { filter }],
  ['POST', `/public/${datasetToken}/datasets/runs/stats`, { filter }],
  ['POST', `/public/${datasetToken}/examples/runs`, { session_ids: [sessionId], filters: { [sessionId]: [filter] } }],
]

/** The longest time that `/ok` was not answered while the work went on. */
async function silenceDuring(work: () => Promise<unknown>): Promise<number> {
  let isDone = false
  let longest = 0
  const watching = (async () => {
    while (!isDone) {
      const began = performance.now()
      await fetch(`${server.url}/ok`)
      longest = Math.max(longest, performance.now() - began)
    }
  })()
  await work().finally(() => {
    isDone = true
  })
  await watching
  return longest
}

describe('B3: a filter that is too large', () => {
  const tooLarge: readonly [reason: string, filter: string][] = [
    ['found 5001 values in lists, at most 5000', `in(name, [${named(5_001)}])`],
    ['found 251 clauses, at most 250', `or(${repeated(300, 'search("x")')})`],
    ['found 101 levels of nesting, at most 100', `${'not('.repeat(101)}eq(name, "x")${')'.repeat(101)}`],
    ['characters, at most 500000', `eq(name, "${'x'.repeat(500_000)}")`],
    ['characters of SQL, at most', `or(${repeated(120, 'search("x")')})`],
    ['pairs, at most 100', `has(metadata, '{${Array.from({ length: 101 }, (_, at) => `"k${at}":${at}`).join(',')}}')`],
    ['words at once, at most 50', `search("${Array.from({ length: 51 }, (_, at) => `w${at}`).join(' ')}")`],
  ]

  it.each(tooLarge)('is refused everywhere with "%s"', async (reason, filter) => {
    for (const [method, path, body] of routes(filter)) {
      const answer = await send(method, path, body)
      expect(answer.status, `${path}: ${answer.text.slice(0, 300)}`).toBe(400)
      expect(answer.text).toContain(reason)
      expect(answer.text.length).toBeLessThan(2_000)
    }
  })

  it.each([
    ['found 101 values in lists, at most 100', `in(name, [${named(101)}])`],
    ['found 31 clauses, at most 30', `or(${repeated(30, 'eq(name, "x")')})`],
    ['found 21 levels of nesting, at most 20', `${'not('.repeat(21)}eq(name, "x")${')'.repeat(21)}`],
    ['characters, at most 10000', `eq(name, "${'x'.repeat(10_000)}")`],
  ])('is refused for readers of a share link with "%s"', async (reason, filter) => {
    for (const [method, path, body] of publicRoutes(filter)) {
      const answer = await send(method, path, body)
      expect(answer.status, `${path}: ${answer.text.slice(0, 300)}`).toBe(400)
      expect(answer.text).toContain(reason)
    }
    for (const path of [`/public/${datasetToken}/examples`, `/public/${datasetToken}/examples/count`]) {
      const query = new URLSearchParams({ filter: filter.replaceAll('name', 'metadata.kind').slice(0, 12_000) })
      expect((await send('GET', `${path}?${query}`)).status).toBe(400)
    }
  })

  it('is refused too where ids are listed', async () => {
    const tooMany = Array(10_001).fill('no id, and no answer that lists ten thousand mistakes')
    for (const [path, body] of [
      ['/runs/query', { id: tooMany }],
      ['/runs/query', { session: tooMany }],
      ['/runs/stats', { reference_example: tooMany }],
      [`/public/${runToken}/runs/query`, { id: tooMany }],
    ] as const) {
      const answer = await post(path, body)
      // The body limit of a public route is reached before the limit of its list.
      expect(answer.status).toBe(path.startsWith('/public') ? 413 : 400)
      expect(answer.text).toMatch(/found 10001 items, at most 10000 are allowed|exceed/)
      expect(answer.text.length).toBeLessThan(2_000)
    }
  })

  it('is refused where a pattern has more signs than the store can compile', async () => {
    const filter = `like(name, "${'%a'.repeat(200_000)}")`
    const answer = await post('/runs/query', { session: [sessionId], filter })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('too complex')
  })

  it('does not keep the server from answering others', async () => {
    const worst = [...tooLarge.map(([, filter]) => filter), `in(name, [${named(30_000)}])`, '('.repeat(400_000)]
    for (const filter of worst) {
      const silence = await silenceDuring(() => post('/runs/query', { session: [sessionId], filter }))
      expect(silence, filter.slice(0, 40)).toBeLessThan(1_000)
    }
  })
})

describe('B3: thousands of mistakes', () => {
  it('are answered with the first fifty', async () => {
    const { status, body } = await post<{ detail: unknown[] }>('/runs/query', { id: Array(10_000).fill('no id') })
    expect(status).toBe(400)
    expect(body.detail).toHaveLength(50)
  })
})

describe('B3: a list of thousands of values', () => {
  it.each([
    ['name', '"root"'],
    ['tags', `"it's"`],
    ['metadata_value', '"u1"'],
    ['metadata_key', '"user"'],
    ['metadata.retries', '3'],
    ['inputs.question', '"why"'],
    ['inputs', '\'{"question":"why"}\''],
    ['latency', '2'],
    ['feedback_score', '0.5'],
    ['feedback_key', '"score"'],
  ])('is compared with %s at once', async (field, value) => {
    const noise = /^["']/.test(value)
      ? named(4_999)
      : Array.from({ length: 4_999 }, (_, at) => String(1000 + at)).join(',')
    const names = async (filter: string) => {
      const answer = await post<{ runs: { name: string }[] }>('/runs/query', { session: [sessionId], filter })
      expect(answer.status, answer.text.slice(0, 300)).toBe(200)
      return answer.body.runs.map(({ name }) => name)
    }
    const silence = await silenceDuring(async () => {
      expect(await names(`in(${field}, [${noise},${value}])`)).toEqual(['root'])
      expect(await names(`in(${field}, [${noise}])`)).toEqual([])
      expect(await names(`and(nin(${field}, [${noise}]), eq(is_root, true))`)).toEqual(['root'])
    })
    expect(silence).toBeLessThan(1_000)
  })

  it('is compared with metadata of examples and of projects', async () => {
    const kinds = async (filter: string) => {
      const path = `/examples?${new URLSearchParams({ dataset: datasetId, filter })}`
      const answer = await send<{ metadata: { kind?: unknown } }[]>('GET', path)
      expect(answer.status, answer.text.slice(0, 300)).toBe(200)
      return answer.body.map(({ metadata }) => metadata.kind ?? null).sort()
    }
    expect(await kinds(`in(metadata.kind, ["a", 7, "it's", "a", ${named(300)}])`)).toEqual([7, 'a', "it's"])
    expect(await kinds('in(metadata.kind, ["a", null])')).toEqual(['a', null].sort())
    expect(await kinds('in(metadata.kind, [])')).toEqual([])
    expect(await kinds('nin(metadata.kind, ["a", null])')).toEqual([7, "it's"])
    const projects = async (filter: string) =>
      (await send<{ name: string }[]>('GET', `/sessions?${new URLSearchParams({ filter })}`)).body
        .map(({ name }) => name)
        .sort()
    expect(await projects(`in(name, ["attacked", "it's", ${named(100)}])`)).toEqual(['attacked'])
    expect(await projects('in(description, [null, "x"])')).toEqual(['attacked', 'default'])
    expect(await projects('in(start_time, ["2026-01-01", "2026-01-02"])')).toEqual([])
  })
})

describe('B12: a number in a filter', () => {
  const numbers = ['9007199254740993', '-9007199254740993', '1e22', '1e300', '-1e300', '-0', '0.1', '5e-324', '1e309']
  const fields = ['latency', 'total_tokens', 'total_cost', 'feedback_score', 'start_time', 'execution_order']
  const values = ['metadata_value', 'metadata.retries', 'inputs.question', 'output_value', 'extra.metadata.retries']

  it.each(numbers)('%s is compared or refused, never an error of the server', async (number) => {
    const clauses = [...fields, ...values].flatMap((field, at) => {
      const all = [
        ...['gt', 'gte', 'lt', 'lte', 'eq', 'neq'].map((op) => `${op}(${field}, ${number})`),
        `in(${field}, [${number}, ${number}, 1])`,
        `eq(${field}, "${number}")`,
      ]
      // Each number meets each field and each operator, and each field each operator; the full tests have all three together.
      return isFull ? all : [all[(numbers.indexOf(number) + at) % all.length]!]
    })
    for (const filter of clauses) {
      const { status, text } = await post('/runs/query', { session: [sessionId], filter })
      expect([200, 400], `${filter}: ${text.slice(0, 200)}`).toContain(status)
      if (number === '1e309' && !filter.includes('"')) expect(text).toContain('is too large')
    }
    for (const filter of [`gt(metadata.n, ${number})`, `in(metadata.n, [${number}])`, `eq(metadata.n, ${number})`]) {
      const path = `/examples?${new URLSearchParams({ dataset: datasetId, filter })}`
      expect([200, 400]).toContain((await send('GET', path)).status)
    }
    const thread_filter = `or(gt(turn_count, ${number}), in(total_cost, [${number}, 1]), lt(thread_duration, ${number}))`
    const threads = await fetch(`${server.url}/api/v2/threads/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ project_id: sessionId, thread_filter }),
    })
    expect([200, 400], await threads.text()).toContain(threads.status)
  })

  it('from 2^53 on finds what is less and not what is more', async () => {
    const count = async (filter: string) =>
      (await post<{ run_count: number }>('/runs/stats', { session: [sessionId], filter })).body.run_count
    expect(await count('and(lt(latency, 9007199254740993), eq(name, "root"))')).toBe(1)
    expect(await count('gt(latency, 9007199254740993)')).toBe(0)
    expect(await count('and(gt(metadata.retries, -1e300), lt(metadata.retries, 1e300))')).toBe(1)
  })
})

describe('B15: a query of a shared run', () => {
  it('is narrowed by its filter', async () => {
    const names = async (body: object) =>
      (await post<{ runs: { name: string }[] }>(`/public/${runToken}/runs/query`, body)).body.runs
        .map(({ name }) => name)
        .sort()
    expect(await names({})).toEqual(['child', 'root'])
    expect(await names({ filter: 'eq(name, "nope")' })).toEqual([])
    expect(await names({ filter: 'eq(name, "child")' })).toEqual(['child'])
    expect(await names({ search_filter: 'eq(metadata.user, "u1")' })).toEqual(['root'])
  })
})
