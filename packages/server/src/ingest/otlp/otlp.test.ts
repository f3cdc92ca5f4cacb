import { randomBytes } from 'node:crypto'
import { deflateSync, gzipSync } from 'node:zlib'
import { contract, uuid7 } from '@touchstone/contract'
import { memberAt } from '@touchstone/formats/guards'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { padSpanId } from '../../storage/analytics/run-aliases.ts'
import { sql, uuids } from '../../storage/analytics/sql.ts'
import { columns, text } from '../../storage/rows.ts'
import { createRandom } from '../../testing/invent-runs.ts'
import {
  aRequest,
  nano,
  printProtobuf,
  type RequestJson,
  type SpanJson,
  toAttributes,
} from '../../testing/otlp-request.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { toTraceUuid } from './tree/span-ids.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const JSON_TYPE = { 'content-type': 'application/json' }
const PROTOBUF = { 'content-type': 'application/x-protobuf' }

const newTrace = () => randomBytes(16).toString('hex')
const newSpan = () => randomBytes(8).toString('hex')

function aSpan(traceId: string, parentSpanId?: string, more: Partial<SpanJson> = {}): SpanJson {
  const times = { startTimeUnixNano: nano(0), endTimeUnixNano: nano(900) }
  return {
    traceId,
    spanId: newSpan(),
    ...(parentSpanId !== undefined && { parentSpanId }),
    name: 'step',
    ...times,
    ...more,
  }
}

const post = (path: string, body: string | Buffer, headers: Record<string, string>) =>
  app.fetch(path, { method: 'POST', headers, body: typeof body === 'string' ? body : new Uint8Array(body) })
const send = (spans: readonly SpanJson[], headers: Record<string, string> = {}) =>
  post('/otel/v1/traces', JSON.stringify(aRequest(spans)), { ...JSON_TYPE, ...headers })
const readRun = async (id: string) => (await app.call(contract.runs.read, { params: { run_id: id } })).body
const where = async (id: string) => (await app.call(contract.ingestReceipts.where, { params: { id } })).body
const readTrace = async (trace: string) =>
  (
    await app.call(contract.runs.query, {
      body: {
        trace: toTraceUuid(trace),
        select: ['id', 'name', 'parent_run_id', 'dotted_order', 'outputs'],
        limit: 100,
      },
    })
  ).body.runs

describe('a trace over HTTP', () => {
  it.each([
    ['JSON', JSON_TYPE, (request: RequestJson) => JSON.stringify(request)],
    ['protobuf', PROTOBUF, printProtobuf],
    ['gzip', { ...PROTOBUF, 'content-encoding': 'gzip' }, (request: RequestJson) => gzipSync(printProtobuf(request))],
    ['deflate', { ...PROTOBUF, 'content-encoding': 'deflate' }, (one: RequestJson) => deflateSync(printProtobuf(one))],
    ['a type with a suffix', { 'content-type': 'application/vnd.google.protobuf' }, printProtobuf],
  ])('is readable when its request was answered, sent as %s', async (_, headers, print) => {
    const trace = newTrace()
    const root = aSpan(trace, undefined, { name: 'answer' })
    const attributes = toAttributes({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-4.1',
      'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'Hi' }] }]),
      'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: 'Hello' }] }]),
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 3,
    })
    const chat = aSpan(trace, root.spanId, { name: 'chat gpt-4.1', attributes })
    const response = await post('/otel/v1/traces', print(aRequest([root, chat])), headers)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain(
      headers['content-type'].includes('json') ? 'json' : 'protobuf',
    )
    expect(await response.text()).toBe(headers['content-type'].includes('json') ? '{}' : '')
    expect(await readRun(toTraceUuid(trace))).toMatchObject({ name: 'answer', status: 'success', total_tokens: 15 })
    expect(await readRun(padSpanId(chat.spanId))).toMatchObject({
      parent_run_id: toTraceUuid(trace),
      run_type: 'llm',
      inputs: { messages: [{ role: 'user', content: 'Hi' }] },
      outputs: { messages: [{ role: 'assistant', content: 'Hello' }] },
      prompt_tokens: 12,
      completion_tokens: 3,
      extra: { metadata: { OTEL_TRACE_ID: trace, OTEL_SPAN_ID: chat.spanId, ls_model_name: 'gpt-4.1' } },
    })
  })

  it.each([['/otel'], ['/api/v1/otel/v1/traces'], ['/api/v1/otel'], ['/api/public/otel/v1/traces']])(
    'arrives at %s too',
    async (path) => {
      const trace = newTrace()
      const response = await post(path, JSON.stringify(aRequest([aSpan(trace)])), JSON_TYPE)
      expect([response.status, await response.text()]).toEqual([200, '{}'])
      expect(await readRun(toTraceUuid(trace))).toMatchObject({ name: 'step' })
    },
  )

  it('goes to the project of its attributes, else of the header, else to the default project', async () => {
    const [first, second, third] = [newTrace(), newTrace(), newTrace()]
    const named = toAttributes({ 'langsmith.trace.session_name': 'of the span' })
    await send([aSpan(first, undefined, { attributes: named }), aSpan(second)], {
      'langsmith-project': 'of the header',
    })
    await send([aSpan(third)])
    // Clients that send only ASCII in headers.
    const encoded = newTrace()
    await send([aSpan(encoded)], { 'langsmith-project': encodeURIComponent('100% 購物') })
    const projects = (await app.call(contract.projects.list)).body
    const nameOf = async (trace: string) => {
      const run = await readRun(toTraceUuid(trace))
      return projects.find(({ id }) => id === run.session_id)?.name
    }
    const names = ['of the span', 'of the header', 'default', '100% 購物']
    expect(await Promise.all([first, second, third, encoded].map(nameOf))).toEqual(names)
  })
})

