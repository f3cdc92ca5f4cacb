import { statfs } from 'node:fs/promises'
import {
  contract,
  microsOf,
  type ProjectActivity,
  type StorageReport,
  timeOfEpochMs,
  type UsageFigures,
  type UsageReport,
} from '@touchstone/contract'
import { sql as pg } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { type App, serve } from '../../http/serve.ts'
import { addDecimals, type Fragment, literal, sql, time, uint, uuid } from '../../storage/analytics/sql.ts'
import { toRow } from '../../storage/relational/migrate.ts'
import { blobSweeps } from '../../storage/relational/tables/lifecycle.ts'
import { columns, count, nullable, number, type RowOf, text } from '../../storage/rows.ts'
import { readModelUsage } from './model-usage.ts'
import { selectProjectsById } from './store.ts'

export function usageRoutes(app: App, deps: Pick<Deps, 'relational' | 'analytics' | 'clock' | 'config'>): void {
  serve(app, contract.usage.read, ({ caller, query }) =>
    readUsageReport(deps, caller.tenantId, { days: query.days, projectId: query.session }),
  )
  serve(app, contract.usage.models, ({ caller, query }) =>
    readModelUsage(deps, caller.tenantId, { days: query.days, projectId: query.session }),
  )
  serve(app, contract.usage.storage, () => readStorageReport(deps))
  serve(app, contract.usage.activity, ({ caller, query }) =>
    readActivity(deps, caller.tenantId, query.since, query.buckets),
  )
}

const DAY_MS = 86_400_000

const RUN_COUNTS = columns({ session_id: text, day: text, run_count: count, trace_count: count, payload_bytes: count })

/** Null when no run reports a value. */
const USAGE_SUMS = columns({
  session_id: text,
  day: text,
  prompt_tokens: nullable(count),
  completion_tokens: nullable(count),
  total_tokens: nullable(count),
  /** Decimal text. */
  total_cost: nullable(text),
  reported_cost: nullable(text),
  unpriced_fees: nullable(count),
})

type DayRow = RowOf<typeof RUN_COUNTS> | RowOf<typeof USAGE_SUMS>

/**
 * Usage of a workspace in the last days, by day (UTC) and by project.
 *
 * @param projectId  restricts the report to one project
 */
export async function readUsageReport(
  deps: Pick<Deps, 'relational' | 'analytics' | 'clock'>,
  tenantId: string,
  { days, projectId }: { readonly days: number; readonly projectId: string | undefined },
): Promise<UsageReport> {
  const today = Math.floor(deps.clock() / DAY_MS) * DAY_MS
  const first = today - (days - 1) * DAY_MS
  const projectCounts = projectId === undefined ? literal('') : sql` and session_id = ${uuid(projectId)}`
  const wanted = sql`tenant_id = ${uuid(tenantId)}${projectCounts} and start_time >= ${time(timeOfEpochMs(first))}`
  const [runs, usage] = await Promise.all([
    deps.analytics.query(countRuns(wanted), RUN_COUNTS),
    deps.analytics.query(sumUsage(wanted), USAGE_SUMS),
  ])
  const rows = [...runs, ...usage]
  const byProject = groupBy(rows, (row) => row.session_id)
  const byDay = groupBy(rows, (row) => row.day)
  const names = await selectProjectsById(deps, tenantId, [...byProject.keys()])
  const projects = [...byProject].map(([session_id, ofIt]) => ({
    session_id,
    session_name: names.get(session_id)?.name ?? '',
    ...addFigures(ofIt),
  }))
  return {
    since: timeOfEpochMs(first),
    total: addFigures(rows),
    days: Array.from({ length: days }, (_, at) => {
      const day = new Date(first + at * DAY_MS).toISOString().slice(0, 10)
      return { day, ...addFigures(byDay.get(day) ?? []) }
    }),
    projects: projects.sort((one, other) => other.payload_bytes - one.payload_bytes),
  }
}

function countRuns(wanted: Fragment): Fragment {
  return sql`
    select session_id, toString(toDate32(start_time)) as day, count() as run_count,
      countIf(parent_run_id is null) as trace_count,
      sum(toUInt64(inputs_bytes) + outputs_bytes) as payload_bytes
    from trace_runs final
    where ${wanted}
    group by session_id, day`
}

/** Omits llm runs whose direct child reports usage, because both report the same tokens. */
function sumUsage(wanted: Fragment): Fragment {
  return sql`
    select session_id, toString(toDate32(start_time)) as day, sum(prompt_tokens) as prompt_tokens,
      sum(completion_tokens) as completion_tokens, sum(total_tokens) as total_tokens,
      toString(sum(total_cost)) as total_cost, toString(sum(reported_cost)) as reported_cost,
      sum(unpriced_fees) as unpriced_fees
    from project_usage final
    where ${wanted} and not (is_llm and id in (
      select assumeNotNull(parent_run_id) from project_usage final
      where ${wanted} and parent_run_id is not null and total_tokens is not null))
    group by session_id, day`
}

