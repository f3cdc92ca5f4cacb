/**
 * `npm run bench run-tree [runs…] [--rounds n]`: the run tree of a trace as rows and as columns, read in turn from the built
 * server: bytes as they are, and compressed as the server does for clients that accept it; milliseconds and CPU of the
 * server without compression; milliseconds to parse an answer. @default 100 10000 50000, 15 rounds
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { decodeTraceRuns, type TraceColumns, uuid7 } from '@touchstone/contract'
import { startServer } from '../e2e/support/start-server.ts'
import { percentile, printTable } from './support/figures.ts'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { rounds: { type: 'string' } } })
const sizes = positionals.length > 0 ? positionals.map(Number) : [100, 10_000, 50_000]
const rounds = Number(values.rounds ?? 15)

interface Form {
  readonly path: string
  readonly parse: (text: string) => unknown
}

const FORMS: Record<string, Form> = {
  rows: { path: '', parse: JSON.parse },
  columns: { path: '/columns', parse: (text) => decodeTraceRuns((JSON.parse(text) as TraceColumns).runs) },
}

const server = await startServer()
try {
  const table: (string | number)[][] = []
  for (const size of sizes) {
    for (const [ids, newId] of [
      ['version 7', uuid7],
      ['version 4', randomUUID],
    ] as const) {
      const traceId = await sendTrace(size, newId)
      await sleep(1_000 + size / 10) // merges use the CPU that is measured
      const figures = await measureInTurn(traceId)
      for (const [form, row] of figures) table.push([`${size.toLocaleString('en-US')}, ${ids}, ${form}`, ...row])
    }
  }
  printTable(['runs, ids, form', 'kB', 'gzip kB', 'Brotli kB', 'p50 ms', 'CPU ms', 'parse ms'], table)
} finally {
  await server.stop()
}

async function measureInTurn(traceId: string): Promise<[string, number[]][]> {
  const samples = Object.entries(FORMS).map(([name, form]) => ({ name, form, ms: [0], cpu: 0, parse: [0], text: '' }))
  for (let round = -2; round < rounds; round++) {
    for (const sample of samples) {
      const cpu = readCpuMs()
      const start = performance.now()
      const answer = await fetch(`${server.url}/api/v1/traces/${traceId}/runs${sample.form.path}`, {
        headers: { 'accept-encoding': 'identity' },
      })
      sample.text = await answer.text()
      const ms = performance.now() - start
      if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}: ${sample.text}`)
      const parse = timeOf(() => sample.form.parse(sample.text))
      if (round === 0) Object.assign(sample, { ms: [], cpu: 0, parse: [] })
      sample.ms.push(ms)
      sample.parse.push(parse)
      sample.cpu += readCpuMs() - cpu
    }
  }
  return samples.map(({ name, text, ms, cpu, parse }) => {
    const bytes = Buffer.from(text)
    const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
    const sizesInKb = [bytes, gzipSync(bytes, { level: 4 }), brotli].map(({ length }) => length / 1000)
    return [name, [...sizesInKb, percentile(ms, 0.5), cpu / rounds, percentile(parse, 0.5)]]
  })
}

function timeOf(work: () => unknown): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

/** CPU of all threads of the server. The kernel counts in steps of 10 ms, so only sums over rounds mean something. */
function readCpuMs(): number {
  const fields = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** An agent's trace: steps of a model call and some tools, with times, tokens and payloads of irregular sizes. */
async function sendTrace(size: number, newId: () => string): Promise<string> {
  const project = `run tree ${size}`
  const startMs = Date.now() - 3_600_000
  const runs: object[] = []
  let micros = 0
  const add = (
    above: Added | undefined,
    name: string,
    run_type: string,
    lengthMicros: number,
    fields: object,
  ): Added => {
    const id = newId()
    micros += below(3_000)
    const start = toTime(startMs, micros)
    const segment = start.replaceAll(/[-:.]/g, '') + id
    const path = above === undefined ? segment : `${above.path}.${segment}`
    const traceId = above?.traceId ?? id
    runs.push({
      ...{ id, trace_id: traceId, dotted_order: path, name, run_type, session_name: project },
      ...(above && { parent_run_id: above.id }),
      ...{
        start_time: start,
        end_time: toTime(startMs, micros + lengthMicros),
        inputs: { text: 'x'.repeat(below(900)) },
      },
      ...fields,
    })
    return { id, path, traceId }
  }
  const root = add(undefined, 'agent_loop', 'chain', 3e9, {})
  while (runs.length < size) {
    const step = add(root, 'step', 'chain', below(2e6), { tags: ['loop'], outputs: {} })
    add(step, 'ChatModel', 'llm', below(1.5e6), answered(toTime(startMs, micros + below(4e5))))
    for (let left = below(5); left > 0 && runs.length < size; left--) {
      const failure = below(200) === 0 ? { error: `HTTPError: 502 from tool ${below(9)}` } : {}
      add(step, `tool_${below(12)}`, 'tool', below(9e5), { outputs: { text: 'y'.repeat(below(2_000)) }, ...failure })
    }
  }
  runs.length = size
  for (let from = 0; from < size; from += 1_000) {
    const body = JSON.stringify({ post: runs.slice(from, from + 1_000) })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${server.url}/api/v1/runs/batch`, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`/runs/batch answered ${answer.status}: ${await answer.text()}`)
  }
  return root.traceId
}

interface Added {
  readonly id: string
  readonly path: string
  readonly traceId: string
}

function answered(time: string): object {
  const [input_tokens, output_tokens] = [200 + below(8_000), below(600)]
  return {
    events: [{ name: 'new_token', time }],
    outputs: {
      text: 'z'.repeat(below(800)),
      usage_metadata: { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens },
    },
    extra: { metadata: { ls_provider: 'openai', ls_model_name: below(3) === 0 ? 'gpt-4.1' : 'gpt-4o-mini' } },
  }
}

function below(end: number): number {
  return Math.floor(Math.random() * end)
}

function toTime(startMs: number, micros: number): string {
  const whole = Math.floor(micros / 1_000)
  return `${new Date(startMs + whole).toISOString().slice(0, 23)}${String(micros - whole * 1_000).padStart(3, '0')}Z`
}