describe('spans that arrive late', () => {
  it('take their place in a stored trace in any order', async () => {
    const random = createRandom(3)
    for (let round = 0; round < 10; round++) {
      const trace = newTrace()
      const spans = [aSpan(trace, undefined, { name: '0' })]
      for (let at = 1; at < 8; at++) {
        const parent = spans[Math.floor(random() * spans.length)]!
        spans.push(aSpan(trace, parent.spanId, { name: String(at), startTimeUnixNano: nano(at) }))
      }
      const rest = [...spans]
      while (rest.length > 0) await send(rest.splice(Math.floor(random() * rest.length), 1 + Math.floor(random() * 2)))
      const stored = await readTrace(trace)
      expect(stored).toHaveLength(8)
      const idOf = (spanId: string) => (spanId === spans[0]!.spanId ? toTraceUuid(trace) : padSpanId(spanId))
      const parents = Object.fromEntries(stored.map((run) => [run.name, run.parent_run_id]))
      expect(parents).toEqual(
        Object.fromEntries(spans.map((span) => [span.name, span.parentSpanId ? idOf(span.parentSpanId) : null])),
      )
      for (const run of stored) {
        const parent = stored.find(({ id }) => id === run.parent_run_id)
        const above = run.dotted_order?.slice(0, run.dotted_order.lastIndexOf('.'))
        if (parent !== undefined) expect(above).toBe(parent.dotted_order)
      }
    }
  })

  it('do not replace a stored root, nor move what is below it, when they have no parent and start before it', async () => {
    const trace = newTrace()
    const make = (at: number, parent: SpanJson | undefined) => {
      const attributes = toAttributes({ 'output.value': `result ${at}` })
      return aSpan(trace, parent?.spanId, { name: String(at), startTimeUnixNano: nano(at), attributes })
    }
    const [first, second, third] = [make(1, undefined), make(2, undefined), make(3, undefined)]
    await send([second, third, make(5, second), make(6, third)])
    const before = await readTrace(trace)
    expect(before).toHaveLength(4)
    await send([first, make(4, first)])
    const after = await readTrace(trace)
    expect(after.filter(({ id }) => before.some((run) => run.id === id))).toEqual(before)
    const nameOf = (id: string | null | undefined) => after.find((run) => run.id === id)?.name
    expect(after.map((run) => [run.name, nameOf(run.parent_run_id), run.outputs]).sort()).toEqual(
      [1, 2, 3, 4, 5, 6].map((at) => [
        String(at),
        [undefined, '2', undefined, '2', '1', '2', '3'][at],
        { text: `result ${at}` },
      ]),
    )
    expect(nameOf(toTraceUuid(trace))).toBe('2')
    for (const span of [first, second, third])
      expect(await readRun(padSpanId(span.spanId))).toMatchObject({ name: span.name })
  })

  it('stand beside each other under a placeholder until their root comes', async () => {
    const trace = newTrace()
    const root = aSpan(trace, undefined, { name: 'agent', attributes: toAttributes({ 'input.value': 'asked' }) })
    const chat = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4.1', 'gen_ai.usage.input_tokens': 60 }
    const step = (name: string, from: number, to: number, attributes: Record<string, string | number>) =>
      aSpan(trace, root.spanId, {
        name,
        startTimeUnixNano: nano(from),
        endTimeUnixNano: nano(to),
        attributes: toAttributes(attributes),
      })
    const tool = step('get_weather', 20, 21, { 'gen_ai.operation.name': 'execute_tool' })
    const calls = [step('first', 30, 200, chat), step('second', 300, 500, chat)]
    await send([tool, calls[0]!], { 'langsmith-project': 'without a root' })
    const id = toTraceUuid(trace)
    const { id: project } = (await app.call(contract.projects.list, { query: { name: 'without a root' } })).body[0]!
    const listRoots = async () =>
      (await app.call(contract.runs.query, { body: { session: [project], is_root: true } })).body.runs
    const readTotals = async () =>
      (await app.call(contract.projects.read, { params: { session_id: project }, query: { include_stats: 'true' } }))
        .body
    expect(await listRoots()).toMatchObject([
      {
        id,
        name: 'Root not received',
        run_type: 'chain',
        status: 'success',
        total_tokens: 60,
        extra: { otel: { placeholder: true } },
      },
    ])
    await send([calls[1]!], { 'langsmith-project': 'without a root' })
    const [placeholder, ...others] = await listRoots()
    expect(others).toEqual([])
    expect(placeholder).toMatchObject({
      id,
      total_tokens: 120,
      start_time: '2026-11-01T12:00:00.020000Z',
      end_time: '2026-11-01T12:00:00.500000Z',
    })
    for (const span of [tool, ...calls])
      expect(await readRun(padSpanId(span.spanId))).toMatchObject({ parent_run_id: id })

    await send([root], { 'langsmith-project': 'without a root' })
    const [run, ...rest] = await listRoots()
    expect(rest).toEqual([])
    expect(run).toMatchObject({
      id,
      name: 'agent',
      total_tokens: 120,
      inputs: { input: 'asked' },
      end_time: '2026-11-01T12:00:00.900000Z',
    })
    expect(run?.extra).not.toMatchObject({ otel: { placeholder: true } })
    expect(await readTrace(trace)).toHaveLength(4)
    expect(await readTotals()).toMatchObject({ run_count: 1, total_tokens: 120 })
  })

  it('have a placeholder with their thread, which a run of an SDK replaces too', async () => {
    const trace = newTrace()
    const id = toTraceUuid(trace)
    const child = aSpan(trace, newSpan(), { attributes: toAttributes({ 'session.id': 'thread-8' }) })
    await send([child])
    await send([aSpan(trace, newSpan())])
    expect(await readRun(id)).toMatchObject({ name: 'Root not received', thread_id: 'thread-8' })
    const run = {
      id,
      trace_id: id,
      name: 'native',
      run_type: 'chain',
      start_time: '2026-11-01T11:59:59.000000Z',
      dotted_order: `20261101T115959000000Z${id}`,
    }
    await post('/runs/batch', JSON.stringify({ post: [{ ...run, extra: { metadata: { plan: 'pro' } } }] }), JSON_TYPE)
    await send([aSpan(trace, newSpan())])
    expect(await readRun(id)).toMatchObject({ name: 'native', dotted_order: run.dotted_order, end_time: null })
    expect((await readRun(id)).extra).toEqual({ metadata: { plan: 'pro' } })
  })

  it('have a placeholder that stays in their project when an update of their root comes before its create', async () => {
    const trace = newTrace()
    const id = toTraceUuid(trace)
    await send([aSpan(trace, newSpan())], { 'langsmith-project': 'updated early' })
    const before = await readRun(id)
    const update = { tags: ['x'], extra: { metadata: { plan: 'pro' } } }
    await app.call(contract.runs.update, { params: { run_id: id }, body: update })
    const { session_id, start_time } = before
    const kept = { session_id, start_time, name: 'Root not received', status: 'success', tags: ['x'] }
    expect(await readRun(id)).toMatchObject(kept)
    await send([aSpan(trace, newSpan())], { 'langsmith-project': 'updated early' })
    expect(await readRun(id)).toMatchObject(kept)
    await send([aSpan(trace, undefined, { name: 'agent' })], { 'langsmith-project': 'updated early' })
    const run = await readRun(id)
    expect(run).toMatchObject({ session_id, name: 'agent', tags: ['x'], extra: { metadata: { plan: 'pro' } } })
    expect(run.extra).not.toMatchObject({ otel: { placeholder: true } })
  })

  it.each([['with'], ['without']])(
    'are below a run of an SDK that comes last %s a path, with its start',
    async (how) => {
      const trace = newTrace()
      const id = toTraceUuid(trace)
      const children = [aSpan(trace, newSpan()), aSpan(trace, newSpan(), { startTimeUnixNano: nano(10) })]
      await send(children)
      // A read waits until they are stored, before the next block.
      expect(await readTrace(trace)).toHaveLength(3)
      const path = how === 'with' ? { trace_id: id, dotted_order: `20261101T115958000000Z${id}` } : {}
      const start_time = '2026-11-01T11:59:58.000000Z'
      await app.call(contract.runs.create, { body: { id, name: 'native', run_type: 'chain', start_time, ...path } })
      const stored = await readTrace(trace)
      expect(stored).toHaveLength(3)
      for (const run of stored) expect(run.dotted_order).toMatch(new RegExp(`^20261101T115958000000Z${id}`))
      for (const { spanId } of children) expect(await readRun(padSpanId(spanId))).toMatchObject({ parent_run_id: id })
    },
  )

  it('move a run of an SDK without a path from the placeholder to their root', async () => {
    const trace = newTrace()
    const [id, child] = [toTraceUuid(trace), uuid7()]
    await send([aSpan(trace, newSpan(), { startTimeUnixNano: nano(10) })])
    const body = { id: child, parent_run_id: id, name: 'native', run_type: 'tool', start_time: '2026-11-01T12:00:01Z' }
    await app.call(contract.runs.create, { body })
    await send([aSpan(trace, undefined, { name: 'root' })])
    const root = (await readRun(id)).dotted_order
    expect(root).toContain('T120000000000Z')
    expect((await readRun(child)).dotted_order).toBe(`${root}.20261101T120001000000Z${child}`)
  })

  it.each([['stored'], ['in the same block']])(
    'have a placeholder that ends with the last run of an SDK, %s',
    async (how) => {
      const trace = newTrace()
      const [id, child] = [toTraceUuid(trace), uuid7()]
      const [start_time, end_time] = ['2026-11-01T12:00:00.100000Z', '2026-11-01T12:00:03.000000Z']
      const dotted_order = `20261101T120000000000Z${id}.20261101T120000100000Z${child}`
      const run = { id: child, trace_id: id, parent_run_id: id, dotted_order, name: 'native', run_type: 'tool' }
      const create = app.call(contract.runs.create, { body: { ...run, start_time, end_time } })
      if (how === 'stored') {
        await create
        expect(await readRun(child)).toMatchObject({ end_time })
      }
      await Promise.all([create, send([aSpan(trace, newSpan())])])
      expect(await readRun(id)).toMatchObject({ name: 'Root not received', end_time })
    },
  )

  it('keep payloads and give the thread to runs that are stored already', async () => {
    const trace = newTrace()
    const root = aSpan(trace)
    const child = aSpan(trace, root.spanId, { attributes: toAttributes({ 'output.value': 'kept' }) })
    await send([child])
    await send([{ ...root, attributes: toAttributes({ 'gen_ai.conversation.id': 'thread-7' }) }])
    const run = await readRun(padSpanId(child.spanId))
    expect(run).toMatchObject({ parent_run_id: toTraceUuid(trace), extra: { metadata: { thread_id: 'thread-7' } } })
    expect(JSON.stringify(run.outputs)).toContain('kept')
  })

  it('tell the sender when another project has them already', async () => {
    const trace = newTrace()
    const root = aSpan(trace, undefined, { name: 'agent' })
    const child = aSpan(trace, root.spanId)
    const sendTo = async (project: string, spans: readonly SpanJson[]) =>
      (await send(spans, { 'langsmith-project': project })).json() as Promise<unknown>
    expect(await sendTo('first project', [root, child])).toEqual({})
    // Sent again, and a part of the trace that only the second project gets.
    expect(await sendTo('first project', [child])).toEqual({})
    expect(await sendTo('second project', [aSpan(trace, root.spanId)])).toEqual({})
    const reason =
      'This span is stored in project first project, to which it was sent first; project second project does not show it.'
    expect(await sendTo('second project', [root, child])).toEqual({ partialSuccess: { errorMessage: reason } })
    for (const id of [padSpanId(child.spanId), padSpanId(root.spanId)]) {
      expect(JSON.stringify(await where(id))).toContain(reason)
    }
  })

  it('are stored once when a batch is sent again', async () => {
    const trace = newTrace()
    const root = aSpan(trace)
    const spans = [root, aSpan(trace, root.spanId), aSpan(trace, newSpan())]
    await send(spans)
    const before = await readTrace(trace)
    await Promise.all([send(spans), send(spans)])
    expect(await readTrace(trace)).toEqual(before)
  })

  it.each(['one request', 'several requests'])('are kept apart when two of %s share an id', async (how) => {
    const trace = newTrace()
    const root = aSpan(trace)
    const spanId = newSpan()
    const at = (ms: number) => String((BigInt(Date.now()) - 60_000n + BigInt(ms)) * 1_000_000n)
    const times = [0, 10].map((ms) => ({ startTimeUnixNano: at(ms), endTimeUnixNano: at(ms + 5) }))
    const [first, second] = times.map((time, n) => ({
      ...aSpan(trace, root.spanId),
      ...time,
      spanId,
      name: `tool ${n}`,
    }))
    const below = aSpan(trace, spanId, { name: 'below' })
    const batches = how === 'one request' ? [[root, first!, second!, below]] : [[first!], [second!, root], [below]]
    for (const batch of batches) await send(batch)
    const before = await readTrace(trace)
    expect(before.map(({ name }) => name)).toHaveLength(4)
    const runs = Object.fromEntries(before.map((run) => [run.name, run]))
    expect(runs['tool 0']?.id).toBe(padSpanId(spanId))
    expect(runs['tool 1']).toMatchObject({ parent_run_id: toTraceUuid(trace) })
    expect(runs.below).toMatchObject({ parent_run_id: padSpanId(spanId) })
    const { extra } = await readRun(runs['tool 1']!.id)
    expect(extra).toMatchObject({ metadata: { duplicate_span_id: spanId, OTEL_SPAN_ID: spanId } })

    await send([second!, first!])
    await send([{ ...second!, name: 'renamed' }])
    const after = await readTrace(trace)
    expect(after.map(({ id }) => id).sort()).toEqual(before.map(({ id }) => id).sort())
    expect(after.find(({ id }) => id === runs['tool 1']?.id)?.name).toBe('renamed')
  })

  it('with one id and one start are one, whatever else differs', async () => {
    const trace = newTrace()
    const root = aSpan(trace)
    await send([root, { ...root, name: 'its last name' }])
    expect((await readTrace(trace)).map(({ name }) => name)).toEqual(['its last name'])
    // A span that is sent before it has a start takes the time of its arrival.
    const other = newTrace()
    const begun = { ...aSpan(other), startTimeUnixNano: '0', endTimeUnixNano: '0' }
    await send([begun])
    await send([begun])
    expect(await readTrace(other)).toHaveLength(1)
  })

  it('move with all below them, also runs of an SDK and those that were sent later, when their parent comes', async () => {
    const trace = newTrace()
    const root = aSpan(trace)
    const late = aSpan(trace, root.spanId, { startTimeUnixNano: nano(1) })
    const waiting = aSpan(trace, late.spanId, { startTimeUnixNano: nano(2) })
    const below = aSpan(trace, waiting.spanId, { startTimeUnixNano: nano(3) })
    await send([root, waiting])
    await send([below])
    const native = { id: uuid7(), parent_run_id: padSpanId(below.spanId), name: 'native', run_type: 'tool' }
    await app.call(contract.runs.create, { body: { ...native, start_time: '2026-11-01T12:00:00.004Z' } })
    // Stored before the next block; the first 8 bytes of its id name the run of the SDK.
    await readRun(native.id)
    const spanOfNative = native.id.replaceAll('-', '').slice(0, 16)
    const last = aSpan(trace, spanOfNative, { startTimeUnixNano: nano(5) })
    await send([last])
    await send([late])
    const paths = await Promise.all(
      [late, waiting, below, native, last].map(async (one) => {
        const { dotted_order } = await readRun('id' in one ? one.id : padSpanId(one.spanId))
        return dotted_order?.split('.').map((segment) => segment.slice(22))
      }),
    )
    const ids = [toTraceUuid(trace), ...[late, waiting, below].map(({ spanId }) => padSpanId(spanId)), native.id]
    expect(paths).toEqual([...[2, 3, 4, 5].map((length) => ids.slice(0, length)), [...ids, padSpanId(last.spanId)]])
  })

  it('have rows in the table of links only while their parents are missing', async () => {
    const trace = newTrace()
    const root = aSpan(trace)
    const [step, missing] = [aSpan(trace, root.spanId), newSpan()]
    const waiting = [aSpan(trace, missing), aSpan(trace, missing)]
    await send([root, step, aSpan(trace, step.spanId), aSpan(trace, waiting[0]!.spanId), ...waiting])
    const other = newTrace()
    const whole = aSpan(other)
    await send([whole, aSpan(other, whole.spanId)])
    await readRun(padSpanId(whole.spanId))
    const rows = await app.deps.analytics.query(
      sql`select key, id from run_links final where trace_id in ${uuids([trace, other].map(toTraceUuid))}`,
      columns({ key: text, id: text }),
    )
    const expected = waiting.map(({ spanId }) => ({ key: padSpanId(missing), id: padSpanId(spanId) }))
    expect(rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(expected.sort((a, b) => (a.id < b.id ? -1 : 1)))
  })

  it('join the run of an SDK that has their trace', async () => {
    const id = uuid7()
    const start = '2026-11-01T12:00:00.000000Z'
    const dotted_order = `20261101T120000000000Z${id}`
    await app.call(contract.runs.create, {
      body: { id, trace_id: id, dotted_order, name: 'sdk root', run_type: 'chain', start_time: start, inputs: {} },
    })
    const attributes = toAttributes({
      'langsmith.trace.id': id,
      'langsmith.span.parent_id': id,
      'langsmith.span.id': uuid7(),
    })
    await send([aSpan(newTrace(), undefined, { name: 'otel child', attributes })])
    const { body } = await app.call(contract.runs.query, { body: { trace: id, select: ['name', 'parent_run_id'] } })
    expect(body.runs.map((run) => [run.name, run.parent_run_id]).sort()).toEqual([
      ['otel child', id],
      ['sdk root', null],
    ])
  })
})

describe('tokens of a trace', () => {
  const chat = (usage: Record<string, number>, more: Record<string, string> = {}) =>
    toAttributes({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude-sonnet-4-5',
      ...usage,
      ...more,
    })
  const tokens = { 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.output_tokens': 20 }
  const sumOf = async (trace: string) => {
    const { body } = await app.call(contract.runs.query, {
      body: { trace: toTraceUuid(trace), select: ['id', 'name', 'extra'], limit: 100 },
    })
    const usages = body.runs.map(({ extra }) => memberAt(extra, 'metadata', 'usage_metadata', 'total_tokens'))
    return usages.reduce<number>((sum, usage) => sum + (typeof usage === 'number' ? usage : 0), 0)
  }

  it('count calls whose parent never comes each, although one stands for the root', async () => {
    const [trace, missing] = [newTrace(), newSpan()]
    const call = (at: number, parent = missing) =>
      aSpan(trace, parent, { startTimeUnixNano: nano(at), name: `call ${at}`, attributes: chat(tokens) })
    await send([call(1), call(2)])
    expect(await sumOf(trace)).toBe(240)
    await send([call(3), call(4, newSpan())])
    expect(await sumOf(trace)).toBe(480)
  })

  it('count the calls of several spans without a parent each', async () => {
    const trace = newTrace()
    const call = (at: number) => aSpan(trace, undefined, { startTimeUnixNano: nano(at), attributes: chat(tokens) })
    await send([call(1), call(2)])
    await send([call(3)])
    expect(await sumOf(trace)).toBe(360)
  })

  it.each([
    ['one request', (spans: SpanJson[]) => [spans]],
    ['the client first', (spans: SpanJson[]) => [[spans[0]!, spans[2]!], [spans[1]!]]],
    ['the instrumentation first', (spans: SpanJson[]) => [[spans[0]!, spans[1]!], [spans[2]!]]],
  ])('count a call once that its client reports beside an instrumentation, sent as %s', async (_, split) => {
    const trace = newTrace()
    const root = aSpan(trace)
    const times = (start: number, end: number) => ({ startTimeUnixNano: nano(start), endTimeUnixNano: nano(end) })
    const outer = aSpan(trace, root.spanId, {
      ...times(10, 80),
      name: 'Messages',
      attributes: chat(tokens, { 'gen_ai.output.messages': '[{"role":"assistant","content":"Hello"}]' }),
    })
    const own = aSpan(trace, root.spanId, { ...times(12, 70), name: CLIENT_SPAN, attributes: chat(tokens) })
    for (const spans of split([root, outer, own])) {
      const [client, others] = [spans.filter((one) => one === own), spans.filter((one) => one !== own)]
      const scopes = [...aRequest(others).resourceSpans, ...aRequest(client, CLIENT_SCOPE).resourceSpans]
      await post('/otel/v1/traces', JSON.stringify({ resourceSpans: scopes }), JSON_TYPE)
    }
    expect(await sumOf(trace)).toBe(120)
  })

  it('count a call that only its client reports, and two equal calls of which one is reported twice', async () => {
    const trace = newTrace()
    const at = (start: number, name: string) =>
      aSpan(trace, undefined, {
        startTimeUnixNano: nano(start),
        endTimeUnixNano: nano(start + 10),
        name,
        attributes: chat(tokens),
      })
    const clients = aRequest([at(1, CLIENT_SPAN), at(50, CLIENT_SPAN)], CLIENT_SCOPE).resourceSpans
    const others = aRequest([{ ...at(0, 'Messages'), endTimeUnixNano: nano(20) }]).resourceSpans
    await post('/otel/v1/traces', JSON.stringify({ resourceSpans: [...clients, ...others] }), JSON_TYPE)
    expect(await sumOf(trace)).toBe(240)
  })
})

const CLIENT_SPAN = 'anthropic.messages.create'
const CLIENT_SCOPE = { name: 'com.anthropic.sdk.python', version: '2.14.0' }

describe('the padded id of a root span', () => {
  it('finds its run, its receipt and its feedback, which may come before the span', async () => {
    const trace = newTrace()
    const root = aSpan(trace, undefined, { name: 'root' })
    const padded = padSpanId(root.spanId)
    const feedback = (key: string) =>
      app.call(contract.feedback.create, { body: { run_id: padded, key, score: 1, trace_id: padded } })
    await feedback('early')
    await send([root])
    await feedback('late')
    expect(await readRun(padded)).toMatchObject({ id: toTraceUuid(trace), name: 'root' })
    expect(Object.keys((await readRun(padded)).feedback_stats ?? {}).sort()).toEqual(['early', 'late'])
    for (const id of [padded, root.spanId, trace, toTraceUuid(trace)]) {
      expect(await where(id)).toMatchObject({ outcome: 'stored', stored: { run_id: toTraceUuid(trace) } })
    }
    const resolved = await app.call(contract.traces.resolve, { params: { id: padded } })
    expect(resolved.body).toMatchObject({ kind: 'run', name: 'root' })
  })

  it('adds its run to an annotation queue, once', async () => {
    const trace = newTrace()
    const root = aSpan(trace)
    const child = aSpan(trace, root.spanId)
    await send([root, child])
    const queue = await app.call(contract.annotationQueues.create, { body: { name: 'of spans' } })
    const params = { queue_id: queue.body.id }
    const body = [padSpanId(root.spanId), toTraceUuid(trace), padSpanId(child.spanId)]
    const added = await app.call(contract.annotationQueues.addRuns, { params, body })
    expect(added.body.map(({ run_id }) => run_id)).toEqual([toTraceUuid(trace), padSpanId(child.spanId)])
  })

  it('is erased with the trace', async () => {
    const trace = newTrace()
    const root = aSpan(trace)
    await send([root])
    const id = toTraceUuid(trace)
    const project = (await readRun(id)).session_id
    await app.call(contract.runDeletions.delete, { body: { session_id: project, trace_ids: [id] } })
    expect((await app.fetch(`/runs/${padSpanId(root.spanId)}`)).status).toBe(404)
    expect(await where(root.spanId)).toMatchObject({ outcome: 'unknown', stored: null })
  })
})

describe('where is my span', () => {
  it('answers for an accepted, a rejected and an unknown id, in every form of it', async () => {
    const trace = newTrace()
    const [good, bad] = [aSpan(trace), aSpan(trace, newSpan(), { startTimeUnixNano: `${2n ** 64n - 1n}` })]
    await send([good, bad])
    const outcomes = async (...ids: string[]) => Promise.all(ids.map(async (id) => (await where(id)).outcome))
    const forms = ({ spanId }: SpanJson) => [spanId, spanId.toUpperCase(), padSpanId(spanId)]
    expect(await outcomes(...forms(good), trace, toTraceUuid(trace))).toEqual(Array(5).fill('stored'))
    expect(await outcomes(...forms(bad))).toEqual(Array(3).fill('rejected'))
    expect(await outcomes(newSpan(), padSpanId(newSpan()), newTrace(), 'no id')).toEqual(Array(4).fill('unknown'))
  })
})

describe('what cannot be stored', () => {
  it('is counted and explained, and its neighbors are stored', async () => {
    const trace = newTrace()
    const good = aSpan(trace)
    const late = aSpan(trace, good.spanId, { startTimeUnixNano: `${2n ** 64n - 1n}` })
    const response = await send([good, { ...aSpan(trace), spanId: 'ab' }, late])
    const { partialSuccess } = (await response.json()) as { partialSuccess: Record<string, string> }
    expect([response.status, partialSuccess.rejectedSpans]).toEqual([200, '2'])
    expect(partialSuccess.errorMessage).toContain('2 spans were not stored')
    expect(await readTrace(trace)).toHaveLength(1)
    const found = await where(late.spanId)
    expect(found.outcome).toBe('rejected')
    expect(found.receipts[0]).toMatchObject({ accepted: 1, rejected: 2, route: 'POST /otel/v1/traces' })
    expect(found.receipts[0]?.items.map(({ id }) => id)).toContain(padSpanId(late.spanId))
  })

  it('is reported as google.rpc.Status in the encoding of the request', async () => {
    const refused = await post('/otel/v1/traces', Buffer.from('no protobuf'), PROTOBUF)
    expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'application/x-protobuf'])
    const bytes = Buffer.from(await refused.arrayBuffer())
    expect([bytes[0], bytes[1], bytes[2]]).toEqual([0x08, 3, 0x12])
    expect(bytes.toString()).toContain('cannot be read')
    const json = await post('/otel/v1/traces', '{"resourceSpans": 7}', JSON_TYPE)
    expect([json.status, await json.json()]).toEqual([
      400,
      { code: 3, message: expect.stringContaining('resourceSpans') },
    ])
    const text = await post('/otel/v1/traces', 'x', { 'content-type': 'text/plain' })
    expect([text.status, await text.json()]).toEqual([415, { code: 3, message: expect.stringContaining('text/plain') }])
    const brotli = await post('/otel/v1/traces', '{}', { ...JSON_TYPE, 'content-encoding': 'br' })
    expect(brotli.status).toBe(415)
    const empty = await post('/otel/v1/traces', '', PROTOBUF)
    expect([empty.status, await empty.text()]).toEqual([200, ''])
  })

  it('is a body that becomes far larger when it is decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(80 * 1024 * 1024))
    const before = process.memoryUsage().arrayBuffers
    const response = await post('/otel/v1/traces', bomb, { ...PROTOBUF, 'content-encoding': 'gzip' })
    expect([response.status, await response.text()]).toEqual([413, expect.stringContaining('67108864 bytes')])
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * 1024 * 1024)
    const half = bomb.subarray(0, bomb.length / 2)
    const cut = await post('/otel/v1/traces', half, { ...PROTOBUF, 'content-encoding': 'gzip' })
    expect([400, 413]).toContain(cut.status)
  })

  it('does not include the spans before the place where a request is damaged', async () => {
    const trace = newTrace()
    const spans = [aSpan(trace), aSpan(trace)]
    const first = printProtobuf(aRequest(spans.slice(0, 1)))
    const second = printProtobuf(aRequest(spans.slice(1)))
    const response = await post('/otel/v1/traces', Buffer.concat([first, second.subarray(0, 40)]), PROTOBUF)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('cannot be read')
    expect(await readTrace(trace)).toHaveLength(1)
  })

  it('warns of attributes that an exporter dropped, in the answer and in the receipt', async () => {
    const trace = newTrace()
    const span = aSpan(trace, undefined, { droppedAttributesCount: 12 })
    const { partialSuccess } = (await (await send([span])).json()) as { partialSuccess: Record<string, string> }
    expect(partialSuccess).toEqual({ errorMessage: expect.stringContaining('12') })
    const found = await where(span.spanId)
    expect(found).toMatchObject({ outcome: 'stored' })
    expect(found.receipts[0]?.items).toMatchObject([{ outcome: 'warning', id: padSpanId(span.spanId) }])
  })
})

