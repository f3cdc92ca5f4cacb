/**
 * `npm run bench latency [seconds] [runs per second]`: one client creates, updates and reads single runs, first alone,
 * then beside senders of batches of 100. @default 15 s, 1,000 runs/s
 */
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { startServer } from '../e2e/support/start-server.ts'
import { percentile, printTable } from './support/figures.ts'

const [seconds = '15', offered = '1000'] = process.argv.slice(2)
const server = await startServer()
const rows: (string | number)[][] = []
try {
  await measure(3_000) // warms the server up
  report('alone', await measure(Number(seconds) * 500))
  const script = fileURLToPath(new URL('./support/send-runs.ts', import.meta.url))
  const sender = fork(script, [server.url, seconds, '100', '4', offered], { execArgv: process.execArgv })
  const ended = new Promise((resolve) => sender.once('exit', resolve))
  report(`beside ${offered} runs/s`, await measure(Number(seconds) * 1000 - 1_000))
  await ended
  const header = ['one run', 'create + patch p50 ms', 'p95', 'p99', 'read after it p50 ms', 'p95', 'p99']
  printTable(header, rows)
} finally {
  await server.stop()
}

interface Samples {
  readonly writes: number[]
  readonly reads: number[]
}

function report(name: string, { writes, reads }: Samples): void {
  const shares = [0.5, 0.95, 0.99]
  rows.push([
    name,
    ...shares.map((share) => percentile(writes, share)),
    ...shares.map((share) => percentile(reads, share)),
  ])
}

async function measure(milliseconds: number): Promise<Samples> {
  const samples: Samples = { writes: [], reads: [] }
  for (const end = performance.now() + milliseconds; performance.now() < end; ) {
    const id = randomUUID()
    const start_time = new Date().toISOString()
    const dotted_order = `${start_time.replaceAll(/[-:.]/g, '').slice(0, 18)}000Z${id}`
    const began = performance.now()
    await send('POST', '/runs', {
      id,
      trace_id: id,
      dotted_order,
      name: 'one',
      run_type: 'chain',
      start_time,
      inputs: {},
    })
    await send('PATCH', `/runs/${id}`, {
      trace_id: id,
      dotted_order,
      end_time: new Date().toISOString(),
      outputs: { id },
    })
    const written = performance.now()
    const answer = await fetch(`${server.url}/runs/${id}`)
    const run = (await answer.json()) as { outputs?: { id?: string } }
    if (run.outputs?.id !== id) throw new Error(`the run ${id} was read as ${answer.status} ${JSON.stringify(run)}`)
    samples.writes.push(written - began)
    samples.reads.push(performance.now() - written)
  }
  return samples
}

async function send(method: string, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(server.url + path, { method, headers, body: JSON.stringify(body) })
  await answer.text()
  if (answer.status !== 202) throw new Error(`${method} ${path} was answered ${answer.status}`)
}
