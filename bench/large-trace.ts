/**
 * `npm run bench large-trace [spans] [main]`: one trace of many spans, whose root never comes, in requests of 1,000 spans one after the
 * other. Prints the CPU time of the server per 1,000 spans when so many spans are stored. `main` is the entry of another
 * build. Linux only.
 * @default 100,000, the built server
 */
import { randomBytes } from 'node:crypto'
import { startServer } from '../e2e/support/start-server.ts'
import { printTable } from './support/figures.ts'
import { measureTree } from './support/peers.ts'

const [spans = '100000', program] = process.argv.slice(2)
const PER_REQUEST = 1_000
/** Spans per request until the next figure. */
const TO_FILL = 3_000
/** Requests of which a figure is the mean. */
const REQUESTS = 5
const STORED = [1_000, 10_000, 50_000, 100_000].filter((count) => count <= Number(spans))

const traceId = randomBytes(16).toString('hex')
const root = randomBytes(8).toString('hex')
const began = Date.now()
let number = 0
let step = ''

/** A step with three calls below it, which are sent before it. */
function nextSpan() {
  const at = number++
  if (at % 4 === 0) step = randomBytes(8).toString('hex')
  const isStep = at % 4 === 3
  const start = BigInt(began + (at >> 2) * 10 + (isStep ? 0 : (at % 4) + 1)) * 1_000_000n
  return {
    traceId,
    spanId: isStep ? step : randomBytes(8).toString('hex'),
    parentSpanId: isStep ? root : step,
    name: isStep ? 'step' : 'execute_tool search',
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + (isStep ? 9_000_000n : 1_000_000n)),
    attributes: [{ key: 'input.value', value: { stringValue: 'a question '.repeat(10) } }],
  }
}

const server = await startServer(program === undefined ? {} : { command: [process.execPath, program] })
try {
  const rows: [string, string][] = []
  for (const stored of STORED) {
    while (number < stored) await send(Math.min(TO_FILL, stored - number))
    const before = measureTree(server.pid).cpuSeconds
    for (let at = 0; at < REQUESTS; at++) await send(PER_REQUEST)
    const cpuMs = (measureTree(server.pid).cpuSeconds - before) * 1_000
    rows.push([stored.toLocaleString('en-US'), (cpuMs / REQUESTS).toFixed(0)])
    console.log(`${stored}: ${rows.at(-1)?.[1]} ms`)
  }
  printTable(['stored spans', 'CPU ms per 1,000'], rows)
} finally {
  await server.stop()
}

/** Sends a request and waits until it is stored. */
async function send(count: number): Promise<void> {
  const all = Array.from({ length: count }, nextSpan)
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ scope: { name: 'bench' }, spans: all }] }] })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${server.url}/otel/v1/traces`, { method: 'POST', headers, body })
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`)
  const { spanId } = all.at(-1)!
  const id = `00000000-0000-0000-${spanId.slice(0, 4)}-${spanId.slice(4)}`
  // A read waits for what was acknowledged before it.
  const query = JSON.stringify({ id: [id], select: ['id'], limit: 1 })
  const read = await fetch(`${server.url}/api/v1/runs/query`, { method: 'POST', headers, body: query })
  const { runs } = (await read.json()) as { runs?: unknown[] }
  if (runs?.length !== 1) throw new Error(`${read.status}: the last span was not found`)
}