describe('log records', () => {
  const sendLogs = (logRecords: readonly unknown[]) =>
    post(
      '/otel/v1/logs',
      JSON.stringify({ resourceLogs: [{ scopeLogs: [{ scope: { name: 's' }, logRecords }] }] }),
      JSON_TYPE,
    )

  it.each([['before'], ['after']])('are part of the run of their span when they come %s it', async (when) => {
    const trace = newTrace()
    const span = aSpan(trace, newSpan(), { attributes: toAttributes({ 'gen_ai.operation.name': 'chat' }) })
    const ids = { traceId: trace, spanId: span.spanId, timeUnixNano: nano(1) }
    const body = (role: string, content: string) => ({ kvlistValue: { values: toAttributes({ role, content }) } })
    const choice = {
      kvlistValue: {
        values: [
          ...toAttributes({ index: 0, finish_reason: 'stop' }),
          { key: 'message', value: body('assistant', 'Hello') },
        ],
      },
    }
    const records = [
      { ...ids, eventName: 'gen_ai.user.message', body: body('user', 'Hi') },
      { ...ids, eventName: 'gen_ai.choice', body: choice },
    ]
    const steps = [() => sendLogs(records), () => send([span])]
    for (const step of when === 'before' ? steps : steps.reverse()) expect((await step()).status).toBe(200)
    expect(await readRun(padSpanId(span.spanId))).toMatchObject({
      name: 'step',
      inputs: { messages: [{ role: 'user', content: 'Hi' }] },
      outputs: { messages: [{ role: 'assistant', content: 'Hello' }] },
    })
  })

  const logOf = ({ traceId, spanId }: SpanJson) => ({
    ...{ traceId, spanId, timeUnixNano: nano(1), eventName: 'gen_ai.user.message' },
    body: { kvlistValue: { values: toAttributes({ role: 'user', content: 'Hi' }) } },
  })
  const logged = { inputs: { messages: [{ role: 'user', content: 'Hi' }] } }

  it('that come before their span do not affect another span, nor the project of theirs', async () => {
    const trace = newTrace()
    const [root, early] = [newSpan(), aSpan(trace, newSpan(), { name: 'early' })]
    await sendLogs([logOf(early)])
    // Stored before the next block.
    expect(await readRun(padSpanId(early.spanId))).toMatchObject({ name: 'Unnamed run' })
    const project = { 'langsmith-project': 'with early logs' }
    expect(await (await send([aSpan(trace, root)], project)).json()).toEqual({})
    expect(await readRun(padSpanId(early.spanId))).toMatchObject({ parent_run_id: toTraceUuid(trace), ...logged })
    expect(await (await send([early], project)).json()).toEqual({})
    const { session_id } = await readRun(toTraceUuid(trace))
    expect(await readRun(padSpanId(early.spanId))).toMatchObject({ name: 'early', session_id, ...logged })
  })

  it('are below the root of their trace when that is stored and their span is not', async () => {
    const trace = newTrace()
    const root = aSpan(trace)
    await send([root])
    await readRun(toTraceUuid(trace))
    const late = aSpan(trace, root.spanId, { name: 'late' })
    await sendLogs([logOf(late)])
    const parent_run_id = toTraceUuid(trace)
    expect(await readRun(padSpanId(late.spanId))).toMatchObject({ name: 'Unnamed run', parent_run_id, ...logged })
    await send([late])
    expect(await readRun(padSpanId(late.spanId))).toMatchObject({ name: 'late', parent_run_id, ...logged })
  })

  it('of several spans make no placeholder before the spans come', async () => {
    const trace = newTrace()
    const spans = [aSpan(trace, newSpan()), aSpan(trace, newSpan())]
    for (const span of spans) {
      await sendLogs([logOf(span)])
      // Stored before the next block.
      expect((await readTrace(trace)).map(({ id }) => id)).toContain(padSpanId(span.spanId))
    }
    expect((await app.fetch(`/runs/${toTraceUuid(trace)}`)).status).toBe(404)
    await send(spans, { 'langsmith-project': 'with two logs' })
    const { id } = (await app.call(contract.projects.list, { query: { name: 'with two logs' } })).body[0]!
    expect(await readRun(toTraceUuid(trace))).toMatchObject({ name: 'Root not received', session_id: id })
    for (const { spanId } of spans)
      expect(await readRun(padSpanId(spanId))).toMatchObject({ session_id: id, ...logged })
  })

  it.each(['alone', 'before a child', 'after a child'])(
    'of a root span, when they come %s, are part of its run',
    async (when) => {
      const trace = newTrace()
      const project = `with logs of a root ${when}`
      const root = aSpan(trace, undefined, { name: 'agent' })
      const child = aSpan(trace, root.spanId)
      const sendChild = async () => {
        await send([child], { 'langsmith-project': project })
        expect((await readTrace(trace)).map(({ id }) => id)).toContain(padSpanId(child.spanId))
      }
      if (when === 'after a child') await sendChild()
      await sendLogs([logOf(root)])
      // Each is stored before the next block.
      expect((await readTrace(trace)).map(({ id }) => id)).toContain(padSpanId(root.spanId))
      if (when === 'before a child') await sendChild()
      expect(await (await send([root], { 'langsmith-project': project })).json()).toEqual({})
      if (when === 'alone') await sendChild()
      const id = toTraceUuid(trace)
      const run = await readRun(id)
      expect(run).toMatchObject({ name: 'agent', status: 'success', ...logged })
      expect(await readRun(padSpanId(root.spanId))).toMatchObject({ id })
      const shape = (await readTrace(trace)).map(({ name, parent_run_id }) => [name, parent_run_id])
      expect(shape.toSorted()).toEqual([
        ['agent', null],
        ['step', id],
      ])
      const body = { session: [run.session_id], is_root: true, select: ['id'] }
      expect((await app.call(contract.runs.query, { body })).body.runs).toMatchObject([{ id }])
    },
  )

  it('of other kinds are counted as rejected, with the reason', async () => {
    const line = { timeUnixNano: nano(0), body: { stringValue: 'a line' } }
    const response = await sendLogs([line, { ...line, eventName: 'gen_ai.choice' }])
    expect(response.status).toBe(200)
    const { partialSuccess } = (await response.json()) as { partialSuccess: Record<string, string> }
    expect(partialSuccess).toEqual({ rejectedLogRecords: '2', errorMessage: expect.stringContaining('gen_ai.') })
  })

  it('have a body that is a JSON text', async () => {
    const trace = newTrace()
    const span = aSpan(trace, newSpan(), { attributes: toAttributes({ 'gen_ai.operation.name': 'chat' }) })
    const record = {
      traceId: trace,
      spanId: span.spanId,
      timeUnixNano: nano(1),
      attributes: toAttributes({ 'event.name': 'gen_ai.user.message' }),
      body: { stringValue: '{"role":"user","content":"hi"}' },
    }
    expect((await sendLogs([record])).status).toBe(200)
    await send([span])
    const run = await readRun(padSpanId(span.spanId))
    expect(run).toMatchObject({ inputs: { messages: [{ role: 'user', content: 'hi' }] } })
  })
})

