/**
 * `npm run bench ingest [seconds] [batch] [senders] [runs per second]`: runs of 2 kB posted as multipart by separate
 * processes. Only acknowledged, and thus durable, runs are counted. Finally reads back the runs acknowledged last.
 * @default 30 s, 100, 4, as many as are acknowledged
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { startServer } from '../e2e/support/start-server.ts'
import { formatNumber, percentile, printTable } from './support/figures.ts'
import { measureTree } from './support/peers.ts'

const [seconds = '30', batch = '100', senders = '4', offered = '0'] = process.argv.slice(2)
const server = await startServer()
const resident: number[] = []
const watch = setInterval(async () => resident.push(await server.residentBytes()), 1_000)
try {
  const cpuBefore = measureTree(server.pid).cpuSeconds
  const { latencies, refused, lastIds } = await send()
  const cpuMs = (measureTree(server.pid).cpuSeconds - cpuBefore) * 1000
  clearInterval(watch)
  const runs = latencies.length * Number(batch)
  printTable(
    ['ingest', 'runs/s', 'p50 ms', 'p99 ms', 'max ms', 'refused', 'µs of CPU per run', 'rss max MB', 'rss end MB'],
    [
      [
        `${batch} per batch, ${senders} senders, ${seconds} s`,
        runs / Number(seconds),
        percentile(latencies, 0.5),
        percentile(latencies, 0.99),
        Math.max(...latencies),
        refused.length,
        (cpuMs * 1000) / runs,
        Math.max(...resident) / 1e6,
        (resident.at(-1) ?? 0) / 1e6,
      ],
    ],
  )
  const missing = await countMissing(lastIds)
  console.log(`\nread back by id: ${formatNumber(lastIds.length)} acknowledged runs, ${missing} missing`)
} finally {
  clearInterval(watch)
  await server.stop()
}

interface Report {
  readonly latencies: number[]
  readonly refused: number[]
  readonly lastIds: string[]
}

function send(): Promise<Report> {
  const script = fileURLToPath(new URL('./support/send-runs.ts', import.meta.url))
  const child = fork(script, [server.url, seconds, batch, senders, offered], { execArgv: process.execArgv })
  return new Promise((resolve, reject) => {
    child.once('message', (report) => resolve(report as Report))
    child.once('exit', (code) => code !== 0 && reject(new Error(`the sender ended with code ${code}`)))
  })
}

async function countMissing(ids: readonly string[]): Promise<number> {
  let missing = 0
  for (let at = 0; at < ids.length; at += 100) {
    const page = ids.slice(at, at + 100)
    const answer = await fetch(`${server.url}/runs/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: page, select: ['id'], limit: 100 }),
    })
    const { runs } = (await answer.json()) as { runs: { id: string }[] }
    missing += page.length - runs.length
  }
  return missing
}
