import { uuid7 } from '@touchstone/contract'
import { sql as statement } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql, uuid, uuids } from '../storage/analytics/sql.ts'
import { columns, number, text } from '../storage/rows.ts'
import { type StartedApp, startApp } from '../testing/start-app.ts'
import { toPathSegment } from './run-path.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const START = '2026-02-03T04:05:06.000007Z'

async function send(method: string, path: string, body: unknown, headers: Record<string, string> = {}) {
  const raw = typeof body === 'string' || body instanceof Uint8Array
  const answer = await fetch(app.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: raw ? (body as string) : JSON.stringify(body),
  })
  const text = await answer.text()
  return { status: answer.status, text, json: JSON.parse(text) as Answer }
}

/** The answers of all calls of this suite. */
interface Answer {
  readonly message: string
  readonly error: string
  readonly errors: readonly object[]
  readonly runs: readonly { readonly id: string }[]
  readonly cursors: { readonly next: string | null }
}

async function get<Body>(path: string): Promise<Body> {
  return (await app.fetch(path)).json() as Promise<Body>
}

const post = (path: string, body: unknown, headers?: Record<string, string>) => send('POST', path, body, headers)

async function read(id: string) {
  const answer = await fetch(`${app.url}/runs/${id}`)
  return { status: answer.status, text: await answer.text() }
}

async function readJson(id: string) {
  return JSON.parse((await read(id)).text)
}

function aRun(fields: Record<string, unknown> = {}) {
  const id = uuid7()
  return {
    id,
    trace_id: id,
    dotted_order: toPathSegment(START, id),
    name: 'step',
    run_type: 'chain',
    start_time: START,
    ...fields,
  }
}

function aChild(parent: { id: string; trace_id: string; dotted_order: string }, fields: Record<string, unknown> = {}) {
  const id = uuid7()
  return {
    ...aRun(),
    id,
    trace_id: parent.trace_id,
    parent_run_id: parent.id,
    dotted_order: `${parent.dotted_order}.${toPathSegment(START, id)}`,
    ...fields,
  }
}

