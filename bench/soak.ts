/**
 * `npm run bench soak [minutes] [megabytes]`: mixed load (ingest, OTLP, lists, filters, full text, SQL, judging) against a server
 * with a memory limit, and every 15 seconds its memory, how late its event loop is, and what it refused. Needs root for
 * the limit (a cgroup); without one the memory is only measured. @default 10 minutes, 1,024 MB
 */
import { setTimeout as pause } from 'node:timers/promises'
import { makeMemoryGroup } from '../e2e/support/memory-group.ts'
import { send } from '../e2e/support/raw-ingest.ts'
import { freePort, startServer } from '../e2e/support/start-server.ts'
import { percentile, printTable } from './support/figures.ts'
import { makeTraceRuns } from './support/make-runs.ts'
import { makeOtlpBody, renewIds } from './support/otlp-body.ts'

const minutes = Number(process.argv[2] ?? 10)
const megabytes = Number(process.argv[3] ?? 1024)
const REPORT_MS = 15_000
const PROJECT = 'soak'
/** Between two requests of a client, so that the load is that of a busy day and not of a flood. */
const PAUSE_MS = 50

const group = makeMemoryGroup(megabytes * 1024 * 1024)
if (group === undefined) console.log('This machine lets us make no memory cgroup: memory is measured, not limited.')
const loopPort = await freePort()
const server = await startServer({
  ...(group && { under: group.under }),
  env: {
    TOUCHSTONE_BENCH_LOOP_PORT: String(loopPort),
    NODE_OPTIONS: `--import=${new URL('./support/watch-loop.mjs', import.meta.url).href}`,
  },
  timeoutMs: 120_000,
})
let exitCode: number | null | undefined
void server.exited.then((code) => {
  exitCode = code
})

const json = { 'content-type': 'application/json' }
const ask = (method: string, path: string, body?: unknown) =>
  send(`${server.url}${path}`, { method, headers: json, ...(body !== undefined && { body: JSON.stringify(body) }) })

interface Kind {
  readonly name: string
  readonly clients: number
  readonly request: (round: number) => Promise<{ readonly status: number }>
}

interface Counts {
  readonly latencies: number[]
  /** By status, or `failed`. */
  readonly refused: Map<string, number>
}

await ask('POST', '/runs/batch', { post: makeTraceRuns(10, PROJECT).map(toRun) })
const projects = JSON.parse((await ask('GET', `/sessions?name=${PROJECT}`)).text) as { id: string }[]
const projectId = projects[0]!.id
const otlp = Array.from({ length: 4 }, () => makeOtlpBody(50))
const query = (filter?: string) =>
  ask('POST', '/runs/query', { session: [projectId], limit: 50, ...(filter && { filter }) })
const program = {
  kind: 'javascript',
  source: 'const evaluate = ({ outputs }) => JSON.stringify(outputs).length',
  keys: [],
}
const rows = Array.from({ length: 5 }, (_, at) => ({ inputs: { at }, outputs: { text: 'x'.repeat(20_000) } }))

const KINDS: readonly Kind[] = [
  {
    name: 'ingest',
    clients: 3,
    request: () => ask('POST', '/runs/batch', { post: makeTraceRuns(50, PROJECT).map(toRun) }),
  },
  {
    name: 'OTLP',
    clients: 2,
    request: (round) =>
      send(`${server.url}/otel/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-protobuf', 'langsmith-project': PROJECT },
        body: new Uint8Array(renewIds(otlp[round % otlp.length]!)),
      }),
  },
  { name: 'list', clients: 2, request: () => query() },
  {
    name: 'filter',
    clients: 1,
    request: () => query('and(eq(run_type, "llm"), gt(total_tokens, 100), eq(status, "success"))'),
  },
  { name: 'full text', clients: 1, request: (round) => query(`search("w${(round * 7919).toString(36)}")`) },
  { name: 'projects', clients: 1, request: () => ask('GET', '/sessions?include_stats=true') },
  {
    name: 'SQL',
    clients: 1,
    request: () =>
      ask('POST', '/api/v2/sql/query', {
        project_ids: [projectId],
        query:
          'select run_type, count() as n, sum(total_tokens) as tokens from runs where start_time > now() - interval 1 day group by run_type',
      }),
  },
  {
    name: 'judging',
    clients: 1,
    request: () => ask('POST', '/evaluators/preview', { definition: program, rows }),
  },
]

const counts = new Map<string, Counts>(KINDS.map(({ name }) => [name, { latencies: [], refused: new Map() }]))
const startedMs = Date.now()
const endsMs = startedMs + minutes * 60_000
const samples: { residentMb: number; p99: number; max: number }[] = []
try {
  const clients = KINDS.flatMap((kind) => Array.from({ length: kind.clients }, () => runClient(kind)))
  await Promise.all([...clients, report()])
} finally {
  const answers = KINDS.map(({ name }) => {
    const { latencies, refused } = counts.get(name)!
    const list = [...refused].map(([status, count]) => `${status}: ${count}`).join(', ') || 'none'
    return [name, latencies.length, percentile(latencies, 0.5), percentile(latencies, 0.99), list] as const
  })
  printTable(['requests', 'answered', 'p50 ms', 'p99 ms', 'refused'], answers)
  const most = (pick: (sample: (typeof samples)[number]) => number) => Math.max(0, ...samples.map(pick))
  console.log(
    `\n${megabytes} MB, ${minutes} minutes: resident up to ${Math.round(most(({ residentMb }) => residentMb))} MB; ` +
      `loop lag p99 up to ${most(({ p99 }) => p99)} ms, longest ${most(({ max }) => max)} ms; ` +
      `${exitCode === undefined ? 'the server runs' : `the server ended with ${exitCode}`}; killed by the kernel: ${group?.countKills() ?? 'unknown'}`,
  )
  await server.stop()
  group?.remove()
}

async function runClient({ name, request }: Kind): Promise<void> {
  const { latencies, refused } = counts.get(name)!
  const refuse = (status: string) => refused.set(status, (refused.get(status) ?? 0) + 1)
  for (let round = 0; Date.now() < endsMs && exitCode === undefined; round++) {
    const began = performance.now()
    try {
      const { status } = await request(round)
      if (status < 300) latencies.push(performance.now() - began)
      else refuse(String(status))
    } catch {
      refuse('failed')
    }
    await pause(PAUSE_MS)
  }
}

async function report(): Promise<void> {
  console.log('  time   resident MB   lag p99 ms   lag max ms   answered   refused')
  while (Date.now() < endsMs && exitCode === undefined) {
    await pause(Math.min(REPORT_MS, Math.max(0, endsMs - Date.now())))
    const lag = JSON.parse((await send(`http://127.0.0.1:${loopPort}/`)).text) as { p99: number; max: number }
    const residentMb = (await server.residentBytes()) / 1e6
    samples.push({ residentMb, ...lag })
    const all = [...counts.values()]
    const answered = all.reduce((sum, { latencies }) => sum + latencies.length, 0)
    const refused = all.reduce((sum, one) => sum + [...one.refused.values()].reduce((n, count) => n + count, 0), 0)
    const cells = [Math.round(residentMb), lag.p99, lag.max, answered, refused].map((cell) => String(cell).padStart(11))
    console.log(`${String(Math.round((Date.now() - startedMs) / 1000)).padStart(4)} s ${cells.join(' ')}`)
  }
}

function toRun({ main, parts }: ReturnType<typeof makeTraceRuns>[number]): object {
  return { ...main, ...parts }
}
