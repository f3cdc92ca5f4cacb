/**
 * `npm run bench alerts [alerts]`: what the evaluation of alerts costs a server, as a share of one core: without runs, with runs
 * in a tenth of the projects, and with runs in all of them. The clock of the server is moved by a minute per round. @default 1000
 */
import { timeOfEpochMs, uuid7 } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import { startApp } from '../packages/server/src/testing/start-app.ts'
import { printTable } from './support/figures.ts'

const MINUTE = 60_000
const PROJECTS = 50
const ROUNDS = 10
const total = Number(process.argv[2] ?? 1000)

let now = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 20 * 3_600_000
const app = await startApp({ clock: () => now })
try {
  const projects: string[] = []
  for (let at = 0; at < PROJECTS; at++) {
    const { id } = await call('POST', '/sessions', { name: `project ${at}` })
    projects.push(id as string)
  }
  for (let minute = 70; minute > 0; minute -= 10) await feed(projects, now - minute * MINUTE)
  for (let at = 0; at < Math.min(total, 200); at++) await call('POST', '/alerts', anAlert(at, projects))
  await copyAlerts()
  await settle()
  const rows: string[][] = []
  for (const [name, busy] of [
    ['no runs', 0],
    ['runs in a tenth of the projects', PROJECTS / 10],
    ['runs in all projects', PROJECTS],
  ] as const) {
    rows.push([name, ...(await measure(projects.slice(0, busy)))])
  }
  printTable([`${total} alerts on ${PROJECTS} projects`, 'CPU per minute, ms', 'share of a core'], rows)
} finally {
  await app.close()
}
process.exit(0)

/** Metrics, windows and filters of all kinds. */
function anAlert(at: number, projects: readonly string[]): object {
  const metrics = [
    { metric: 'error_rate', critical: 0.9 },
    { metric: 'latency', critical: 100 },
    { metric: 'runs', critical: 1e9 },
    { metric: 'cost', critical: 1e9 },
    { metric: 'errors', critical: 1e9, kind: 'change' },
  ]
  const definition = {
    project_ids: [projects[at % PROJECTS]],
    window_minutes: [5, 15, 60, 1_440][Math.floor(at / PROJECTS) % 4],
    filter: at % 3 === 0 ? 'eq(name, "answer")' : null,
    group_by: at % 7 === 0 ? { attribute: 'name' } : null,
    ...metrics[at % metrics.length],
  }
  return { name: `alert ${at}`, definition }
}

/** A workspace has 200 alerts at most: the others are copies. */
async function copyAlerts(): Promise<void> {
  const columns = `tenant_id, description, is_enabled, version, definition, project_ids, watched_since, state, progress,
    evaluated_to, due_at, created_at, modified_at`
  for (let copy = 1; copy < total / 200; copy++) {
    const statement = `insert into alerts (id, name, ${columns})
      select gen_random_uuid(), name || ' copy ${copy}', ${columns} from alerts where name not like '%copy%'`
    await app.deps.relational.db.execute(sql.raw(statement))
  }
}

/** Sixty runs for each project within a minute. */
async function feed(projects: readonly string[], from: number): Promise<void> {
  for (const project of projects) {
    const post = Array.from({ length: 60 }, (_, at) => {
      const id = uuid7()
      const start = timeOfEpochMs(from + at * 1_000)
      return {
        id,
        trace_id: id,
        dotted_order: start.replaceAll(/[-:.]/g, '') + id,
        session_id: project,
        name: at % 2 === 0 ? 'answer' : 'search',
        run_type: 'chain',
        start_time: start,
        end_time: timeOfEpochMs(from + at * 1_000 + 700),
        inputs: {},
        outputs: {},
      }
    })
    await call('POST', '/runs/batch', { post, patch: [] })
  }
}

/** Waits until no alert is due. */
async function settle(): Promise<void> {
  for (;;) {
    const due = sql`select count(*)::int as n from alerts where due_at <= ${timeOfEpochMs(now)}::timestamptz`
    const result = (await app.deps.relational.db.execute(due)) as unknown as { rows: { n: number }[] }
    if (result.rows[0]?.n === 0) return
    await new Promise((done) => setTimeout(done, 100))
  }
}

async function measure(busy: readonly string[]): Promise<string[]> {
  // The first rounds still hold what came before.
  for (let round = 0; round < 3; round++) await play(busy)
  let cpuMs = 0
  for (let round = 0; round < ROUNDS; round++) cpuMs += await play(busy)
  const perMinute = cpuMs / ROUNDS
  return [perMinute.toFixed(0), `${((100 * perMinute) / MINUTE).toFixed(1)} %`]
}

/** One minute. @returns milliseconds of CPU of the evaluation */
async function play(busy: readonly string[]): Promise<number> {
  await feed(busy, now)
  await new Promise((done) => setTimeout(done, 300))
  const before = process.cpuUsage()
  now += MINUTE
  await settle()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

async function call(method: string, path: string, body: object): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json' }
  const response = await app.fetch(path, { method, headers, body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
  return text === '' ? {} : JSON.parse(text)
}
