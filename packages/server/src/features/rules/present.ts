import { type Rule, RuleActionOutcome, type RuleDecision, RuleDefinition } from '@touchstone/contract'
import { z } from 'zod'
import type { RuleClaimRow, RuleRow } from '../../storage/relational/tables/rules.ts'

const Outcomes = z.array(RuleActionOutcome)

export const readDefinition = (text: string): RuleDefinition => RuleDefinition.parse(JSON.parse(text))

export const readOutcomes = (text: string): RuleActionOutcome[] => Outcomes.parse(JSON.parse(text))

export function presentRule(row: RuleRow): Rule {
  const { blocked_reason: reason, blocked_message: message, blocked_at: since } = row
  return {
    id: row.id,
    tenant_id: row.tenant_id,
    name: row.name,
    description: row.description,
    is_enabled: row.is_enabled,
    version: row.version,
    definition: readDefinition(row.definition),
    blocked: reason === null ? null : { reason, message: message ?? '', since: since ?? row.modified_at },
    looked_at: row.looked_at,
    created_at: row.created_at,
    modified_at: row.modified_at,
    created_by: row.created_by,
  }
}

/** US dollars; null when no action has a cost. */
export function sumCosts(outcomes: readonly RuleActionOutcome[]): number | null {
  const costs = outcomes.flatMap(({ cost }) => cost ?? [])
  return costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0)
}

/** A claim as a decision. */
export function presentClaim(claim: RuleClaimRow, samplingRate: number): RuleDecision {
  const outcomes = readOutcomes(claim.outcomes)
  return {
    rule_id: claim.rule_id,
    rule_version: claim.rule_version,
    target: claim.target,
    run_id: claim.run_id,
    trace_id: claim.trace_id,
    thread_id: claim.thread_id || null,
    session_id: claim.session_id,
    run_start_time: claim.start_time,
    state: claim.state === 'waiting' && claim.is_limited ? 'limited' : claim.state,
    attempts: claim.attempts,
    sample_value: claim.sample_value,
    sampling_rate: samplingRate,
    outcomes,
    cost: sumCosts(outcomes),
    lag_ms: claim.backfill_id === null ? claim.lag_ms : null,
    backfill_id: claim.backfill_id,
    detail: claim.detail || describeWait(claim),
    decided_at: claim.decided_at,
  }
}

function describeWait({ target, target_version, state, ready_at }: RuleClaimRow): string {
  if (state !== 'waiting' || target_version !== '') return ''
  const at = `${ready_at.slice(0, 19).replace('T', ' ')} UTC`
  return target === 'thread'
    ? `Waiting: the rule acts when no turn of the thread comes until ${at}.`
    : `Waiting: the rule acts when nothing of the trace changes until ${at}.`
}
