import { ApiError, type RuleDecision, RuleState, RuleTarget, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import {
  all,
  any,
  text as bound,
  columnTime,
  type Fragment,
  printedTime,
  sql,
  time,
  uint,
  uuid,
  uuids,
} from '../../storage/analytics/sql.ts'
import type { RuleClaimRow } from '../../storage/relational/tables/rules.ts'
import { columns, nullable, number, oneOf, text } from '../../storage/rows.ts'
import { markNoted, selectUnnoted } from './engine/claims.ts'
import type { Found } from './engine/find-written.ts'
import { readOutcomes, sumCosts } from './present.ts'

type LedgerDeps = Pick<Deps, 'relational' | 'analytics'>

/** Decisions of one insert. */
const AT_ONCE = 1_000

/** A row of `rule_decisions`. */
interface LedgerRow {
  readonly tenant_id: string
  readonly rule_id: string
  readonly rule_version: number
  readonly target: RuleTarget
  readonly run_id: string
  readonly target_version: string
  readonly trace_id: string
  readonly thread_id: string
  readonly session_id: string
  /** In the column's form, as `decided_at`. */
  readonly start_time: string
  readonly state: RuleState
  readonly attempts: number
  readonly sample_value: number
  readonly sampling_rate: number
  readonly outcomes: string
  readonly cost: number | null
  readonly detail: string
  readonly decided_at: string
  readonly lag_ms: number | null
  readonly backfill_id: string | null
}

const insertRows = ({ analytics }: Pick<Deps, 'analytics'>, rows: readonly LedgerRow[]) =>
  analytics.insert(
    'rule_decisions',
    rows.map((row) => ({ json: JSON.stringify(row) })),
  )

interface SampledOut {
  readonly run: Pick<Found, 'id' | 'trace_id' | 'session_id' | 'thread_id' | 'start_time'>
  readonly value: number
}

/** Notes runs that match a rule and are not in its sample. Noting one again changes nothing. */
export async function noteSampledOut(
  deps: Pick<Deps, 'analytics'>,
  rule: {
    readonly ruleId: string
    readonly tenantId: string
    readonly ruleVersion: number
    readonly target: RuleTarget
    readonly samplingRate: number
    readonly backfillId: string | null
    readonly now: string
  },
  runs: readonly SampledOut[],
): Promise<void> {
  if (runs.length === 0) return
  const rows = runs.map(
    ({ run, value }): LedgerRow => ({
      tenant_id: rule.tenantId,
      rule_id: rule.ruleId,
      rule_version: rule.ruleVersion,
      target: rule.target,
      run_id: run.id,
      target_version: '',
      trace_id: run.trace_id,
      thread_id: rule.target === 'thread' ? run.thread_id : '',
      session_id: run.session_id,
      start_time: run.start_time,
      state: 'sampled_out',
      attempts: 0,
      sample_value: value,
      sampling_rate: rule.samplingRate,
      outcomes: '[]',
      cost: null,
      detail: '',
      decided_at: columnTime(rule.now),
      lag_ms: null,
      backfill_id: rule.backfillId,
    }),
  )
  await insertRows(deps, rows)
}

/**
 * Moves decisions into the column store. They stay in the relational store until they are there, so that none is lost.
 *
 * @param readRate  the sampling rate of a version of a rule
 * @returns whether there may be more
 */
export async function noteDecisions(
  { relational, analytics }: LedgerDeps,
  readRate: (claim: RuleClaimRow) => Promise<number>,
): Promise<boolean> {
  const claims = await selectUnnoted(relational.db, AT_ONCE)
  if (claims.length === 0) return false
  const rows: LedgerRow[] = []
  for (const claim of claims) rows.push(toRow(claim, await readRate(claim)))
  await insertRows({ analytics }, rows)
  await markNoted(relational.db, claims)
  return claims.length === AT_ONCE
}

const toRow = (claim: RuleClaimRow, samplingRate: number): LedgerRow => ({
  tenant_id: claim.tenant_id,
  rule_id: claim.rule_id,
  rule_version: claim.rule_version,
  target: claim.target,
  run_id: claim.run_id,
  target_version: claim.target_version,
  trace_id: claim.trace_id,
  thread_id: claim.thread_id,
  session_id: claim.session_id,
  start_time: columnTime(claim.start_time),
  state: claim.state,
  attempts: claim.attempts,
  sample_value: claim.sample_value,
  sampling_rate: samplingRate,
  outcomes: claim.outcomes,
  cost: sumCosts(readOutcomes(claim.outcomes)),
  detail: claim.detail,
  decided_at: columnTime(claim.decided_at),
  lag_ms: claim.backfill_id === null ? claim.lag_ms : null,
  backfill_id: claim.backfill_id,
})

/** Runs that a rule has done, as `<run id> <content>`. */
export async function findDone(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  ruleId: string,
  runIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (runIds.length === 0) return new Set()
  const rows = await analytics.query(
    sql`
    select run_id, target_version
    from rule_decisions final
    where tenant_id = ${uuid(tenantId)} and rule_id = ${uuid(ruleId)} and run_id in ${uuids(runIds)} and state = 'done'`,
    columns({ run_id: text, target_version: text }),
  )
  return new Set(rows.map(({ run_id, target_version }) => `${run_id} ${target_version}`))
}

const DECISION = columns({
  rule_id: text,
  rule_version: number,
  target: oneOf(...RuleTarget.options),
  run_id: text,
  trace_id: text,
  thread_id: text,
  session_id: text,
  start_time: text,
  state: oneOf(...RuleState.options),
  attempts: number,
  sample_value: number,
  sampling_rate: number,
  outcomes: text,
  cost: nullable(number),
  detail: text,
  decided_at: text,
  lag_ms: nullable(number),
  backfill_id: nullable(text),
})

/** A page of decisions, newest first. */
export async function readDecisions(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  query: {
    readonly ruleId?: string
    readonly runIds?: readonly string[]
    /** With `runIds`: decisions about any of these runs, or on this trace or its thread. */
    readonly traceId?: string
    readonly state?: RuleState | undefined
    readonly cursor?: string | undefined
    /** Of the decision. */
    readonly from?: string | undefined
    readonly to?: string | undefined
    /** Decisions of backfills, or live ones. @default both */
    readonly isBackfill?: boolean
    readonly limit: number
    /** @default 0 */
    readonly offset?: number
  },
): Promise<{ readonly decisions: RuleDecision[]; readonly next_cursor: string | null }> {
  const conditions: Fragment[] = [sql`tenant_id = ${uuid(tenantId)}`]
  if (query.ruleId !== undefined) conditions.push(sql`rule_id = ${uuid(query.ruleId)}`)
  if (query.runIds !== undefined) {
    const ofTrace =
      query.traceId === undefined ? [] : [sql`trace_id = ${uuid(query.traceId)} and target in ('trace', 'thread')`]
    conditions.push(any([sql`run_id in ${uuids(query.runIds)}`, ...ofTrace]))
  }
  if (query.state !== undefined) conditions.push(sql`state = ${bound(query.state)}`)
  if (query.cursor !== undefined) conditions.push(afterCursor(query.cursor))
  if (query.from !== undefined) conditions.push(sql`decided_at >= ${time(query.from)}`)
  if (query.to !== undefined) conditions.push(sql`decided_at < ${time(query.to)}`)
  if (query.isBackfill === true) conditions.push(sql`backfill_id is not null`)
  if (query.isBackfill === false) conditions.push(sql`backfill_id is null`)
  const rows = await analytics.query(
    sql`
    select rule_id, rule_version, target, run_id, trace_id, thread_id, session_id, start_time, state, attempts,
      sample_value, sampling_rate, outcomes, cost, detail, decided_at, lag_ms, backfill_id
    from rule_decisions final
    where ${conditions.reduce((all, one) => sql`${all} and ${one}`)}
    order by decided_at desc, run_id desc, target_version desc
    limit ${uint(query.limit + 1)} offset ${uint(query.offset ?? 0)}`,
    DECISION,
  )
  const page = rows.slice(0, query.limit)
  const last = page.at(-1)
  const decisions = page.map(
    ({ start_time, decided_at, outcomes, thread_id, ...row }): RuleDecision => ({
      ...row,
      thread_id: thread_id || null,
      run_start_time: printedTime(start_time),
      outcomes: readOutcomes(outcomes),
      decided_at: printedTime(decided_at),
    }),
  )
  const hasMore = rows.length > page.length && last !== undefined
  return { decisions, next_cursor: hasMore ? `${printedTime(last.decided_at)}~${last.run_id}` : null }
}

const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)~([0-9a-f-]{36})$/

