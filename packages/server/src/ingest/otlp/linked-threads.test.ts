import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { contract } from '@touchstone/contract'
import { memberAt } from '@touchstone/formats/guards'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../testing/invent-runs.ts'
import { aRequest, nano, type RequestJson, type SpanJson, toAttributes } from '../../testing/otlp-request.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { toTraceUuid } from './tree/span-ids.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const newTrace = () => randomBytes(16).toString('hex')
const newSpan = () => randomBytes(8).toString('hex')

/** A root with a link to the root of another trace. */
function aRoot(traceId: string, linked?: SpanJson, more: Partial<SpanJson> = {}): SpanJson {
  const times = { startTimeUnixNano: nano(0), endTimeUnixNano: nano(900) }
  const links = linked === undefined ? [] : [{ traceId: linked.traceId, spanId: linked.spanId }]
  return { traceId, spanId: newSpan(), name: 'step', ...times, links, ...more }
}

async function send(spans: readonly SpanJson[]): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify(aRequest(spans))
  expect((await app.fetch('/otel/v1/traces', { method: 'POST', headers, body })).status).toBe(200)
  // Stored before the next block.
  await readThreads(spans[0]!.traceId)
}

/** The threads of the runs of a trace. */
async function readThreads(traceId: string): Promise<unknown[]> {
  const select = ['id' as const, 'extra' as const]
  const body = { trace: toTraceUuid(traceId), select, limit: 100 }
  const { runs } = (await app.call(contract.runs.query, { body })).body
  return [...new Set(runs.map(({ extra }) => memberAt(extra, 'metadata', 'thread_id')))]
}

const NAMED = { attributes: toAttributes({ 'session.id': 'chat' }) }

describe('traces that links connect', () => {
  it.each([
    ['in one request', (all: readonly SpanJson[]) => [all]],
    ['in their order', (all: readonly SpanJson[]) => all.map((one) => [one])],
    ['from the last to the first', (all: readonly SpanJson[]) => all.toReversed().map((one) => [one])],
    ['the middle one last', ([a, b, c, d]: readonly SpanJson[]) => [[d!], [a!], [c!], [b!]]],
  ])('are one thread, the id of the first, when they arrive %s', async (_, split) => {
    const first = aRoot(newTrace())
    const second = aRoot(newTrace(), first)
    const third = aRoot(newTrace(), second)
    const all = [first, second, third, aRoot(newTrace(), third)]
    for (const part of split(all)) await send(part)
    for (const { traceId } of all) expect(await readThreads(traceId)).toEqual([toTraceUuid(first.traceId)])
  })

  it.each([['first'], ['last']])('have the thread that one of them names, which arrives %s', async (when) => {
    const named = aRoot(newTrace(), undefined, NAMED)
    const others = [aRoot(newTrace(), named)]
    others.push(aRoot(newTrace(), others[0]))
    if (when === 'first') await send([named])
    for (const other of others) await send([other])
    if (when === 'last') await send([named])
    for (const { traceId } of [named, ...others]) expect(await readThreads(traceId)).toEqual(['chat'])
  })

  it('keep threads of their own, and have none where a root links to several traces', async () => {
    const first = aRoot(newTrace())
    const named = aRoot(newTrace(), first, NAMED)
    const links = [first, named].map(({ traceId, spanId }) => ({ traceId, spanId }))
    const gathering = aRoot(newTrace(), undefined, { links })
    for (const one of [first, named, gathering]) await send([one])
    expect(await readThreads(named.traceId)).toEqual(['chat'])
    expect(await readThreads(gathering.traceId)).toEqual([undefined])
  })

  it('have one thread when they link to each other', async () => {
    const [a, b] = [newTrace(), newTrace()]
    const first = aRoot(a)
    const second = aRoot(b, first)
    await send([{ ...first, links: [{ traceId: b, spanId: second.spanId }] }, second])
    expect(await readThreads(a)).toEqual(await readThreads(b))
  })

  it('are one conversation of AutoGen, in any order and in several requests', async () => {
    const path = new URL('instrumentations/recorded/autogen.json', import.meta.url)
    const request = JSON.parse(readFileSync(path, 'utf8')) as RequestJson
    const all = request.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    const ofAgents = new Set(all.filter(({ name }) => name.startsWith('create_agent')).map(({ traceId }) => traceId))
    const [first] = all.filter(({ name }) => name.startsWith('autogen create RoundRobinGroupChatManager'))
    const random = createRandom(11)
    const rest = all.map((span) => ({ span, at: random() })).sort((a, b) => a.at - b.at)
    while (rest.length > 0) await send(rest.splice(0, 9).map(({ span }) => span))
    const traces = [...new Set(all.map(({ traceId }) => traceId))].filter((traceId) => !ofAgents.has(traceId))
    expect(traces.length).toBeGreaterThan(10)
    const threads = await Promise.all(traces.map(readThreads))
    expect(new Set(threads.flat())).toEqual(new Set([toTraceUuid(first!.traceId)]))
  })
})
