/**
 * `npm run bench rules [seconds] [runs per minute]`: a steady feed of runs against a server without rules, with five usual rules,
 * and with five rules that each act on every run. Prints how late the rules act, and what they cost the server and its
 * ingest. @default 60 seconds, 10,000 runs a minute
 */
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { send } from '../e2e/support/raw-ingest.ts'
import { startServer } from '../e2e/support/start-server.ts'
import { percentile, printTable } from './support/figures.ts'
import { makeTraceRuns } from './support/make-runs.ts'

const seconds = Number(process.argv[2] ?? 60)
const perMinute = Number(process.argv[3] ?? 10_000)
const BATCH = 50
const PROJECT = 'bench'
/** How long is waited for the decisions about the last runs. */
const DRAIN_MS = 60_000

interface Setup {
  readonly name: string
  /** Filters of the rules; each judges with a program. */
  readonly filters: readonly string[]
}

const ALL = 'neq(name, "none")'
const SETUPS: readonly Setup[] = [
  { name: 'no rule', filters: [] },
  {
    name: 'five usual rules',
    filters: [
      'eq(is_root, true)',
      'eq(run_type, "llm")',
      'eq(status, "error")',
      'and(eq(run_type, "tool"), gt(latency, 5))',
      'and(eq(run_type, "llm"), gt(total_tokens, 100))',
    ],
  },
  { name: 'five rules on every run', filters: [ALL, ALL, ALL, ALL, ALL] },
]

const rows: (readonly (string | number)[])[] = []
for (const setup of SETUPS) rows.push(await measure(setup))
printTable(
  [
    'rules',
    'runs',
    'decisions',
    'lag p50 ms',
    'lag p95 ms',
    'lag max ms',
    'ingest p50 ms',
    'p99 ms',
    'CPU s',
    'waiting',
  ],
  rows,
)

async function measure({ name, filters }: Setup): Promise<readonly (string | number)[]> {
  const server = await startServer({ timeoutMs: 120_000 })
  try {
    const ask = async (method: string, path: string, body?: unknown) => {
      const answer = await send(`${server.url}${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 500)}`)
      return JSON.parse(answer.text) as Answer
    }
    const project = await ask('POST', '/sessions', { name: PROJECT })
    const source = 'const evaluate = ({ outputs }) => JSON.stringify(outputs).length'
    const definition = { kind: 'javascript', source, keys: ['length'] }
    const evaluator = await ask('POST', '/api/v1/evaluators', { name: 'length', definition })
    const ids: string[] = []
    for (const [at, filter] of filters.entries()) {
      const actions = [{ kind: 'evaluate', evaluator_id: evaluator.id }]
      const rule = { name: `rule ${at}`, definition: { project_ids: [project.id], filter, actions } }
      ids.push((await ask('POST', '/api/v1/rules', rule)).id)
    }
    const cpuBefore = await readCpuSeconds(server.pid)
    const { latencies, sent } = await feed(ask)
    const drainedBy = Date.now() + DRAIN_MS
    let counts = await readCounts(ask)
    while (counts.waiting > 0 && Date.now() < drainedBy) {
      await pause(1_000)
      counts = await readCounts(ask)
    }
    // Decisions are moved to the ledger each second.
    await pause(3_000)
    const cpu = (await readCpuSeconds(server.pid)) - cpuBefore
    const lags = (await Promise.all(ids.map((id) => readLags(ask, id)))).flat()
    const { decided, waiting } = await readCounts(ask)
    return [
      name,
      sent,
      decided,
      ...[0.5, 0.95, 1].map((share) => (lags.length === 0 ? 'none' : Math.round(percentile(lags, share)))),
      percentile(latencies, 0.5).toFixed(1),
      percentile(latencies, 0.99).toFixed(1),
      cpu.toFixed(1),
      waiting,
    ]
  } finally {
    await server.stop()
  }
}

/** What the routes that are used here return. */
interface Answer {
  readonly id: string
  readonly rules: { readonly done: number; readonly failed: number; readonly waiting: number }[]
  readonly decisions: { readonly lag_ms: number | null }[]
  readonly next_cursor: string | null
}

type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>

async function feed(ask: Ask): Promise<{ readonly latencies: number[]; readonly sent: number }> {
  const latencies: number[] = []
  const everyMs = (60_000 * BATCH) / perMinute
  const began = performance.now()
  const requests: Promise<void>[] = []
  for (let round = 0; performance.now() - began < seconds * 1000; round++) {
    const post = makeTraceRuns(BATCH, PROJECT).map(({ main, parts }) => ({ ...main, ...parts }))
    const at = performance.now()
    requests.push(
      ask('POST', '/runs/batch', { post }).then(() => {
        latencies.push(performance.now() - at)
      }),
    )
    await pause(Math.max(0, began + (round + 1) * everyMs - performance.now()))
  }
  await Promise.all(requests)
  return { latencies, sent: requests.length * BATCH }
}

async function readCounts(ask: Ask): Promise<{ readonly decided: number; readonly waiting: number }> {
  const { rules } = await ask('GET', '/api/v1/rules/counts?window=1h')
  return {
    decided: rules.reduce((sum, { done, failed }) => sum + done + failed, 0),
    waiting: rules.reduce((sum, { waiting }) => sum + waiting, 0),
  }
}

/** Milliseconds from when runs were ready to their decision. */
async function readLags(ask: Ask, ruleId: string): Promise<number[]> {
  const lags: number[] = []
  for (let cursor = ''; ; ) {
    const page = await ask('GET', `/api/v1/rules/${ruleId}/decisions?limit=100${cursor}`)
    lags.push(...page.decisions.flatMap(({ lag_ms }) => lag_ms ?? []))
    if (page.next_cursor === null) return lags
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
}

/** Of a process with its threads. Linux only. */
async function readCpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(system)) / 100
}