describe('metrics', () => {
  const points = { dataPoints: [{ asInt: '1' }, { asInt: '2' }] }
  const metrics = [
    { name: 'a', sum: points },
    { name: 'b', histogram: points },
    { name: 'c', gauge: { dataPoints: [] } },
  ]
  const request = { resourceMetrics: [{ scopeMetrics: [{ metrics }, {}] }, {}] }
  /** A message of one field with a length. */
  const field = (tag: number, ...parts: readonly Buffer[]) =>
    Buffer.concat([Buffer.from([tag, Buffer.concat(parts).length]), ...parts])

  it('are counted and not stored, in JSON', async () => {
    const response = await post('/otel/v1/metrics', JSON.stringify(request), JSON_TYPE)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      partialSuccess: { rejectedDataPoints: '4', errorMessage: expect.stringContaining('Metrics are not stored') },
    })
  })

  it('are counted and not stored, in protobuf', async () => {
    const point = field(0x0a, field(0x22))
    const kinds = [0x2a, 0x3a, 0x4a, 0x52, 0x5a].map((tag) => field(0x12, field(0x0a), field(tag, point)))
    const body = field(0x0a, field(0x0a), field(0x12, ...kinds))
    const response = await post('/api/v1/otel/v1/metrics', gzipSync(body), { ...PROTOBUF, 'content-encoding': 'gzip' })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-protobuf'])
    const bytes = Buffer.from(await response.arrayBuffer())
    // partial_success { rejected_data_points: 5, error_message }
    expect([...bytes.subarray(0, 1), ...bytes.subarray(2, 5)]).toEqual([0x0a, 0x08, 5, 0x12])
    expect(bytes.toString('utf8')).toContain('Metrics are not stored')
  })

  it.each([
    ['JSON', JSON_TYPE, '{}', 200],
    ['protobuf', PROTOBUF, '', 200],
    ['broken JSON', JSON_TYPE, '{"resourceMetrics":', 400],
    ['broken protobuf', PROTOBUF, '\u000a\u0055', 400],
    ['another type', { 'content-type': 'text/plain' }, 'x', 415],
  ])('of %s without any are answered by their status', async (_, headers, body, status) => {
    const response = await post('/otel/v1/metrics', body, headers)
    expect(response.status).toBe(status)
    if (status === 200) expect(await response.text()).toBe(headers['content-type'].includes('json') ? '{}' : '')
  })
})