describe('recording runs', () => {
  it('places runs below a parent that was sent just before, without a path', async () => {
    const [root, child, leaf] = [uuid7(), uuid7(), uuid7()]
    const step = { name: 'step', run_type: 'chain', start_time: START, session_name: 'without paths' }
    await post('/runs', { ...step, id: root })
    await post('/runs', { ...step, id: child, parent_run_id: root })
    await post('/runs', { ...step, id: leaf, parent_run_id: child })
    await send('PATCH', `/runs/${child}`, { parent_run_id: root, end_time: '2026-02-03T04:05:07Z' })
    await send('PATCH', `/runs/${root}`, { end_time: '2026-02-03T04:05:08Z' })
    const paths = [root, child, leaf].map((id) => toPathSegment(START, id))
    for (const [at, id] of [root, child, leaf].entries()) {
      expect(await readJson(id)).toMatchObject({ trace_id: root, dotted_order: paths.slice(0, at + 1).join('.') })
    }
  })

  it('is readable by id, in lists and in its trace as soon as it is acknowledged', async () => {
    const run = aRun({ session_name: 'read-your-writes', inputs: { a: 1 } })
    expect((await post('/runs/batch', { post: [run] })).status).toBe(202)
    const stored = await readJson(run.id)
    expect(stored).toMatchObject({ id: run.id, inputs: { a: 1 }, start_time: START, status: 'pending' })
    const listed = await post('/runs/query', { session: [stored.session_id] })
    expect(listed.json.runs).toMatchObject([{ id: run.id }])
    expect((await post('/runs/query', { trace: run.id })).json.runs).toMatchObject([{ id: run.id }])
  })

  it('takes a run without trace and with an epoch start as a root with a valid path', async () => {
    const id = uuid7()
    const answer = await post('/runs', {
      id,
      name: 'r',
      run_type: 'llm',
      start_time: 1752122539024,
      inputs: {},
      child_runs: [],
    })
    expect(answer).toMatchObject({ status: 202, json: { message: 'Run created' } })
    expect(await readJson(id)).toMatchObject({
      trace_id: id,
      dotted_order: `20250710T044219024000Z${id}`,
      start_time: '2025-07-10T04:42:19.024000Z',
    })
  })

  it('places a run that names only its parent below it', async () => {
    const parent = aRun()
    await post('/runs', parent)
    const child = { id: uuid7(), parent_run_id: parent.id, name: 'c', run_type: 'tool', start_time: START }
    await post('/runs', child)
    expect(await readJson(child.id)).toMatchObject({
      trace_id: parent.id,
      dotted_order: `${parent.dotted_order}.${toPathSegment(START, child.id)}`,
      parent_run_ids: [parent.id],
    })
  })

  it('accepts an update before its create and files the run under the project of the create', async () => {
    const run = aRun({ session_name: 'late-create', inputs: { q: 1 } })
    const update = { outputs: { a: 2 }, end_time: '2026-02-03T04:05:07Z' }
    expect(await send('PATCH', `/runs/${run.id}`, update)).toMatchObject({ status: 202 })
    expect(await readJson(run.id)).toMatchObject({ outputs: { a: 2 }, status: 'success' })
    await post('/runs/batch', { post: [run] })
    const stored = await readJson(run.id)
    expect(stored).toMatchObject({ inputs: { q: 1 }, outputs: { a: 2 }, start_time: START, name: 'step' })
    const [project] = await get<{ id: string }[]>('/sessions?name=late-create')
    expect(stored.session_id).toBe(project!.id)
    expect((await post('/runs/query', { session: [project!.id] })).json.runs).toHaveLength(1)
    expect((await post('/runs/query', { trace: run.id })).json.runs).toHaveLength(1)
  })

  it('keeps one row when an update corrects the start time', async () => {
    const run = aRun({ session_name: 'corrected' })
    await post('/runs', run)
    await send('PATCH', `/runs/${run.id}`, { start_time: '2026-02-03T04:05:05Z' })
    const { runs } = (await post('/runs/query', { trace: run.id })).json
    expect(runs).toMatchObject([{ id: run.id, start_time: '2026-02-03T04:05:05.000000Z' }])
    const tree = await get<{ runs: object[] }>(`/traces/${run.id}/runs`)
    expect(tree.runs).toHaveLength(1)
  })

  it('puts a child that arrived before its root into the right tree', async () => {
    const root = aRun()
    const child = aChild(root)
    await post('/runs/batch', { post: [child] })
    await post('/runs/batch', { post: [root] })
    const { runs } = (await post('/runs/query', { trace: root.id, order: 'asc' })).json
    expect(runs.map((run) => run.id).sort()).toEqual([root.id, child.id].sort())
    expect((await post('/runs/query', { trace: root.id, is_root: false })).json.runs).toMatchObject([{ id: child.id }])
  })

  it('gives the same run when a batch is sent twice', async () => {
    const batch = { post: [aRun({ inputs: { a: 1 } })], patch: [] }
    await post('/runs/batch', batch)
    const once = await read(batch.post[0]!.id)
    expect((await post('/runs/batch', batch)).status).toBe(202)
    expect((await read(batch.post[0]!.id)).text).toBe(once.text)
  })

  it('names the bad run of a batch and stores the others', async () => {
    const good = aRun()
    const bad = { ...aRun(), trace_id: uuid7() }
    const answer = await post('/runs/batch', { post: [bad, good], patch: [{ id: 'nonsense' }] })
    expect(answer.status).toBe(202)
    expect(answer.json.errors).toMatchObject([
      { run_id: bad.id, error: expect.stringContaining('trace_id') },
      { run_id: 'nonsense', error: expect.stringContaining('uuid') },
    ])
    expect((await read(good.id)).status).toBe(200)
    expect((await read(bad.id)).status).toBe(404)
  })

  it('answers 400 in the ingest shape when nothing could be stored', async () => {
    const answer = await post('/runs/batch', { post: [{ ...aRun(), start_time: 'yesterday' }] })
    expect(answer.status).toBe(400)
    expect(answer.json.error).toMatch(/start_time "yesterday" is not an ISO 8601 time/)
  })

  it('refuses an unknown project id for that run alone', async () => {
    const lost = aRun({ session_id: uuid7() })
    const good = aRun()
    const answer = await post('/runs/batch', { post: [lost, good] })
    expect(answer.json.errors).toMatchObject([{ run_id: lost.id, error: expect.stringContaining('not found') }])
    expect((await read(good.id)).status).toBe(200)
  })

  it('keeps the digits, order and escapes of payloads byte for byte', async () => {
    const run = aRun()
    const inputs = '{"z":12345678901234567890123,"a":1.10,"a":2,"__proto__":{"x":1},"s":"\\ud800 \\u0000 é"}'
    await post('/runs/batch', `{"post":[${JSON.stringify(run).slice(0, -1)},"inputs":${inputs}}]}`)
    expect((await read(run.id)).text).toContain(`"inputs":${inputs}`)
  })

  it('sums tokens and costs of a subtree, counting no repeated usage', async () => {
    const root = aRun({ name: 'root' })
    const usage = { usage_metadata: { input_tokens: 20, output_tokens: 10, total_cost: 0.25 } }
    const outer = aChild(root, { run_type: 'llm', outputs: usage })
    const inner = aChild(outer, { run_type: 'llm', outputs: usage })
    const other = aChild(root, { run_type: 'tool', outputs: { usage_metadata: { total_cost: 0.5 } } })
    await post('/runs/batch', { post: [root, outer, inner, other] })
    expect(await readJson(root.id)).toMatchObject({ total_tokens: 30, total_cost: '0.75' })
    expect(await readJson(outer.id)).toMatchObject({ total_tokens: 30, total_cost: '0.25' })
    expect(await readJson(other.id)).toMatchObject({ total_tokens: 0, total_cost: '0.5' })
  })
})

