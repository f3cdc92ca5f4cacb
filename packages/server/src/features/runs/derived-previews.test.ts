import { randomBytes } from 'node:crypto'
import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { padSpanId } from '../../storage/analytics/run-aliases.ts'
import { aRequest, nano, type SpanJson, toAttributes } from '../../testing/otlp-request.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const newSpan = () => randomBytes(8).toString('hex')
const toRunId = (trace: string) => [0, 8, 12, 16, 20].map((from, at, all) => trace.slice(from, all[at + 1])).join('-')

async function send(spans: readonly SpanJson[]): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = await app.fetch('/otel/v1/traces', { method: 'POST', headers, body: JSON.stringify(aRequest(spans)) })
  expect(await answer.json()).toEqual({})
}

const select = async (id: string, ...names: string[]) =>
  (await app.call(contract.runs.query, { body: { id: [id], select: names } })).body.runs[0]!

function aSpan(traceId: string, second: number, more: Partial<SpanJson>): SpanJson {
  const times = { startTimeUnixNano: nano(second * 1_000), endTimeUnixNano: nano(second * 1_000 + 900) }
  return { traceId, spanId: newSpan(), name: 'step', ...times, ...more }
}

const message = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }])

const aCall = (traceId: string, second: number, parentSpanId: string, [asked, answered]: readonly [string, string]) =>
  aSpan(traceId, second, {
    parentSpanId,
    name: 'chat',
    attributes: toAttributes({
      'gen_ai.operation.name': 'chat',
      'gen_ai.input.messages': message('user', asked),
      'gen_ai.output.messages': message('assistant', answered),
    }),
  })

describe('a root that recorded no inputs and outputs', () => {
  const FIELDS = ['inputs', 'outputs', 'inputs_preview', 'outputs_preview', 'derived_payloads']

  it('has the previews of its first and its last call of a model, also of one that comes later', async () => {
    const trace = randomBytes(16).toString('hex')
    const root = aSpan(trace, 0, { name: 'agent', endTimeUnixNano: nano(60_000) })
    const [first, second, third] = [1, 2, 3].map((at) => aCall(trace, at, root.spanId, [`asked ${at}`, `said ${at}`]))
    await send([root, second!])
    const own = { inputs: null, outputs: null }
    expect(await select(toRunId(trace), ...FIELDS)).toMatchObject({
      ...own,
      inputs_preview: 'asked 2',
      outputs_preview: 'said 2',
      derived_payloads: { inputs: padSpanId(second!.spanId), outputs: padSpanId(second!.spanId) },
    })
    await send([first!, third!])
    expect(await select(toRunId(trace), ...FIELDS)).toMatchObject({
      ...own,
      inputs_preview: 'asked 1',
      outputs_preview: 'said 3',
      derived_payloads: { inputs: padSpanId(first!.spanId), outputs: padSpanId(third!.spanId) },
    })
    // Other runs keep what they recorded.
    expect(await select(padSpanId(second!.spanId), ...FIELDS)).not.toHaveProperty('derived_payloads')
  })

  it('keeps the side that it recorded', async () => {
    const trace = randomBytes(16).toString('hex')
    const root = aSpan(trace, 0, { attributes: toAttributes({ 'input.value': 'my own question' }) })
    const call = aCall(trace, 1, root.spanId, ['asked', 'said'])
    await send([root, call])
    expect(await select(toRunId(trace), ...FIELDS)).toMatchObject({
      inputs_preview: 'my own question',
      outputs_preview: 'said',
      derived_payloads: { inputs: null, outputs: padSpanId(call.spanId) },
    })
  })

  it('has none without a call of a model', async () => {
    const trace = randomBytes(16).toString('hex')
    await send([aSpan(trace, 0, {})])
    const root = await select(toRunId(trace), ...FIELDS)
    expect(root).toMatchObject({ inputs_preview: null })
    expect(root).not.toHaveProperty('derived_payloads')
  })
})

describe('usage that repeats', () => {
  const usage = { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 7, 'gen_ai.usage.output_tokens': 3 }
  const FIELDS = ['repeats_usage', 'total_tokens']

  it('is marked on the span of a framework around that of a client, and on one beside it', async () => {
    const trace = randomBytes(16).toString('hex')
    const root = aSpan(trace, 0, { endTimeUnixNano: nano(60_000) })
    const attributes = toAttributes(usage)
    const outer = aSpan(trace, 1, { parentSpanId: root.spanId, name: 'framework', attributes })
    const inner = aSpan(trace, 1, { parentSpanId: outer.spanId, name: 'chat', attributes })
    await send([root, outer, inner])
    expect(await select(padSpanId(outer.spanId), ...FIELDS)).toMatchObject({ repeats_usage: 'below', total_tokens: 10 })
    expect(await select(padSpanId(inner.spanId), ...FIELDS)).toMatchObject({ repeats_usage: null, total_tokens: 10 })
    expect(await select(toRunId(trace), ...FIELDS)).toMatchObject({ repeats_usage: null, total_tokens: 10 })
  })

  it.each(['before', 'after'])('is marked on a run of an SDK that ends %s the span below it comes', async (when) => {
    const id = uuid7()
    const trace = id.replaceAll('-', '')
    const start_time = '2026-11-01T12:00:00.000000Z'
    const post = () =>
      app.call(contract.runs.batch, {
        body: { post: [{ id, trace_id: id, name: 'call', run_type: 'llm', start_time, inputs: { question: 'x' } }] },
      })
    const patch = () =>
      app.call(contract.runs.batch, {
        body: {
          patch: [
            {
              ...{ id, trace_id: id, end_time: '2026-11-01T12:00:02.000000Z' },
              outputs: { usage_metadata: { input_tokens: 7, output_tokens: 3, total_tokens: 10 } },
            },
          ],
        },
      })
    const span = aSpan(trace, 1, { parentSpanId: trace.slice(0, 16), name: 'chat', attributes: toAttributes(usage) })
    await post()
    if (when === 'before') await patch()
    await send([span])
    if (when === 'after') await patch()
    expect(await select(id, ...FIELDS)).toMatchObject({ repeats_usage: 'below', total_tokens: 10 })
    expect(await select(padSpanId(span.spanId), ...FIELDS)).toMatchObject({ repeats_usage: null, total_tokens: 10 })
  })
})