function afterCursor(cursor: string): Fragment {
  const [, at, id] = CURSOR.exec(cursor) ?? []
  if (at === undefined || id === undefined) {
    throw new ApiError('INVALID_REQUEST', 'The cursor is not one that this list returned.')
  }
  return sql`(decided_at, run_id) < (${time(at)}, ${uuid(id)})`
}

const COUNTS = columns({ rule_id: text, hour: text, state: text, n: number, cost: number })
const LAGS = columns({ rule_id: text, lag: nullable(number) })

export interface Counted {
  readonly ruleId: string
  /** Begin of the hour; printed. */
  readonly time: string
  readonly state: string
  readonly n: number
  /** US dollars. */
  readonly cost: number
}

/**
 * Decisions since a time by rule, hour and state, oldest first, and the 95th percentiles of their lags by rule.
 *
 * @param ruleId  @default all rules of the workspace
 */
export async function countDecisions(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  { sinceMs, ruleId }: { readonly sinceMs: number; readonly ruleId?: string | undefined },
): Promise<{ readonly counted: readonly Counted[]; readonly lags: ReadonlyMap<string, number> }> {
  const ofRule = ruleId === undefined ? [] : [sql`rule_id = ${uuid(ruleId)}`]
  const where = all([sql`tenant_id = ${uuid(tenantId)}`, ...ofRule, sql`decided_at > ${time(timeOfEpochMs(sinceMs))}`])
  const [rows, lags] = await Promise.all([
    analytics.query(
      sql`
      select rule_id, toDateTime64(toStartOfHour(decided_at), 6, 'UTC') as hour, state, toUInt32(count()) as n,
        sum(ifNull(cost, 0)) as cost
      from rule_decisions final
      where ${where}
      group by rule_id, hour, state
      order by hour`,
      COUNTS,
    ),
    analytics.query(
      sql`
      select rule_id, quantileExact(0.95)(toFloat64(lag_ms)) as lag
      from rule_decisions final
      where ${where} and lag_ms is not null
      group by rule_id`,
      LAGS,
    ),
  ])
  return {
    counted: rows.map(({ rule_id, hour, ...row }) => ({ ruleId: rule_id, time: printedTime(hour), ...row })),
    lags: new Map(lags.flatMap(({ rule_id, lag }) => (lag === null ? [] : [[rule_id, lag] as const]))),
  }
}

/** Deletes decisions, for example of deleted runs. */
export async function deleteDecisionsWhere(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  condition: Fragment,
): Promise<void> {
  await analytics.command(sql`delete from rule_decisions where tenant_id = ${uuid(tenantId)} and (${condition})`)
}