function groupBy(rows: readonly DayRow[], getKey: (row: DayRow) => string): Map<string, DayRow[]> {
  const groups = new Map<string, DayRow[]>()
  for (const row of rows) {
    const group = groups.get(getKey(row))
    if (group) group.push(row)
    else groups.set(getKey(row), [row])
  }
  return groups
}

/**
 * Number of traces, and of failed traces, of every project in equal time buckets from `since` until now.
 *
 * @param since    in the contract's printed form; a time in the future matches nothing
 * @param buckets  the number of buckets
 */
export async function readActivity(
  { analytics, clock }: Pick<Deps, 'analytics' | 'clock'>,
  tenantId: string,
  since: string,
  buckets: number,
): Promise<ProjectActivity> {
  const now = clock()
  const spanMicros = Math.max(now * 1000 - Number(microsOf(since)), buckets)
  const width = Math.ceil(spanMicros / buckets)
  const rows = await analytics.query(
    sql`
    select session_id, intDiv(dateDiff('microsecond', ${time(since)}, start_time), ${uint(width)}) as bucket,
      count() as n, countIf(status = 'error') as errors
    from project_roots final
    where tenant_id = ${uuid(tenantId)} and start_time >= ${time(since)} and start_time < ${time(timeOfEpochMs(now))}
    group by session_id, bucket`,
    columns({ session_id: text, bucket: count, n: count, errors: count }),
  )
  const projects = new Map<string, ProjectActivity['projects'][number]>()
  const zeros = () => Array.from({ length: buckets }, () => 0)
  for (const { session_id, bucket, n, errors } of rows) {
    const project = projects.get(session_id) ?? { session_id, trace_counts: zeros(), error_counts: zeros() }
    projects.set(session_id, project)
    const index = Math.min(bucket, buckets - 1)
    project.trace_counts[index] = (project.trace_counts[index] ?? 0) + n
    project.error_counts[index] = (project.error_counts[index] ?? 0) + errors
  }
  return { since, bucket_seconds: width / 1_000_000, projects: [...projects.values()] }
}

type FigureRow = Partial<Omit<RowOf<typeof RUN_COUNTS> & RowOf<typeof USAGE_SUMS>, 'session_id' | 'day'>>

/** Adds rows; costs are added exactly. */
export function addFigures(rows: readonly FigureRow[]): UsageFigures {
  const sum = (field: Exclude<keyof FigureRow, 'total_cost' | 'reported_cost'>) =>
    rows.reduce((total, row) => total + (row[field] ?? 0), 0)
  return {
    trace_count: sum('trace_count'),
    run_count: sum('run_count'),
    payload_bytes: sum('payload_bytes'),
    prompt_tokens: sum('prompt_tokens'),
    completion_tokens: sum('completion_tokens'),
    total_tokens: sum('total_tokens'),
    total_cost: addDecimals(rows.map((row) => row.total_cost ?? null)),
    reported_cost: addDecimals(rows.map((row) => row.reported_cost ?? null)),
    unpriced_fees: sum('unpriced_fees') || null,
  }
}

type StorageDeps = Pick<Deps, 'relational' | 'analytics' | 'config'>

const GiB = 1024 ** 3

/** Free space of the disk that holds the data directory, and the size of each store. */
export async function readStorageReport(deps: StorageDeps): Promise<StorageReport> {
  const [disk, relational_bytes, analytics_bytes, blobs] = await Promise.all([
    readDisk(deps.config.dataDir),
    readRelationalBytes(deps).catch(() => null), // a user of a database server may lack the right to ask
    readAnalyticsBytes(deps).catch(() => null),
    readLastSweep(deps),
  ])
  return { disk, relational_bytes, analytics_bytes, blobs }
}

async function readDisk(directory: string): Promise<StorageReport['disk']> {
  const { bavail, blocks, bsize } = await statfs(directory)
  const free = bavail * bsize
  const total = blocks * bsize
  return { free_bytes: free, total_bytes: total, is_low: isLow(free, total) }
}

/** Low in absolute terms or as a share of the disk. With 20 GiB free there is time to act, also on a large disk. */
function isLow(freeBytes: number, totalBytes: number): boolean {
  return freeBytes < GiB || (freeBytes < totalBytes / 20 && freeBytes < 20 * GiB)
}

async function readRelationalBytes({ relational }: StorageDeps): Promise<number> {
  const result = await relational.db.execute(pg`select pg_database_size(current_database())::float8 as bytes`)
  return toRow(result, columns({ bytes: number })).bytes
}

async function readAnalyticsBytes({ analytics }: StorageDeps): Promise<number> {
  const [row] = await analytics.query(
    sql`
    select sum(bytes_on_disk) as bytes from system.parts where database = currentDatabase()`,
    columns({ bytes: count }),
  )
  return row?.bytes ?? 0
}

/** The blobs that the last sweep found; null before the first sweep. */
async function readLastSweep({ relational }: StorageDeps): Promise<StorageReport['blobs']> {
  const [row] = await relational.db.select().from(blobSweeps)
  if (row === undefined) return null
  return {
    count: row.blobs,
    bytes: row.bytes,
    unreferenced_count: row.unreferenced,
    unreferenced_bytes: row.unreferenced_bytes,
    measured_at: row.ended_at,
  }
}
