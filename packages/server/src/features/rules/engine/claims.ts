import { type RuleTarget, timeOfEpochMs, toStorable } from '@touchstone/contract'
import { and, count, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { isAnyOf, textColumn } from '../../../storage/relational/columns.ts'
import { toRows } from '../../../storage/relational/migrate.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { type RuleClaimRow, ruleClaims, rules } from '../../../storage/relational/tables/rules.ts'

/** Version of a target that is not ready: its content is not known yet. */
export const OPEN = ''

/** What a rule acts on. */
export interface NewClaim {
  /** The run, the trace, or the `toThreadTarget` of the thread. */
  readonly targetId: string
  /** Hash of what the rule acts on: the same target is acted on again only when it changes. `OPEN` before it is ready. */
  readonly targetVersion: string
  readonly runId: string
  readonly traceId: string
  readonly sessionId: string
  /** '' unless the target is a thread. */
  readonly threadId: string
  /** Printed. */
  readonly startTime: string
  readonly sampleValue: number
  /** Printed. */
  readonly readyAt: string
}

interface OfRule {
  readonly ruleId: string
  readonly tenantId: string
  readonly ruleVersion: number
  readonly target: RuleTarget
  readonly now: string
  readonly past?: { readonly backfillId: string | null; readonly again: boolean } | undefined
}

/**
 * Claims targets for a rule. One that it has claimed with the same content is left out, unless it is to be acted on again; one
 * that is not ready waits again.
 *
 * @returns the number of claims that are open because of this
 */
export async function insertClaims(db: Database, rule: OfRule, claims: readonly NewClaim[]): Promise<number> {
  if (claims.length === 0) return 0
  const column = (value: (one: NewClaim) => string | null) => textColumn(claims.map(value))
  const { past } = rule
  const due: SQL = past === undefined ? sql`excluded.due_at` : sql`greatest(c.due_at, excluded.due_at)`
  const inserted = await db.execute(sql`
    insert into rule_claims as c (
      rule_id, target_id, target_version, tenant_id, rule_version, target, run_id, trace_id, session_id, thread_id,
      start_time, sample_value, state, due_at, ready_at, decided_at, is_again, backfill_id)
    select ${rule.ruleId}::uuid, target_id::uuid, coalesce(target_version, ${OPEN}), ${rule.tenantId}::uuid,
      ${rule.ruleVersion}::int, ${rule.target}, run_id::uuid, trace_id::uuid, session_id::uuid,
      coalesce(convert_from(decode(thread_id, 'hex'), 'UTF8'), ''), start_time::timestamptz, sample_value::float8, 'waiting',
      ready_at::timestamptz, ready_at::timestamptz, ${rule.now}::timestamptz, ${past?.again ?? false}, ${past?.backfillId ?? null}::uuid
    from unnest(
      ${column(({ targetId }) => targetId)},
      ${column(({ targetVersion }) => targetVersion || null)},
      ${column(({ runId }) => runId)},
      ${column(({ traceId }) => traceId)},
      ${column(({ sessionId }) => sessionId)},
      ${column(({ threadId }) => Buffer.from(threadId).toString('hex') || null)},
      ${column(({ startTime }) => startTime)},
      ${column(({ sampleValue }) => String(sampleValue))},
      ${column(({ readyAt }) => readyAt)}
    ) as given (
      target_id, target_version, run_id, trace_id, session_id, thread_id, start_time, sample_value, ready_at)
    on conflict (rule_id, target_id, target_version) do update set
      rule_version = excluded.rule_version, run_id = excluded.run_id, trace_id = excluded.trace_id,
      session_id = excluded.session_id, start_time = excluded.start_time, state = 'waiting', attempts = 0,
      due_at = ${due}, ready_at = ${due}, decided_at = excluded.decided_at, outcomes = '[]', detail = '', lag_ms = null,
      is_noted = false, is_limited = false, is_again = excluded.is_again, backfill_id = excluded.backfill_id
    where c.target_version = ${OPEN}
      or (excluded.is_again and c.state in ('done', 'failed', 'limited'))
    returning 1`)
  return toRows(inserted, (row) => row).length
}

/** The row of a claim. */
export const whereClaim = ({ rule_id, target_id, target_version }: ClaimKey) =>
  and(
    eq(ruleClaims.rule_id, rule_id),
    eq(ruleClaims.target_id, target_id),
    eq(ruleClaims.target_version, target_version),
  )

export type ClaimKey = Pick<RuleClaimRow, 'rule_id' | 'target_id' | 'target_version'>

/** Milliseconds after which a claim whose process died is taken by another one. */
export const LEASE_MS = 10 * 60_000

/** Share of the claims that are taken at once that backfills may have, so that live runs do not wait behind them. */
const BACKFILL_SHARE = 0.25

interface Share {
  /** Most claims of a workspace that are under way. */
  readonly perTenant: number
  /** Of each workspace, as far as there are any. */
  readonly underWay: ReadonlyMap<string, number>
  /** Whether any backfill is running. */
  readonly hasBackfills: boolean
}

/**
 * Takes claims that are due, of rules that may act: of each workspace the oldest ones, so that none waits behind another.
 */
export async function takeClaims(
  { relational, clock }: Pick<Deps, 'relational' | 'clock'>,
  { perTenant, hasBackfills, underWay }: Share,
): Promise<RuleClaimRow[]> {
  const now = timeOfEpochMs(clock())
  const until = timeOfEpochMs(clock() + LEASE_MS)
  const select = (isOf: SQL, limit: number): SQL => sql`
    select claim.rule_id, claim.target_id, claim.target_version
    from (select distinct tenant_id from rules where is_enabled and blocked_reason is null) as tenants
    cross join lateral (
      select c.rule_id, c.target_id, c.target_version
      from rule_claims c join rules r on r.id = c.rule_id
      where c.tenant_id = tenants.tenant_id and c.state in ('waiting', 'running') and c.due_at <= ${now}::timestamptz
        and r.is_enabled and r.blocked_reason is null and ${isOf}
      order by c.due_at
      limit greatest(0, ${limit} - coalesce((${used}::json ->> tenants.tenant_id::text)::integer, 0))
      for update of c skip locked
    ) as claim`
  const newest = sql`(select r.version from rules r where r.id = ${ruleClaims.rule_id})`
  const used = JSON.stringify(Object.fromEntries(underWay))
  const isLive = sql`c.backfill_id is null`
  const isOfBackfill = sql`exists (select 1 from rule_backfills b where b.id = c.backfill_id and b.state = 'running')`
  return relational.transaction(async (tx) => {
    const take = (isOf: SQL, limit: number) =>
      tx
        .update(ruleClaims)
        .set({
          state: 'running',
          attempts: sql`${ruleClaims.attempts} + 1`,
          // A change of the rule mends what waits. Its actions may be others, so that all are done.
          rule_version: newest,
          outcomes: sql`case when ${ruleClaims.rule_version} = ${newest} then ${ruleClaims.outcomes} else '[]' end`,
          due_at: until,
          lag_ms: sql`coalesce(${ruleClaims.lag_ms},
            least(extract(epoch from ${now}::timestamptz - ${ruleClaims.ready_at}) * 1000, 2147483647)::integer)`,
        })
        .where(sql`(rule_id, target_id, target_version) in (${select(isOf, limit)})`)
        .returning()
    const live = await take(isLive, perTenant)
    if (!hasBackfills) return live
    return [...live, ...(await take(isOfBackfill, Math.max(1, Math.trunc(perTenant * BACKFILL_SHARE))))]
  })
}

/** Lets claims of a process that died be taken at once. For the one process of an embedded store, before it takes any. */
export async function releaseClaims({ relational, clock }: Pick<Deps, 'relational' | 'clock'>): Promise<void> {
  await relational.db
    .update(ruleClaims)
    .set({ due_at: timeOfEpochMs(clock()) })
    .where(eq(ruleClaims.state, 'running'))
}

/** What became of a claim. */
export interface ClaimChange extends Pick<RuleClaimRow, 'state' | 'due_at' | 'outcomes' | 'detail'> {
  readonly attempts?: number
  readonly is_limited: boolean
  /** @default unchanged */
  readonly decided_at?: string
}

/** Stores what became of claims, except of those that another process has taken meanwhile. */
export async function settleClaims(
  db: Database,
  changes: readonly (readonly [claim: RuleClaimRow, change: ClaimChange])[],
): Promise<void> {
  const rows = changes.map(([claim, change]) => {
    const { rule_id, target_id, target_version, attempts: taken, decided_at } = claim
    // One text that the store refuses would cost the outcomes of all.
    const [detail, outcomes] = [toStorable(change.detail), toStorable(change.outcomes)]
    return { rule_id, target_id, target_version, taken, attempts: taken, decided_at, ...change, detail, outcomes }
  })
  await db.execute(sql`
    update rule_claims c
    set state = given.state, due_at = given.due_at, outcomes = given.outcomes, detail = given.detail,
      attempts = given.attempts, is_limited = given.is_limited, decided_at = given.decided_at, is_noted = false
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as given (
      rule_id uuid, target_id uuid, target_version text, taken integer, attempts integer, state text,
      due_at timestamptz, outcomes text, detail text, is_limited boolean, decided_at timestamptz)
    where c.rule_id = given.rule_id and c.target_id = given.target_id and c.target_version = given.target_version
      and c.state = 'running' and c.attempts = given.taken`)
}

/** Claims that are not decided yet, those that are due first. */
export function selectOpenClaims(
  db: Database,
  tenantId: string,
  {
    ruleId,
    runIds,
    traceId,
    limit,
  }: {
    readonly ruleId?: string
    readonly runIds?: readonly string[]
    /** With `runIds`: claims of any of these runs, or on this trace or its thread. */
    readonly traceId?: string
    readonly limit: number
  },
): Promise<RuleClaimRow[]> {
  return db
    .select()
    .from(ruleClaims)
    .where(
      and(
        eq(ruleClaims.tenant_id, tenantId),
        ruleId === undefined ? undefined : eq(ruleClaims.rule_id, ruleId),
        or(
          runIds === undefined ? undefined : inArray(ruleClaims.run_id, [...runIds]),
          traceId === undefined
            ? undefined
            : and(eq(ruleClaims.trace_id, traceId), inArray(ruleClaims.target, ['trace', 'thread'])),
        ),
        sql`${ruleClaims.state} in ('waiting', 'running')`,
      ),
    )
    .orderBy(ruleClaims.due_at)
    .limit(limit)
}

/** Claims that are not decided yet, by rule. */
export async function countOpenClaims(db: Database, tenantId: string, ruleId?: string): Promise<Map<string, number>> {
  const rows = await db
    .select({ id: ruleClaims.rule_id, n: count() })
    .from(ruleClaims)
    .where(
      and(
        eq(ruleClaims.tenant_id, tenantId),
        ruleId === undefined ? undefined : eq(ruleClaims.rule_id, ruleId),
        sql`${ruleClaims.state} in ('waiting', 'running')`,
      ),
    )
    .groupBy(ruleClaims.rule_id)
  return new Map(rows.map(({ id, n }) => [id, n]))
}

/** Decided claims that are not in the column store yet, oldest first. */
export function selectUnnoted(db: Database, limit: number): Promise<RuleClaimRow[]> {
  return db
    .select()
    .from(ruleClaims)
    .where(sql`${ruleClaims.state} in ('done', 'failed', 'limited') and not ${ruleClaims.is_noted}`)
    .orderBy(ruleClaims.decided_at)
    .limit(limit)
}

/** Marks decisions as noted; one that was decided again meanwhile is not. */
export async function markNoted(db: Database, claims: readonly RuleClaimRow[]): Promise<void> {
  const column = (value: (one: RuleClaimRow) => string) => textColumn(claims.map(value))
  await db.execute(sql`
    update rule_claims c set is_noted = true
    from unnest(
      ${column(({ rule_id }) => rule_id)},
      ${column(({ target_id }) => target_id)},
      ${column(({ target_version }) => target_version)},
      ${column(({ decided_at }) => decided_at)}
    ) as given (rule_id, target_id, target_version, decided_at)
    where c.rule_id = given.rule_id::uuid and c.target_id = given.target_id::uuid
      and c.target_version = given.target_version and c.decided_at = given.decided_at::timestamptz`)
}

/** Forgets decided claims; a run that changes after that is acted on once more. */
export async function deleteClaimsBefore(db: Database, time: string): Promise<void> {
  await db.execute(
    sql`delete from rule_claims where state in ('done', 'failed', 'limited') and is_noted and decided_at < ${time}::timestamptz`,
  )
}

export async function deleteClaimsOfTraces(db: Database, tenantId: string, traceIds: readonly string[]): Promise<void> {
  await db.delete(ruleClaims).where(and(eq(ruleClaims.tenant_id, tenantId), isAnyOf(ruleClaims.trace_id, traceIds)))
}

export async function deleteClaimsOfProjects(db: Database, tenantId: string, ids: readonly string[]): Promise<void> {
  await db.delete(ruleClaims).where(and(eq(ruleClaims.tenant_id, tenantId), isAnyOf(ruleClaims.session_id, ids)))
}

/** Rules that look for runs: enabled ones, blocked or not, because what they match waits for the end of the block. */
export function selectLooking(db: Database) {
  return db.select().from(rules).where(eq(rules.is_enabled, true))
}
