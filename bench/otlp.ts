/**
 * `npm run bench otlp [seconds] [rounds]`: traces of ten runs of 2 kB, 100 per request, from 4 senders: as multipart of the
 * LangSmith clients and as OTLP protobuf, in turn, each on a new server. CPU time is that of the server. Linux only.
 * @default 10 s, 3
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { startServer } from '../e2e/support/start-server.ts'
import { percentile, printTable } from './support/figures.ts'
import { measureTree } from './support/peers.ts'

const [seconds = '10', rounds = '3'] = process.argv.slice(2)
const BATCH = 100
const SENDERS = 4
const KINDS = [
  { name: 'multipart', script: 'send-runs.ts', path: '' },
  { name: 'OTLP protobuf', script: 'send-spans.ts', path: '/otel/v1/traces' },
] as const

interface Figures {
  readonly latencies: number[]
  refused: number
  cpuMs: number
}

const figures = KINDS.map((): Figures => ({ latencies: [], refused: 0, cpuMs: 0 }))
for (let round = 0; round < Number(rounds); round++) {
  for (const [at, kind] of KINDS.entries()) await measure(kind, figures[at]!)
}
const [first] = figures.map(cpuPerRun)
printTable(
  ['otlp', 'runs/s', 'p50 ms', 'p99 ms', 'refused', 'CPU ms/run', 'ratio'],
  KINDS.map(({ name }, at) => {
    const { latencies, refused } = figures[at]!
    const cpu = cpuPerRun(figures[at]!)
    return [
      name,
      (latencies.length * BATCH) / (Number(seconds) * Number(rounds)),
      percentile(latencies, 0.5),
      percentile(latencies, 0.99),
      refused,
      cpu.toFixed(3),
      (cpu / (first ?? cpu)).toFixed(2),
    ]
  }),
)

function cpuPerRun({ cpuMs, latencies }: Figures): number {
  return cpuMs / (latencies.length * BATCH)
}

async function measure({ script, path }: (typeof KINDS)[number], figures: Figures): Promise<void> {
  const server = await startServer()
  try {
    const before = measureTree(server.pid).cpuSeconds
    const { latencies, refused } = await send(script, server.url + path)
    figures.cpuMs += (measureTree(server.pid).cpuSeconds - before) * 1_000
    figures.latencies.push(...latencies)
    figures.refused += refused.length
  } finally {
    await server.stop()
  }
}

interface Report {
  readonly latencies: number[]
  readonly refused: number[]
}

function send(script: string, url: string): Promise<Report> {
  const path = fileURLToPath(new URL(`./support/${script}`, import.meta.url))
  const child = fork(path, [url, seconds, String(BATCH), String(SENDERS)], { execArgv: process.execArgv })
  return new Promise((resolve, reject) => {
    child.once('message', (report) => resolve(report as Report))
    child.once('exit', (code) => code !== 0 && reject(new Error(`the sender ended with code ${code}`)))
  })
}
