import { type PlaygroundJobState, toStorable } from '@touchstone/contract'
import { and, asc, count, desc, eq, getTableColumns, inArray, isNotNull, isNull, lt, ne, or, sql } from 'drizzle-orm'
import type { Database, Relational } from '../../storage/relational/port.ts'
import {
  type JobKind,
  type ModelCallRow,
  type ModelJobRow,
  modelCalls,
  modelJobs,
} from '../../storage/relational/tables/model-jobs.ts'

const { example_ids: _ids, request: _request, ...listed } = getTableColumns(modelJobs)

/** A job as lists show it, without its rows and messages. */
export type ListedJob = Omit<ModelJobRow, 'example_ids' | 'request'>

const isJob = (tenantId: string, id: string, kind?: JobKind) =>
  and(
    eq(modelJobs.tenant_id, tenantId),
    eq(modelJobs.id, id),
    kind === undefined ? undefined : eq(modelJobs.kind, kind),
  )

/** What every job begins with: it runs, and no process works on it yet. */
const BEGINNING = {
  state: 'RUNNING',
  reason: null,
  active_ms: 0,
  lease_holder: null,
  lease_until: null,
  ended_at: null,
} satisfies Partial<ModelJobRow>

/** A job that begins. */
export type NewJob = Omit<ModelJobRow, keyof typeof BEGINNING>

export async function insertJob(db: Database, row: NewJob): Promise<void> {
  await db.insert(modelJobs).values({ ...row, ...BEGINNING })
}

/** A job by its id; of another kind, it is unknown. */
export interface JobReference {
  readonly kind: JobKind
  readonly tenantId: string
  readonly id: string
}

export async function selectJob(db: Database, { tenantId, id, kind }: JobReference): Promise<ModelJobRow | undefined> {
  const [row] = await db
    .select()
    .from(modelJobs)
    .where(isJob(tenantId, id, kind))
  return row
}

export async function selectListedJob(
  db: Database,
  { tenantId, id, kind }: JobReference,
): Promise<ListedJob | undefined> {
  const [row] = await db
    .select(listed)
    .from(modelJobs)
    .where(isJob(tenantId, id, kind))
  return row
}

/** Jobs that have not ended. */
export function selectOpenJobs(db: Database, tenantId: string, kind: JobKind): Promise<ListedJob[]> {
  const isOpen = inArray(modelJobs.state, ['RUNNING', 'PAUSED'])
  return db
    .select(listed)
    .from(modelJobs)
    .where(and(eq(modelJobs.tenant_id, tenantId), eq(modelJobs.kind, kind), isOpen))
}

export async function selectJobs(
  db: Database,
  tenantId: string,
  kind: JobKind,
  page: { readonly offset: number; readonly limit: number; readonly dataset_id?: string | undefined },
): Promise<{ readonly rows: ListedJob[]; readonly total: number }> {
  const { offset, limit, dataset_id } = page
  const mine = and(
    eq(modelJobs.tenant_id, tenantId),
    eq(modelJobs.kind, kind),
    dataset_id === undefined ? undefined : eq(modelJobs.dataset_id, dataset_id),
  )
  const [counted] = await db.select({ total: count() }).from(modelJobs).where(mine)
  const rows = await db
    .select(listed)
    .from(modelJobs)
    .where(mine)
    .orderBy(desc(modelJobs.created_at), desc(modelJobs.id))
    .offset(offset)
    .limit(limit)
  return { rows, total: counted?.total ?? 0 }
}

/** Changes a job in one of these states. @returns undefined when it is in another one */
export async function changeState(
  db: Database,
  { tenantId, id, kind }: JobReference,
  from: readonly PlaygroundJobState[],
  change: Partial<ModelJobRow>,
): Promise<ListedJob | undefined> {
  const [row] = await db
    .update(modelJobs)
    .set(change)
    .where(and(isJob(tenantId, id, kind), inArray(modelJobs.state, [...from])))
    .returning(listed)
  return row
}

/** The time for which a process keeps a job without renewing its lease. */
const LEASE_SECONDS = 30
const leaseEnd = sql`now() + make_interval(secs => ${LEASE_SECONDS})`

/**
 * Takes a job that runs, or whose answers are not recorded yet, and that no living process works on. An embedded store has
 * one process, so another holder is dead.
 *
 * @returns undefined when there is nothing to do, or another process works on it
 */
export async function takeLease(
  { db, engine }: Relational,
  { tenantId, id, holder }: Lease,
): Promise<ModelJobRow | undefined> {
  const isFree = or(
    isNull(modelJobs.lease_holder),
    lt(modelJobs.lease_until, sql`now()`),
    engine === 'pglite' ? ne(modelJobs.lease_holder, holder) : undefined,
  )
  const [row] = await db
    .update(modelJobs)
    .set({ lease_holder: holder, lease_until: leaseEnd as unknown as string })
    .where(and(isJob(tenantId, id), hasWork, isFree))
    .returning()
  return row
}

/**
 * Stopped and paused jobs too have answers that a process left unrecorded when it was killed. Those of a job that was paused
 * for a reason, such as a monthly limit, wait until it is resumed or stopped.
 */
const hasWork = or(
  eq(modelJobs.state, 'RUNNING'),
  and(
    or(ne(modelJobs.state, 'PAUSED'), isNull(modelJobs.reason)),
    sql`exists (
      select 1 from ${modelCalls}
      where ${modelCalls.job_id} = ${modelJobs.id} and ${modelCalls.answer} is not null)`,
  ),
)

export interface Lease {
  readonly tenantId: string
  readonly id: string
  readonly holder: string
}