describe('multipart ingest', () => {
  const multipart = (parts: [name: string, type: string, body: string | Buffer][]) =>
    Buffer.concat([
      ...parts.flatMap(([name, type, body]) => [
        Buffer.from(`--b\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: ${type}\r\n\r\n`),
        Buffer.from(body),
        Buffer.from('\r\n'),
      ]),
      Buffer.from('--b--\r\n'),
    ])
  const sendParts = (parts: Parameters<typeof multipart>[0]) =>
    post('/runs/multipart', multipart(parts), { 'content-type': 'multipart/form-data; boundary=b' })

  it('assembles a run from its parts and serves attachments byte for byte without a key', async () => {
    const run = aRun({ session_name: 'attachments' })
    const bytes = Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 256))
    const answer = await sendParts([
      [`attachment.${run.id}.shot`, 'image/png; length=1000', bytes],
      [`post.${run.id}.inputs`, 'application/json', '{"a":1}'],
      [`post.${run.id}`, 'application/json', JSON.stringify(run)],
      [`post.${run.id}.error`, 'application/json', 'null'],
      [`patch.${run.id}`, 'application/json', JSON.stringify({ end_time: START })],
      [`patch.${run.id}.error`, 'application/json', '"boom"'],
    ])
    expect(answer).toMatchObject({ status: 202, json: { message: 'Accepted' } })
    const stored = await readJson(run.id)
    expect(stored).toMatchObject({ inputs: { a: 1 }, error: 'boom', status: 'error' })
    const { presigned_url, mime_type } = stored.s3_urls['attachment.shot']
    expect(mime_type).toBe('image/png')
    const download = await fetch(new URL(presigned_url, app.url))
    expect(Buffer.from(await download.arrayBuffer())).toEqual(bytes)
    expect((await fetch(new URL(`${presigned_url}x`, app.url))).status).toBe(404)
  })

  it('refuses a run with an oversized part, and stores the others', async () => {
    const [small, large] = [aRun(), aRun()]
    const answer = await sendParts([
      [`post.${large.id}`, 'application/json', JSON.stringify(large)],
      [`post.${large.id}.inputs`, 'application/json', `{"a":"${'x'.repeat(21 << 20)}"}`],
      [`post.${small.id}`, 'application/json', JSON.stringify(small)],
    ])
    expect(answer.json.errors).toMatchObject([{ run_id: large.id, error: expect.stringContaining('limit') }])
    expect((await read(small.id)).status).toBe(200)
    expect((await read(large.id)).status).toBe(404)
  })

  it('stores a payload of 15 MB and gives it back', async () => {
    const run = aRun()
    const inputs = `{"a":"${'ö'.repeat(7 << 20)}"}`
    await sendParts([
      [`post.${run.id}`, 'application/json', JSON.stringify(run)],
      [`post.${run.id}.inputs`, 'application/json', inputs],
    ])
    expect((await read(run.id)).text.includes(inputs)).toBe(true)
  })

  it('stores feedback of the same request', async () => {
    const run = aRun()
    const feedback = { id: uuid7(), run_id: run.id, key: 'quality', score: true, comment: 'fine' }
    const answer = await sendParts([
      [`post.${run.id}`, 'application/json', JSON.stringify(run)],
      [`feedback.${feedback.id}`, 'application/json', JSON.stringify(feedback)],
      ['feedback.bad', 'application/json', '{"score":1}'],
    ])
    expect(answer.json.errors).toMatchObject([{ run_id: 'feedback.bad', error: expect.stringContaining('key') }])
    const rows = await app.deps.analytics.query(
      sql`select key, score from run_feedback where id = ${uuid(feedback.id)}`,
      columns({ key: text, score: number }),
    )
    expect(rows).toEqual([{ key: 'quality', score: 1 }])
  })
})

