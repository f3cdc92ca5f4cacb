/**
 * `npm run bench peers [seconds] [spans per request] [senders]`: the same OTLP protobuf requests are sent to Touchstone,
 * Phoenix and MLflow from PyPI, in turn, each on its own embedded store. After the last request the server is killed
 * (SIGKILL), and the spans in its store are counted. Linux only. @default 20 s, 100, 4
 */
import { fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { percentile, printTable } from './support/figures.ts'
import { installPeers, measureTree, type Peer, startMlflow, startPhoenix, startTouchstone } from './support/peers.ts'

const [seconds = '20', batch = '100', senders = '4'] = process.argv.slice(2)
const programs = installPeers(fileURLToPath(new URL('..', import.meta.url)))
const rows: (string | number)[][] = []
for (const start of [
  (dataDir: string) => startTouchstone(dataDir, '/otel/v1/traces'),
  (dataDir: string) => startPhoenix(programs, dataDir),
  (dataDir: string) => startMlflow(programs, dataDir),
]) {
  const dataDir = await mkdtemp(join(tmpdir(), 'touchstone-peers-'))
  try {
    rows.push(await measure(await start(dataDir)))
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}
printTable(
  ['peers', 'spans/s', 'acknowledged', 'durable', 'refused', 'p50 ms', 'p99 ms', 'CPU ms/span', 'rss max MB'],
  rows,
)

async function measure(peer: Peer): Promise<(string | number)[]> {
  const before = measureTree(peer.pid).cpuSeconds
  let maxBytes = 0
  const watch = setInterval(() => {
    maxBytes = Math.max(maxBytes, measureTree(peer.pid).bytes)
  }, 1_000)
  const { latencies, refused } = await send(peer).finally(() => clearInterval(watch))
  const cpuSeconds = measureTree(peer.pid).cpuSeconds - before
  const spans = latencies.length * Number(batch)
  const durable = await peer.killAndCount()
  return [
    peer.name,
    spans / Number(seconds),
    spans,
    durable,
    refused.length,
    percentile(latencies, 0.5),
    percentile(latencies, 0.99),
    ((cpuSeconds * 1_000) / spans).toFixed(3),
    maxBytes / 1e6,
  ]
}

interface Report {
  readonly latencies: number[]
  readonly refused: number[]
}

function send({ url, headers }: Peer): Promise<Report> {
  const script = fileURLToPath(new URL('./support/send-spans.ts', import.meta.url))
  const child = fork(script, [url, seconds, batch, senders, JSON.stringify(headers)], { execArgv: process.execArgv })
  return new Promise((resolve, reject) => {
    child.once('message', (report) => resolve(report as Report))
    child.once('exit', (code) => code !== 0 && reject(new Error(`the sender ended with code ${code}`)))
  })
}
