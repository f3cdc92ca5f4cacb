import { timeOfEpochMs } from '@touchstone/contract'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { isAnyOf, textColumn } from '../../../storage/relational/columns.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { type RuleClaimRow, ruleClaims, rules } from '../../../storage/relational/tables/rules.ts'

/** A run that a rule acts on. */
export interface NewClaim {
  readonly runId: string
  /** Hash of what the rule acts on: the same run is acted on again only when it changes. */
  readonly targetVersion: string
  readonly traceId: string
  readonly sessionId: string
  /** Printed. */
  readonly startTime: string
  readonly sampleValue: number
}

interface OfRule {
  readonly ruleId: string
  readonly tenantId: string
  readonly ruleVersion: number
  readonly now: string
}

/** Claims runs for a rule. A run that it has claimed with the same content is left out. */
export async function insertClaims(db: Database, rule: OfRule, claims: readonly NewClaim[]): Promise<void> {
  if (claims.length === 0) return
  const column = (value: (one: NewClaim) => string) => textColumn(claims.map(value))
  await db.execute(sql`
    insert into rule_claims (
      rule_id, target_id, target_version, tenant_id, rule_version, trace_id, session_id, start_time, sample_value, state,
      due_at, decided_at)
    select ${rule.ruleId}::uuid, target_id::uuid, target_version, ${rule.tenantId}::uuid, ${rule.ruleVersion}::int,
      trace_id::uuid, session_id::uuid, start_time::timestamptz, sample_value::float8, 'waiting',
      ${rule.now}::timestamptz, ${rule.now}::timestamptz
    from unnest(
      ${column(({ runId }) => runId)},
      ${column(({ targetVersion }) => targetVersion)},
      ${column(({ traceId }) => traceId)},
      ${column(({ sessionId }) => sessionId)},
      ${column(({ startTime }) => startTime)},
      ${column(({ sampleValue }) => String(sampleValue))}
    ) as given (target_id, target_version, trace_id, session_id, start_time, sample_value)
    on conflict do nothing`)
}

/** The key of a claim. */
const matches = ({ rule_id, target_id, target_version }: ClaimKey) =>
  and(
    eq(ruleClaims.rule_id, rule_id),
    eq(ruleClaims.target_id, target_id),
    eq(ruleClaims.target_version, target_version),
  )

export type ClaimKey = Pick<RuleClaimRow, 'rule_id' | 'target_id' | 'target_version'>

/** Milliseconds after which a claim whose process died is taken by another one. */
export const LEASE_MS = 10 * 60_000

/**
 * Takes claims that are due, of rules that may act: of each workspace the oldest ones, so that none waits behind another.
 *
 * @param perTenant  most claims of a workspace
 */
export async function takeClaims(
  { relational, clock }: Pick<Deps, 'relational' | 'clock'>,
  perTenant: number,
): Promise<RuleClaimRow[]> {
  const now = timeOfEpochMs(clock())
  const until = timeOfEpochMs(clock() + LEASE_MS)
  const due: SQL = sql`
    select claim.rule_id, claim.target_id, claim.target_version
    from (select distinct tenant_id from rules where is_enabled and blocked_reason is null) as tenants
    cross join lateral (
      select c.rule_id, c.target_id, c.target_version
      from rule_claims c join rules r on r.id = c.rule_id
      where c.tenant_id = tenants.tenant_id and c.state in ('waiting', 'running') and c.due_at <= ${now}::timestamptz
        and r.is_enabled and r.blocked_reason is null
      order by c.due_at
      limit ${perTenant}
      for update of c skip locked
    ) as claim`
  return relational.transaction((tx) =>
    tx
      .update(ruleClaims)
      .set({ state: 'running', attempts: sql`${ruleClaims.attempts} + 1`, due_at: until })
      .where(sql`(rule_id, target_id, target_version) in (${due})`)
      .returning(),
  )
}

/** Lets claims of a process that died be taken at once. For the one process of an embedded store, before it takes any. */
export async function releaseClaims({ relational, clock }: Pick<Deps, 'relational' | 'clock'>): Promise<void> {
  await relational.db
    .update(ruleClaims)
    .set({ due_at: timeOfEpochMs(clock()) })
    .where(eq(ruleClaims.state, 'running'))
}

/** Stores what became of a claim, unless another process has taken it meanwhile. */
export async function settleClaim(
  db: Database,
  claim: RuleClaimRow,
  change: Partial<Pick<RuleClaimRow, 'state' | 'due_at' | 'outcomes' | 'detail' | 'decided_at' | 'attempts'>>,
): Promise<void> {
  await db
    .update(ruleClaims)
    .set({ ...change, is_noted: false })
    .where(and(matches(claim), eq(ruleClaims.state, 'running'), eq(ruleClaims.attempts, claim.attempts)))
}

/** Claims of a rule that are not decided yet, those that are due first; or of one run. */
export function selectOpenClaims(
  db: Database,
  tenantId: string,
  { ruleId, runId, limit }: { readonly ruleId?: string; readonly runId?: string; readonly limit: number },
): Promise<RuleClaimRow[]> {
  return db
    .select()
    .from(ruleClaims)
    .where(
      and(
        eq(ruleClaims.tenant_id, tenantId),
        ruleId === undefined ? undefined : eq(ruleClaims.rule_id, ruleId),
        runId === undefined ? undefined : eq(ruleClaims.target_id, runId),
        sql`${ruleClaims.state} in ('waiting', 'running')`,
      ),
    )
    .orderBy(ruleClaims.due_at)
    .limit(limit)
}

export async function countOpenClaims(db: Database, ruleId: string): Promise<number> {
  return db.$count(ruleClaims, and(eq(ruleClaims.rule_id, ruleId), sql`${ruleClaims.state} in ('waiting', 'running')`))
}

/** Decided claims that are not in the column store yet, oldest first. */
export function selectUnnoted(db: Database, limit: number): Promise<RuleClaimRow[]> {
  return db
    .select()
    .from(ruleClaims)
    .where(sql`${ruleClaims.state} in ('done', 'failed') and not ${ruleClaims.is_noted}`)
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
    sql`delete from rule_claims where state in ('done', 'failed') and is_noted and decided_at < ${time}::timestamptz`,
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