describe('querying runs', () => {
  it('pages by key through runs that started at the same instant, without gaps or repeats', async () => {
    const runs = Array.from({ length: 250 }, () => aRun({ session_name: 'paged' }))
    await post('/runs/batch', { post: runs })
    const session = [(await readJson(runs[0]!.id)).session_id]
    for (const order of ['asc', 'desc']) {
      const seen: string[] = []
      let cursor: string | null = null
      do {
        const page: Answer = (await post('/runs/query', { session, order, limit: 1000, cursor, select: ['id'] })).json
        seen.push(...page.runs.map((run) => run.id))
        cursor = page.cursors.next
      } while (cursor !== null)
      expect(seen).toHaveLength(250)
      expect(new Set(seen)).toEqual(new Set(runs.map((run) => run.id)))
    }
  })

  it('fills its pages also when runs were written several times', async () => {
    const runs = Array.from({ length: 6 }, (_, at) =>
      aRun({ session_name: 'rewritten', start_time: `2026-02-03T04:05:0${at}Z`, dotted_order: undefined }),
    )
    await post('/runs/batch', { post: runs })
    for (let again = 0; again < 8; again++) {
      await post('/runs/batch', { patch: [{ id: runs[5]!.id, name: `name ${again}` }] })
    }
    const session = [(await readJson(runs[0]!.id)).session_id]
    const page = (await post('/runs/query', { session, limit: 2 })).json
    expect(page.runs).toMatchObject([{ id: runs[5]!.id, name: 'name 7' }, { id: runs[4]!.id }])
    const next = (await post('/runs/query', { session, limit: 2, cursor: page.cursors.next })).json
    expect(next.runs).toMatchObject([{ id: runs[3]!.id }, { id: runs[2]!.id }])
  })

  it('returns a whole trace at once, regardless of the limit', async () => {
    const root = aRun()
    await post('/runs/batch', { post: [root, ...Array.from({ length: 150 }, () => aChild(root))] })
    const answer = (await post('/runs/query', { trace: root.id, limit: 10 })).json
    expect(answer.runs).toHaveLength(151)
    expect(answer.cursors).toEqual({ next: null, prev: null })
  })

  it('combines its conditions', async () => {
    const example = uuid7()
    const root = aRun({ session_name: 'combined', error: 'boom', reference_example_id: example })
    const child = aChild(root, { run_type: 'llm', session_name: 'combined' })
    await post('/runs/batch', { post: [root, child] })
    const session = [(await readJson(root.id)).session_id]
    const ids = async (body: object) => (await post('/runs/query', { session, ...body })).json.runs.map((run) => run.id)
    expect(await ids({ is_root: 1 })).toEqual([root.id])
    expect(await ids({ is_root: false })).toEqual([child.id])
    expect(await ids({ run_type: 'llm' })).toEqual([child.id])
    expect(await ids({ error: true })).toEqual([root.id])
    expect(await ids({ error: false })).toEqual([child.id])
    expect(await ids({ parent_run: root.id })).toEqual([child.id])
    expect(await ids({ reference_example: example })).toEqual([root.id])
    expect(await ids({ reference_example: [example] })).toEqual([root.id])
    expect(await ids({ start_time: START, end_time: START })).toHaveLength(2)
    expect(await ids({ start_time: '2026-02-03T04:05:06.000008Z' })).toEqual([])
    expect(await ids({ session: null, id: [child.id] })).toEqual([child.id])
  })

  it('sends the required fields also when they were not selected, and no others', async () => {
    const run = aRun({ inputs: { a: 1 } })
    await post('/runs', run)
    const { runs } = (await post('/runs/query', { id: [run.id], select: ['status', 'nonsense', '__proto__'] })).json
    expect(Object.keys(runs[0]!).sort()).toEqual(
      ['app_path', 'dotted_order', 'id', 'name', 'run_type', 'session_id', 'start_time', 'status', 'trace_id'].sort(),
    )
  })

  it('refuses a foreign cursor, and a filter that cannot be read', async () => {
    expect(await post('/runs/query', { cursor: 'abc' })).toMatchObject({ status: 400 })
    expect(await post('/runs/query', { filter: 'eq(name, "x"' })).toMatchObject({ status: 400 })
  })

  it('answers NOT_FOUND for an unknown run', async () => {
    expect(await read(uuid7())).toMatchObject({ status: 404, text: expect.stringContaining('Run not found') })
    expect((await read('nonsense')).status).toBe(400)
  })

  it('lists a trace without payloads, in the order of the tree, with a version that moves', async () => {
    const root = aRun({ inputs: { a: 1 } })
    const child = aChild(root, { error: 'first line\nsecond' })
    await post('/runs/batch', { post: [child, root] })
    const readTree = () => get<{ version: string }>(`/traces/${root.id}/runs`)
    const before = await readTree()
    expect(before).toMatchObject({
      trace_id: root.id,
      total: 2,
      runs: [{ id: root.id, inputs_bytes: 7 }, { id: child.id }],
    })
    expect(await get(`/traces/${root.id}/spine`)).toEqual(before)
    await send('PATCH', `/runs/${root.id}`, { end_time: START })
    expect((await readTree()).version).not.toBe(before.version)
    expect((await fetch(`${app.url}/traces/${uuid7()}/runs`)).status).toBe(404)
  })

  it('resolves the id of a run and of a project', async () => {
    const run = aRun({ name: 'findable' })
    await post('/runs', run)
    const { session_id, app_path } = await readJson(run.id)
    const resolve = (id: string) => get(`/resolve/${id}`)
    expect(await resolve(run.id)).toEqual({ kind: 'run', id: run.id, name: 'findable', app_path })
    expect(await resolve(session_id)).toMatchObject({ kind: 'project', id: session_id })
  })
})

