/**
 * `npm run bench playground [calls]`: what the playground adds to calls of models: to single calls, to a dataset of 50 rows with two
 * variants, and to six streams at once. The provider is a local server with fixed times. @default 200
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { startServer } from '../e2e/support/start-server.ts'
import { percentile, printTable } from './support/figures.ts'

const calls = Number(process.argv[2] ?? 200)
const ROWS = 50
const CONCURRENCY = 10
const KEY = 'sk-bench-0123456789'
const PIECE = 'piece of an answer'

/** Time between the pieces of an answer, and their number, by model. */
const MODELS: Readonly<Record<string, { readonly pieces: number; readonly waitMs: number }>> = {
  instant: { pieces: 20, waitMs: 0 },
  short: { pieces: 10, waitMs: 40 },
  long: { pieces: 60, waitMs: 40 },
}

const provider = await startProvider()
const server = await startServer()
try {
  const connection = { name: 'bench', kind: 'openai-chat', base_url: provider.url, key: KEY }
  const providerId = (await call('POST', '/model-providers', connection)).id as string
  const variant = (name: string, model: string) => ({
    name,
    provider_id: providerId,
    model,
    template_format: 'f-string',
    messages: [{ role: 'user', content: 'Say {question}' }],
  })
  await measureCalls(variant('a', 'instant'))
  await measureStreams(Array.from({ length: 6 }, (_, at) => variant(`v${at}`, 'long')))
  await measureJob([variant('a', 'short'), variant('b', 'short')])
  console.log(`\nresident: ${Math.round((await server.residentBytes()) / 1e6)} MB`)
} finally {
  await server.stop()
  await provider.close()
}

/** The same call to the provider itself and through the playground, in turn. */
async function measureCalls(variant: object): Promise<void> {
  const direct: Times[] = []
  const through: Times[] = []
  for (let round = -20; round < calls; round++) {
    const first = await timeStream(`${provider.url}/chat/completions`, { model: 'instant', stream: true })
    const second = await timeStream(`${server.url}/playground/runs`, {
      variants: [variant],
      variables: { question: 'x' },
    })
    if (round < 0) continue // the first calls warm both up
    direct.push(first)
    through.push(second)
  }
  const row = (name: string, pick: (times: Times) => number) => {
    const [one, other] = [direct.map(pick), through.map(pick)]
    const added = other.map((ms, at) => ms - (one[at] ?? 0))
    return [name, percentile(one, 0.5), percentile(other, 0.5), percentile(added, 0.5), percentile(added, 0.95)]
  }
  printTable(
    [`${calls} single calls`, 'direct p50 ms', 'playground p50 ms', 'added p50', 'added p95'],
    [
      row('until the first piece', ({ firstMs }) => firstMs),
      row('until the last piece', ({ lastMs }) => lastMs),
      row('until the end, with its run stored', ({ endMs }) => endMs),
    ],
  )
}

async function measureStreams(variants: readonly object[]): Promise<void> {
  const added: number[] = []
  const walls: number[] = []
  for (let round = 0; round < 5; round++) {
    provider.times.length = 0
    const { lastMs } = await timeStream(`${server.url}/playground/runs`, { variants, variables: { question: 'x' } })
    const longest = Math.max(...provider.times)
    walls.push(lastMs)
    added.push(lastMs - longest)
  }
  console.log()
  printTable(
    ['six streams of 60 pieces at once', 'p50 ms', 'slowest ms'],
    [
      ['until the last piece of all', percentile(walls, 0.5), Math.max(...walls)],
      ['more than the longest of the provider', percentile(added, 0.5), Math.max(...added)],
    ],
  )
}

async function measureJob(variants: readonly object[]): Promise<void> {
  const dataset = (await call('POST', '/datasets', { name: 'bench' })).id as string
  const examples = Array.from({ length: ROWS }, (_, n) => ({
    dataset_id: dataset,
    inputs: { question: `question ${n}` },
  }))
  await call('POST', '/examples/bulk', examples)
  const body = { dataset_id: dataset, name: 'bench', variants, concurrency: CONCURRENCY }
  const rows: [string, number, number, number][] = []
  for (let round = 1; round <= 3; round++) {
    provider.times.length = 0
    const { id } = await call('POST', '/playground/jobs', { ...body, name: `bench ${round}` })
    let wall = 0
    for (;;) {
      const job = await call('GET', `/playground/jobs/${id}`)
      wall = Date.parse(job.ended_at) - Date.parse(job.created_at)
      if (job.state === 'COMPLETED' && job.failed === 0) break
      if (job.state !== 'RUNNING') throw new Error(`The job is ${job.state}, ${job.failed} calls failed.`)
      await sleep(500)
    }
    const own = provider.times.reduce((sum, ms) => sum + ms, 0) / CONCURRENCY
    rows.push([`round ${round}`, wall, own, wall / own])
  }
  console.log()
  printTable(
    [
      `${ROWS} rows × ${variants.length} variants, ${CONCURRENCY} at once`,
      'ms',
      `provider's sum / ${CONCURRENCY}`,
      'ratio',
    ],
    rows.map(([name, wall, own, ratio]) => [name, wall, own, ratio.toFixed(2)]),
  )
}

interface Times {
  readonly firstMs: number
  readonly lastMs: number
  readonly endMs: number
}

/** Reads a stream of events; pieces are the events with a text. */
async function timeStream(url: string, body: object): Promise<Times> {
  const began = performance.now()
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${KEY}` }
  const isOurs = !url.startsWith(provider.url)
  const answer = await fetch(url, {
    method: 'POST',
    headers: isOurs ? { 'content-type': 'application/json' } : headers,
    body: JSON.stringify(body),
  })
  if (!answer.ok || answer.body === null) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
  let [firstMs, lastMs] = [0, 0]
  const decoder = new TextDecoder()
  for await (const chunk of answer.body) {
    const text = decoder.decode(chunk, { stream: true })
    if (text.includes('"type":"failed"')) throw new Error(text)
    // The last event of ours repeats the whole answer when its run is stored.
    if (!text.includes(isOurs ? '"type":"text"' : PIECE)) continue
    lastMs = performance.now() - began
    firstMs ||= lastMs
  }
  return { firstMs, lastMs, endMs: performance.now() - began }
}

interface Provider {
  readonly url: string
  /** Milliseconds of each call, from its request to the end of its answer. */
  readonly times: number[]
  close(): Promise<void>
}

async function startProvider(): Promise<Provider> {
  const times: number[] = []
  const answer = async (model: string, response: ServerResponse) => {
    const began = performance.now()
    const { pieces, waitMs } = MODELS[model] ?? { pieces: 1, waitMs: 0 }
    const send = (data: object) => response.write(`data: ${JSON.stringify(data)}\n\n`)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let at = 0; at < pieces; at++) {
      if (waitMs > 0) await sleep(waitMs)
      send({ model, choices: [{ index: 0, delta: { content: `${PIECE} ` }, finish_reason: null }] })
    }
    send({ model, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
    response.end('data: [DONE]\n\n')
    times.push(performance.now() - began)
  }
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { model } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { model: string }
    await answer(model, response)
  })
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`,
    times,
    close: () =>
      new Promise((done) => {
        http.close(() => done())
        http.closeAllConnections()
      }),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a bench reads a few fields of answers whose shapes the tests hold
async function call(method: string, path: string, body?: object): Promise<any> {
  const answer = await fetch(server.url + path, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`)
  return JSON.parse(text)
}