const isHeld = ({ tenantId, id, holder }: Lease) => and(isJob(tenantId, id), eq(modelJobs.lease_holder, holder))

/** Keeps a lease. @returns the state of the job; undefined when another process has taken it, or the job is gone */
export async function renewLease(
  db: Database,
  lease: Lease,
  activeMs: number,
): Promise<PlaygroundJobState | undefined> {
  const [row] = await db
    .update(modelJobs)
    .set({ lease_until: leaseEnd as unknown as string, active_ms: activeMs })
    .where(isHeld(lease))
    .returning({ state: modelJobs.state })
  return row?.state
}

/**
 * Gives a job back, in its new state if it still runs; a process that has lost its lease changes nothing.
 *
 * @returns the job when this ended it
 */
export async function endLease(
  db: Database,
  lease: Lease,
  activeMs: number,
  end: Pick<ModelJobRow, 'state' | 'reason' | 'ended_at'> | undefined,
): Promise<ListedJob | undefined> {
  const free = { lease_holder: null, lease_until: null, active_ms: activeMs }
  if (end !== undefined) {
    const reason = end.reason === null ? null : toStorable(end.reason)
    const [ended] = await db
      .update(modelJobs)
      .set({ ...free, ...end, reason })
      .where(and(isHeld(lease), eq(modelJobs.state, 'RUNNING')))
      .returning(listed)
    if (ended !== undefined) return ended
  }
  await db.update(modelJobs).set(free).where(isHeld(lease))
  return undefined
}

/** Pauses a job that runs, of either kind, with a reason that users see. */
export async function pauseWithReason(db: Database, { tenantId, id }: JobKey, reason: string): Promise<void> {
  await db
    .update(modelJobs)
    .set({ state: 'PAUSED', reason, lease_holder: null, lease_until: null })
    .where(and(isJob(tenantId, id), eq(modelJobs.state, 'RUNNING')))
}

/** Jobs of all workspaces that have work and that no process works on. */
export function selectForsaken({ db }: Relational): Promise<{ id: string; tenant_id: string }[]> {
  return db
    .select({ id: modelJobs.id, tenant_id: modelJobs.tenant_id })
    .from(modelJobs)
    .where(and(hasWork, or(isNull(modelJobs.lease_until), lt(modelJobs.lease_until, sql`now()`))))
    .limit(1000)
}

/** Deletes jobs of all workspaces that ended before a time; their experiments stay. */
export async function deleteJobsBefore(db: Database, endedBefore: string): Promise<void> {
  await db.delete(modelJobs).where(lt(modelJobs.ended_at, endedBefore))
}

/** Keeps the answer of a call. @returns false when another answer was kept before */
export async function insertCall(db: Database, row: ModelCallRow): Promise<boolean> {
  const kept = await db.insert(modelCalls).values(row).onConflictDoNothing().returning({ id: modelCalls.run_id })
  return kept.length > 0
}

/** The run of a call is recorded. */
export async function markRecorded(db: Database, call: CallKey, judged: Judged): Promise<void> {
  await db
    .update(modelCalls)
    .set({ answer: null, evaluator_error: judged.error, judge_cost: judged.cost })
    .where(and(ofJob(call), eq(modelCalls.number, call.number)))
}

interface JobKey {
  readonly tenantId: string
  readonly id: string
}

/** What became of the recording of a call. */
export interface Judged {
  readonly error: string | null
  /** US dollars; null for unknown. */
  readonly cost: number | null
}

interface CallKey extends JobKey {
  readonly number: number
}

const ofJob = ({ tenantId, id }: JobKey) => and(eq(modelCalls.tenant_id, tenantId), eq(modelCalls.job_id, id))

/** Calls whose runs are not recorded yet. */
export function selectUnrecorded(db: Database, job: JobKey, limit: number): Promise<ModelCallRow[]> {
  return db
    .select()
    .from(modelCalls)
    .where(and(ofJob(job), isNotNull(modelCalls.answer)))
    .orderBy(asc(modelCalls.number))
    .limit(limit)
}

export function selectEndedCalls(db: Database, job: JobKey) {
  return db
    .select({ number: modelCalls.number, cost: modelCalls.cost, judge_cost: modelCalls.judge_cost })
    .from(modelCalls)
    .where(ofJob(job))
}

export function selectFailures(db: Database, job: JobKey, limit: number) {
  const { answer: _answer, ...columns } = getTableColumns(modelCalls)
  return db
    .select(columns)
    .from(modelCalls)
    .where(and(ofJob(job), or(isNotNull(modelCalls.problem), isNotNull(modelCalls.evaluator_error))))
    .orderBy(asc(modelCalls.number))
    .limit(limit)
}

/** Number of calls and cost of each variant of some jobs; variants without a call are left out. */
export function countCalls(db: Database, tenantId: string, jobIds: readonly string[]) {
  return db
    .select({
      job_id: modelCalls.job_id,
      variant: modelCalls.variant,
      done: sql<number>`(count(*) filter (where ${modelCalls.answer} is null))::int`,
      failed: sql<number>`(count(*) filter (where ${modelCalls.problem} is not null
        and ${modelCalls.answer} is null))::int`,
      cost: sql<number | null>`sum(${modelCalls.cost})`,
      judge_cost: sql<number | null>`sum(${modelCalls.judge_cost})`,
    })
    .from(modelCalls)
    .where(and(eq(modelCalls.tenant_id, tenantId), inArray(modelCalls.job_id, [...jobIds])))
    .groupBy(modelCalls.job_id, modelCalls.variant)
}