describe('the writer of runs', () => {
  it('does not wait for a transaction of the relational store, which may wait for it', async () => {
    const app = await startApp()
    const run = aRun({ session_name: 'read inside a transaction' })
    const named = await app.fetch('/runs', { method: 'POST', body: JSON.stringify(run) })
    const unnamed = aRun()
    const plain = await app.fetch('/runs', { method: 'POST', body: JSON.stringify(unnamed) })
    expect([named.status, plain.status]).toEqual([202, 202])
    const found = await app.deps.relational.transaction(async (tx) => {
      await tx.execute(statement`select 1`)
      return app.deps.analytics.query(
        sql`select id from runs final where id in ${uuids([run.id, unnamed.id])}`,
        columns({ id: text }),
      )
    })
    expect(found.map(({ id }) => id).sort()).toEqual([run.id, unnamed.id].sort())
    await app.close()
  })

  it('names threads by the keys that the project has chosen, also right after they changed', async () => {
    const name = `threads-${uuid7()}`
    const first = aRun({ session_name: name, extra: { metadata: { chat: 'c1', thread_id: 't1' } } })
    await post('/runs', first)
    const { session_id } = await readJson(first.id)
    await send('PATCH', `/sessions/${session_id}`, { extra: { touchstone: { thread_keys: ['chat'] } } })
    const second = aRun({ session_name: name, extra: { metadata: { chat: 'c1', thread_id: 't1' } } })
    await post('/runs', second)
    expect((await readJson(first.id)).thread_id).toBe('t1')
    expect((await readJson(second.id)).thread_id).toBe('c1')
  })
})

it('counts stored and waiting rows, and measures the time', async () => {
  const run = aRun()
  await post('/runs', run)
  await app.fetch(`/runs/${run.id}`) // a read has it stored
  const text = await (await app.fetch('/metrics')).text()
  expect(text).toMatch(/touchstone_ingest_rows_total [1-9]/)
  expect(text).toMatch(/touchstone_ingest_bytes_total [1-9]/)
  expect(text).toMatch(/touchstone_ingest_acknowledge_seconds_count [1-9]/)
  expect(text).toMatch(/touchstone_query_seconds_count\{query="analytics insert runs"\} [1-9]/)
  expect(text).toMatch(/touchstone_buffer_rows 0/)
})