describe('a server with keys', () => {
  let closed: StartedApp
  let key: string
  beforeAll(async () => {
    closed = await startApp()
    key = (await closed.call(contract.apiKeys.create, { body: { description: 'exporter' } })).body.key
  })
  afterAll(() => closed.close())

  const sendAs = (path: string, headers: Record<string, string>) =>
    closed.fetch(path, {
      method: 'POST',
      headers: { ...JSON_TYPE, ...headers },
      body: JSON.stringify(aRequest([aSpan(newTrace())])),
    })
  const basic = (name: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
  })

  it('accepts the key in a header, and in Basic authentication only on the path of Langfuse', async () => {
    expect((await sendAs('/otel/v1/traces', {})).status).toBe(401)
    expect((await sendAs('/otel/v1/metrics', {})).status).toBe(401)
    expect((await sendAs('/otel/v1/traces', { 'x-api-key': key })).status).toBe(200)
    expect((await sendAs('/otel/v1/traces', { authorization: `Bearer ${key}` })).status).toBe(200)
    expect((await sendAs('/otel/v1/traces', basic('pk', key))).status).toBe(401)
    expect((await sendAs('/api/public/otel/v1/traces', basic('pk-lf-1', key))).status).toBe(200)
    expect((await sendAs('/api/public/otel/v1/traces', basic('pk-lf-1', 'wrong'))).status).toBe(401)
    expect((await sendAs('/api/public/otel/v1/traces', {})).status).toBe(401)
  })
})
