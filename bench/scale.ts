/**
 * `npm run bench scale [seconds] [rounds] [share] [senders]`: how ingest grows from one to two API processes when the engines
 * are not the limit. ClickHouse is replaced by a sink that discards rows; PostgreSQL, whose locks the processes share, is real.
 * Batches of 100 runs of 2 kB from the same number of senders go to one process and to both, in turn. Each process may use
 * the same share of one core (percent), so that a second process finds a free core on a small machine. Linux only.
 * @default 8 s, 5 rounds, 30 %, 8 senders
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { formatNumber, percentile, printTable } from './support/figures.ts'
import { measureTree } from './support/peers.ts'
import { type SeveralProcesses, startSeveralProcesses } from './support/several-processes.ts'

const [seconds = '8', rounds = '5', share = '30', senders = '8'] = process.argv.slice(2)
const BATCH = 100
const WARM_UP_SECONDS = '4'

/** What the process of the senders reports. */
interface Report {
  readonly latencies: readonly number[]
  readonly refused: readonly number[]
  readonly elapsedMs: number
  /** CPU of the senders. */
  readonly cpuMs: number
}

/** A report, and milliseconds of CPU. */
interface Figures extends Report {
  readonly apiMs: number
  readonly postgresMs: number
  readonly sinkMs: number
}

const processes = await startSeveralProcesses(2)
const [first, second] = processes.servers as [Server, Server]
const one: Figures[] = []
const both: Figures[] = []
try {
  const warmUp = await send([first, second], WARM_UP_SECONDS)
  const isLimited = processes.limit(Number(share) / 100)
  for (let round = 0; round < Number(rounds); round++) {
    const alone = round % 2 === 0 ? first : second
    const measureOne = async () => one.push(await measure([alone]))
    const measureBoth = async () => both.push(await measure([first, second]))
    // The machine may become slower or faster meanwhile, so each is first in every second round.
    for (const next of round % 2 === 0 ? [measureOne, measureBoth] : [measureBoth, measureOne]) await next()
  }
  printFigures(isLimited)
  const acknowledged = [warmUp, ...one, ...both].reduce((sum, figures) => sum + countRuns(figures), 0)
  const { runs = 0 } = await processes.countRows()
  console.log(`rows in the sink: ${formatNumber(runs)} for ${formatNumber(acknowledged)} acknowledged runs`)
} finally {
  await processes.stop()
}

type Server = SeveralProcesses['servers'][number]

async function measure(servers: readonly Server[]): Promise<Figures> {
  const before = readCpu(servers)
  const report = await send(servers, seconds)
  const after = readCpu(servers)
  const [apiMs = 0, postgresMs = 0, sinkMs = 0] = after.map((ms, at) => ms - before[at]!)
  return { ...report, apiMs, postgresMs, sinkMs }
}

/** Milliseconds of CPU so far: of the servers, PostgreSQL and the sink. */
function readCpu(servers: readonly Server[]): number[] {
  const cpuMs = (pid: number | undefined) => (pid === undefined ? Number.NaN : measureTree(pid).cpuSeconds * 1000)
  const apiMs = servers.reduce((sum, { pid }) => sum + cpuMs(pid), 0)
  return [apiMs, cpuMs(processes.postgresPid), cpuMs(processes.sinkPid)]
}

function send(servers: readonly Server[], forSeconds: string): Promise<Report> {
  const script = fileURLToPath(new URL('./support/send-runs.ts', import.meta.url))
  const urls = servers.map(({ url }) => url).join(',')
  const child = fork(script, [urls, forSeconds, String(BATCH), senders], { execArgv: process.execArgv })
  return new Promise((resolve, reject) => {
    child.once('message', (report) => resolve(report as Report))
    child.once('exit', (code) => code !== 0 && reject(new Error(`the sender ended with code ${code}`)))
  })
}

function printFigures(isLimited: boolean): void {
  const cases = [
    { name: '1 API process', count: 1, figures: one },
    { name: '2 API processes', count: 2, figures: both },
  ]
  const limit = isLimited ? `each limited to ${share} % of a core` : 'CPU not limited: control groups cannot be written'
  console.log(
    `\n${BATCH} per batch, ${senders} senders, ${rounds} rounds of ${seconds} s; ${limit}; ClickHouse is a sink\n`,
  )
  printTable(
    [
      'scale',
      'runs/s',
      'p50 ms',
      'p99 ms',
      'refused',
      '% of a core each',
      'API µs/run',
      'PostgreSQL',
      'sink',
      'senders',
    ],
    cases.map(({ name, count, figures }) => {
      const latencies = figures.flatMap((round) => round.latencies)
      const elapsedMs = sum(figures, 'elapsedMs')
      return [
        name,
        (latencies.length * BATCH * 1000) / elapsedMs,
        percentile(latencies, 0.5),
        percentile(latencies, 0.99),
        figures.reduce((total, { refused }) => total + refused.length, 0),
        (sum(figures, 'apiMs') * 100) / elapsedMs / count,
        ...(['apiMs', 'postgresMs', 'sinkMs', 'cpuMs'] as const).map((key) => cpuPerRun(figures, key)),
      ]
    }),
  )
  const ratios = both.map((figures, round) => runsPerSecond(figures) / runsPerSecond(one[round]!))
  const byCpu = (2 * cpuPerRun(one, 'apiMs')) / cpuPerRun(both, 'apiMs')
  const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
  if (isLimited) console.log(`\ntwo processes / one, runs/s: ${percentile(ratios, 0.5).toFixed(2)} (rounds: ${range})`)
  console.log(`two processes / one, if only the CPU of the API processes limits both: ${byCpu.toFixed(2)}`)
}

type Duration = 'elapsedMs' | 'cpuMs' | 'apiMs' | 'postgresMs' | 'sinkMs'

function sum(figures: readonly Figures[], key: Duration): number {
  return figures.reduce((total, round) => total + round[key], 0)
}

/** Microseconds. */
function cpuPerRun(figures: readonly Figures[], key: Duration): number {
  return (sum(figures, key) * 1000) / figures.reduce((total, round) => total + countRuns(round), 0)
}

function countRuns({ latencies }: Report): number {
  return latencies.length * BATCH
}

function runsPerSecond(report: Report): number {
  return (countRuns(report) * 1000) / report.elapsedMs
}
