import { ApiError, type RuleDecision, RuleState, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import {
  text as bound,
  columnTime,
  type Fragment,
  printedTime,
  sql,
  time,
  uint,
  uuid,
} from '../../storage/analytics/sql.ts'
import type { RuleClaimRow } from '../../storage/relational/tables/rules.ts'
import { columns, nullable, number, oneOf, text } from '../../storage/rows.ts'
import { markNoted, selectUnnoted } from './engine/claims.ts'
import { readOutcomes, sumCosts } from './present.ts'

type LedgerDeps = Pick<Deps, 'relational' | 'analytics'>

/** Decisions of one insert. */
const AT_ONCE = 1_000

interface SampledOut {
  readonly run: {
    readonly id: string
    readonly trace_id: string
    readonly session_id: string
    /** In the column's form. */
    readonly start_time: string
  }
  readonly value: number
}

/** Notes runs that match a rule and are not in its sample. Noting one again changes nothing. */
export async function noteSampledOut(
  { analytics }: Pick<Deps, 'analytics'>,
  rule: {
    readonly ruleId: string
    readonly tenantId: string
    readonly ruleVersion: number
    readonly samplingRate: number
    readonly now: string
  },
  runs: readonly SampledOut[],
): Promise<void> {
  if (runs.length === 0) return
  const rows = runs.map(({ run, value }) => ({
    json: JSON.stringify({
      tenant_id: rule.tenantId,
      rule_id: rule.ruleId,
      run_id: run.id,
      target_version: '',
      rule_version: rule.ruleVersion,
      trace_id: run.trace_id,
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
    }),
  }))
  await analytics.insert('rule_decisions', rows)
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
  const rows: { readonly json: string }[] = []
  for (const claim of claims) rows.push({ json: JSON.stringify(toRow(claim, await readRate(claim))) })
  await analytics.insert('rule_decisions', rows)
  await markNoted(relational.db, claims)
  return claims.length === AT_ONCE
}

const toRow = (claim: RuleClaimRow, samplingRate: number) => ({
  tenant_id: claim.tenant_id,
  rule_id: claim.rule_id,
  run_id: claim.target_id,
  target_version: claim.target_version,
  rule_version: claim.rule_version,
  trace_id: claim.trace_id,
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
})

const DECISION = columns({
  rule_id: text,
  rule_version: number,
  run_id: text,
  trace_id: text,
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
  target_version: text,
})

/** A page of decisions, newest first. */
export async function readDecisions(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  query: {
    readonly ruleId?: string
    readonly runId?: string
    readonly state?: RuleState | undefined
    readonly cursor?: string | undefined
    readonly limit: number
  },
): Promise<{ readonly decisions: RuleDecision[]; readonly next_cursor: string | null }> {
  const conditions: Fragment[] = [sql`tenant_id = ${uuid(tenantId)}`]
  if (query.ruleId !== undefined) conditions.push(sql`rule_id = ${uuid(query.ruleId)}`)
  if (query.runId !== undefined) conditions.push(sql`run_id = ${uuid(query.runId)}`)
  if (query.state !== undefined) conditions.push(sql`state = ${bound(query.state)}`)
  if (query.cursor !== undefined) conditions.push(afterCursor(query.cursor))
  const rows = await analytics.query(
    sql`
    select rule_id, rule_version, run_id, trace_id, session_id, start_time, state, attempts, sample_value, sampling_rate,
      outcomes, cost, detail, decided_at, target_version
    from rule_decisions final
    where ${conditions.reduce((all, one) => sql`${all} and ${one}`)}
    order by decided_at desc, run_id desc, target_version desc
    limit ${uint(query.limit + 1)}`,
    DECISION,
  )
  const page = rows.slice(0, query.limit)
  const last = page.at(-1)
  const decisions = page.map(
    ({ start_time, decided_at, outcomes, target_version: _, ...row }): RuleDecision => ({
      ...row,
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

const COUNTS = columns({ state: text, n: number, cost: number })

/** Decisions of a rule by state since a time, and what they cost. */
export async function countDecisions(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  ruleId: string,
  sinceMs: number,
): Promise<{ readonly counts: ReadonlyMap<string, number>; readonly cost: number }> {
  const rows = await analytics.query(
    sql`
    select state, toUInt32(count()) as n, sum(ifNull(cost, 0)) as cost
    from rule_decisions final
    where tenant_id = ${uuid(tenantId)} and rule_id = ${uuid(ruleId)} and decided_at > ${time(timeOfEpochMs(sinceMs))}
    group by state`,
    COUNTS,
  )
  return {
    counts: new Map(rows.map(({ state, n }) => [state, n])),
    cost: rows.reduce((sum, { cost }) => sum + cost, 0),
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
