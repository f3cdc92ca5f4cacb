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
    run_id: claim.target_id,
    trace_id: claim.trace_id,
    session_id: claim.session_id,
    run_start_time: claim.start_time,
    state: claim.state,
    attempts: claim.attempts,
    sample_value: claim.sample_value,
    sampling_rate: samplingRate,
    outcomes,
    cost: sumCosts(outcomes),
    detail: claim.detail,
    decided_at: claim.decided_at,
  }
}
