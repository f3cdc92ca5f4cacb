import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aTrace, stamp, type TraceOptions } from '../../testing/a-trace.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

const { runsV2, runs } = contract
const HOUR_MS = 60 * 60 * 1000

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

async function givenTraces(count: number, fields: Partial<TraceOptions> & { readonly apartMs?: number } = {}) {
  const project = `v2-${uuid7()}`
  const traces = Array.from({ length: count }, (_, at) =>
    aTrace({ project, ...fields, ageMs: (fields.ageMs ?? 60_000) + at * (fields.apartMs ?? 1000) }),
  )
  const answer = await app.call(runs.batch, { body: { post: traces.flatMap((trace) => trace.post) } })
  expect(answer.status).toBe(202)
  const { session_id } = (await app.call(runs.read, { params: { run_id: traces[0]!.root } })).body
  return { project, projectId: session_id, traces, roots: traces.map((trace) => trace.root) }
}

const query = (body: unknown) => app.call(runsV2.query, { body })
const idsOf = (items: readonly { id?: string | undefined }[]) => items.map((item) => item.id)

describe('querying runs the v2 way', () => {
  it('answers the id alone, of the last day alone, newest first', async () => {
    const { projectId, traces } = await givenTraces(2)
    const old = aTrace({ project: 'unused', ageMs: 25 * HOUR_MS })
    const post = old.post.map((run) => ({ ...run, session_name: undefined, session_id: projectId }))
    await app.call(runs.batch, { body: { post } })

    const { body } = await query({ project_ids: [projectId] })
    expect(body.items).toEqual([traces[0]!.llm, traces[0]!.root, traces[1]!.llm, traces[1]!.root].map((id) => ({ id })))
    expect(body.has_more).toBe(false)
    expect(body).not.toHaveProperty('next_cursor')

    const early = await query({
      project_ids: [projectId],
      min_start_time: old.times[0],
      max_start_time: old.times[1],
      sort_order: 'ASC',
    })
    expect(idsOf(early.body.items)).toEqual([old.root, old.llm])
    expect(idsOf((await query({ project_ids: [projectId], ids: [old.llm] })).body.items)).toEqual([old.llm])
    expect(idsOf((await query({ project_ids: [projectId], trace_id: old.root })).body.items)).toHaveLength(2)
  })

  it('writes enum values in upper case, costs as numbers, details under raw', async () => {
    const { projectId, traces } = await givenTraces(1)
    const { root, llm, times } = traces[0]!
    const selects = [
      ...['ID', 'NAME', 'RUN_TYPE', 'STATUS', 'LATENCY_SECONDS', 'METADATA', 'PARENT_RUN_IDS', 'PROJECT_ID', 'IS_ROOT'],
      ...['TOTAL_TOKENS', 'TOTAL_COST', 'PROMPT_TOKEN_DETAILS', 'PROMPT_COST_DETAILS', 'SHARE_URL', 'APP_PATH'],
      ...['START_TIME', 'MANIFEST', 'THREAD_EVALUATION_TIME', 'ATTACHMENTS', 'IS_IN_DATASET', 'TAGS', 'NO_SUCH_FIELD'],
    ]
    const { body } = await query({ project_ids: [projectId], ids: [root, llm], selects, sort_order: 'ASC' })
    expect(body.items[0]).toEqual({
      id: root,
      name: 'answer',
      run_type: 'CHAIN',
      status: 'SUCCESS',
      latency_seconds: 2,
      metadata: { big: 1 },
      parent_run_ids: [],
      project_id: projectId,
      is_root: true,
      total_tokens: 30,
      total_cost: 0.75,
      prompt_token_details: { raw: { cache_read: 5 } },
      prompt_cost_details: { raw: {} },
      app_path: expect.stringMatching(/^\/o\//),
      start_time: times[0],
      manifest: null,
      thread_evaluation_time: null,
      attachments: {},
      is_in_dataset: false,
      tags: ['prod'],
    })
    expect(body.items[1]).toMatchObject({ run_type: 'LLM', parent_run_ids: [root], is_root: false, tags: [] })
  })

  it('keeps the digits of metadata', async () => {
    const { projectId, traces } = await givenTraces(1)
    const id = uuid7()
    const [run] = traces[0]!.post
    const text = JSON.stringify({
      post: [{ ...run, id, trace_id: id, dotted_order: `${stamp(String(run!.start_time))}${id}` }],
    }).replace('"big":1', '"big":12345678901234567890')
    await app.call(runs.batch, { body: text })
    const answer = await query({ project_ids: [projectId], ids: [id], selects: ['METADATA'] })
    expect(answer.text).toContain('"metadata":{"big":12345678901234567890}')
  })

  it('pages by cursor, each run once, and ends without one', async () => {
    const { projectId, roots } = await givenTraces(7)
    const seen: (string | undefined)[] = []
    let cursor: string | undefined
    do {
      const { body } = await query({ project_ids: [projectId], is_root: true, page_size: 3, cursor })
      expect(body.has_more).toBe(body.next_cursor !== undefined)
      seen.push(...idsOf(body.items))
      cursor = body.next_cursor
    } while (cursor !== undefined)
    expect(seen).toEqual(roots)
  })

  it('narrows by type, error, root and example', async () => {
    const { projectId, traces } = await givenTraces(1, { error: 'broken' })
    const { root, llm } = traces[0]!
    const ids = async (body: object) => idsOf((await query({ project_ids: [projectId], ...body })).body.items)
    expect(await ids({ run_type: 'LLM' })).toEqual([llm])
    expect(await ids({ has_error: true })).toEqual([root])
    expect(await ids({ is_root: false })).toEqual([llm])
    expect(await ids({ reference_examples: [uuid7()] })).toEqual([])
    expect(await ids({ filter: 'eq(name, "call")' })).toEqual([llm])
    expect(await ids({ trace_filter: 'eq(status, "error")' })).toEqual([llm, root])
    expect(await ids({ tree_filter: 'eq(name, "unknown")' })).toEqual([])
    expect(await ids({ ai_query: 'broken' })).toEqual([root])
  })

  it('takes a dataset for its experiments', async () => {
    const dataset = uuid7()
    const name = `experiment-${uuid7()}`
    await app.call(contract.projects.create, { body: { name, reference_dataset_id: dataset } })
    const old = aTrace({ project: name, ageMs: 100 * HOUR_MS })
    await app.call(runs.batch, { body: { post: old.post } })
    expect(idsOf((await query({ reference_dataset_id: dataset, is_root: true })).body.items)).toEqual([old.root])
    expect((await query({ reference_dataset_id: uuid7() })).body.items).toEqual([])
  })

  it.each([
    ['no project', {}],
    ['a project and a dataset', { project_ids: [uuid7()], reference_dataset_id: uuid7() }],
    ['a bad id', { project_ids: ['nope'] }],
    ['a foreign cursor', { project_ids: [uuid7()], cursor: 'nope' }],
    ['an unknown type', { project_ids: [uuid7()], run_type: 'DREAM' }],
  ])('refuses %s with a problem document', async (_, body) => {
    const answer = await query(body)
    expect(answer.status).toBe(400)
    expect(answer.headers.get('content-type')).toContain('application/problem+json')
    expect(answer.body).toMatchObject({ title: 'Bad Request', status: 400, instance: '/api/v2/runs/query' })
  })
})

describe('a v2 query that asks for an event stream', () => {
  const ask = (accept: string, body: object) =>
    app.fetch('/api/v2/runs/query', {
      method: 'POST',
      headers: { accept, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  it('gets the same page as JSON, set by one event and then ended', async () => {
    const { projectId } = await givenTraces(2)
    const body = { project_ids: [projectId], selects: ['ID', 'NAME', 'INPUTS'], page_size: 3 }
    const answer = await ask('text/event-stream', body)
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    const [data, end] = (await answer.text()).trimEnd().split('\n\n')
    const lines = data!.split('\n')
    expect([lines.shift(), end]).toEqual(['event: data', 'event: end'])
    const patch: unknown = JSON.parse(lines.map((line) => line.replace(/^data: /, '')).join('\n'))
    const page = (await query(body)).body
    expect(page.items).toHaveLength(3)
    expect(patch).toEqual([{ op: 'replace', path: '', value: page }])
  })

  it('keeps payloads that were sent with line breaks', async () => {
    const { project, projectId } = await givenTraces(1)
    const head = {
      id: uuid7(),
      name: 'lines',
      run_type: 'chain',
      session_name: project,
      start_time: new Date().toISOString(),
    }
    const text = `{"post":[${JSON.stringify(head).slice(0, -1)},"inputs":{\r\n"a":\n1}}]}`
    const sent = await app.fetch('/runs/batch', { method: 'POST', body: text })
    expect(sent.status).toBe(202)
    const answer = await ask('text/event-stream', { project_ids: [projectId], ids: [head.id], selects: ['INPUTS'] })
    const lines = (await answer.text()).split('\n\n')[0]!.split('\n').slice(1)
    expect(lines.length).toBeGreaterThan(1)
    expect(lines.every((line) => line.startsWith('data: '))).toBe(true)
    const [{ value }] = JSON.parse(lines.map((line) => line.slice(6)).join('\n'))
    expect(value.items).toEqual([{ inputs: { a: 1 } }])
  })

  it('gets JSON where it takes that too, and a problem with its status when the query is wrong', async () => {
    const { projectId } = await givenTraces(1)
    const both = await ask('text/event-stream, application/json', { project_ids: [projectId] })
    expect(both.headers.get('content-type')).toContain('application/json')
    expect((await ask('text/event-stream', { project_ids: [projectId], filter: 'eq(name' })).status).toBe(400)
  })
})

describe('reading one run the v2 way', () => {
  const read = (run_id: string, query: Record<string, string | string[]>) =>
    app.call(runsV2.read, { params: { run_id }, query })

  it('answers what is selected', async () => {
    const { projectId, traces } = await givenTraces(1)
    const { llm, times } = traces[0]!
    expect((await read(llm, { project_id: projectId })).body).toEqual({ id: llm })
    const selects = ['ID', 'EVENTS', 'OUTPUTS', 'EXTRA']
    expect((await read(llm, { project_id: projectId, selects, start_time: times[1]! })).body).toEqual({
      id: llm,
      events: traces[0]!.post[1]!.events,
      outputs: traces[0]!.post[1]!.outputs,
      extra: traces[0]!.post[1]!.extra,
    })
  })

  it('finds nothing in another project, and asks for the project', async () => {
    const { roots, projectId } = await givenTraces(1)
    expect((await read(roots[0]!, { project_id: uuid7() })).status).toBe(404)
    expect((await read(uuid7(), { project_id: projectId })).body).toMatchObject({ detail: 'Run not found' })
    expect((await read(roots[0]!, {})).status).toBe(400)
  })

  it('tells its web page, on the server’s public address', async () => {
    const { projectId, traces } = await givenTraces(1)
    const { root, llm } = traces[0]!
    const { body } = await app.call(runsV2.url, {
      params: { run_id: llm },
      query: { project_id: projectId, trace_id: root },
    })
    const { app_path } = (await app.call(runs.read, { params: { run_id: llm } })).body
    expect(body.url).toBe(app.url + app_path)
  })
})

describe('sharing a trace the v2 way', () => {
  const share = (run_id: string) => app.call(runsV2.share, { params: { run_id }, body: {} })

  it('shares the root of any run, once, and closes it with an empty answer', async () => {
    const { projectId, traces } = await givenTraces(1)
    const { root, llm } = traces[0]!
    const token = (await share(llm)).body.share_token
    expect((await share(root)).body.share_token).toBe(token)
    const shown = await query({ project_ids: [projectId], selects: ['ID', 'SHARE_URL'], sort_order: 'ASC' })
    expect(shown.body.items).toEqual([{ id: root, share_url: `${app.url}/public/${token}/r` }, { id: llm }])

    const headers = { accept: '*/*', 'content-type': 'application/json' }
    const close = () =>
      app.fetch(`/v2/runs/${root}/share`, {
        method: 'DELETE',
        headers,
        body: JSON.stringify({ session_id: projectId }),
      })
    for (const answer of [await close(), await close()]) {
      expect(answer.status).toBe(204)
      expect(await answer.text()).toBe('')
    }
    expect((await app.call(runsV2.publicQuery, { params: { share_token: token }, body: {} })).status).toBe(404)
    expect((await share(uuid7())).status).toBe(404)
  })

  it('opens the whole trace without payloads in the list, and each run with them', async () => {
    const { traces } = await givenTraces(1)
    const { root, llm } = traces[0]!
    const share_token = (await share(root)).body.share_token
    const selects = [
      'ID',
      'INPUTS',
      'OUTPUTS',
      'EVENTS',
      'PARENT_RUN_ID',
      'NAME',
      'PROJECT_ID',
      'APP_PATH',
      'THREAD_ID',
    ]
    const list = await app.call(runsV2.publicQuery, { params: { share_token }, body: { selects } })
    expect(list.body.items).toEqual([
      { id: root, parent_run_id: null, name: 'answer' },
      { id: llm, parent_run_id: root, name: 'call' },
    ])
    const read = (run_id: string) =>
      app.call(runsV2.publicRead, {
        params: { share_token, run_id },
        query: { selects, start_time: traces[0]!.times[0]! },
      })
    expect((await read(llm)).body).toMatchObject({ id: llm, outputs: traces[0]!.post[1]!.outputs })
    expect((await read(llm)).body).not.toHaveProperty('project_id')
    const other = await givenTraces(1)
    expect((await read(other.roots[0]!)).status).toBe(404)
  })

  it('reports an unknown token in a problem document', async () => {
    const answer = await app.call(runsV2.publicQuery, { params: { share_token: uuid7() }, body: {} })
    expect(answer.body).toMatchObject({ status: 404, title: 'Not Found', detail: 'Share token not found' })
  })
})

describe('traces the v2 way', () => {
  it('lists the runs of one, oldest first, within both bounds or none', async () => {
    const { projectId, traces } = await givenTraces(1)
    const { root, llm, times } = traces[0]!
    const list = (query: Record<string, string>) =>
      app.call(runsV2.ofTrace, { params: { trace_id: root }, query: { project_id: projectId, ...query } })
    expect((await list({})).body.items).toEqual([{ id: root }, { id: llm }])
    expect((await list({ selects: 'NAME' })).body.items).toEqual([{ name: 'answer' }, { name: 'call' }])
    const window = { min_start_time: times[1]!, max_start_time: times[1]! }
    expect((await list(window)).body.items).toEqual([{ id: llm }])
    expect((await list({ min_start_time: times[1]! })).status).toBe(400)
    expect((await list({ project_id: uuid7() })).body.items).toEqual([])
  })

  it('pages through the roots of a day, with figures of all their runs', async () => {
    const { projectId, roots, traces } = await givenTraces(5, { apartMs: 2 * HOUR_MS })
    const ask = (body: object) => app.call(runsV2.queryTraces, { body: { project_id: projectId, ...body } })
    const selects = ['ID', 'NAME', 'TOTAL_TOKENS', 'TOTAL_COST', 'FIRST_TOKEN_TIME']
    const first = (await ask({ selects, page_size: 3 })).body
    expect(first.items[0]).toEqual({
      root_run: { id: roots[0], name: 'answer' },
      trace_aggregates: { total_tokens: 30, total_cost: 0.75, first_token_time: expect.any(String) },
    })
    const second = (await ask({ selects, page_size: 3, cursor: first.next_cursor })).body
    expect([...first.items, ...second.items].map((item) => item.root_run.id)).toEqual(roots)
    expect(second).not.toHaveProperty('next_cursor')

    const bare = (await ask({})).body
    expect(bare.items).toEqual(roots.map((id) => ({ root_run: { id } })))
    // The lower bound is inside, the upper one outside.
    const window = { min_start_time: traces[3]!.times[0], max_start_time: traces[1]!.times[0] }
    expect((await ask(window)).body.items).toEqual([roots[2], roots[3]].map((id) => ({ root_run: { id } })))
  })

  it('leaves out what is older than a day unless it is named', async () => {
    const { projectId, roots } = await givenTraces(2, { apartMs: 30 * HOUR_MS })
    const ask = (body: object) => app.call(runsV2.queryTraces, { body: { project_id: projectId, ...body } })
    const ids = async (body: object) => (await ask(body)).body.items.map((item) => item.root_run.id)
    expect(await ids({})).toEqual([roots[0]])
    expect(await ids({ trace_ids: [roots[1]!, uuid7()] })).toEqual([roots[1]])
    expect((await ask({ project_id: undefined })).status).toBe(400)
  })
})
