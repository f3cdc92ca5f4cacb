import {
  parseTime,
  type RuleAction,
  type RuleDecision,
  type RunRuleLog,
  type RunRuleLogQuery,
  timeOfEpochMs,
} from '@touchstone/contract'
import { eq } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { sql, uuid } from '../../../storage/analytics/sql.ts'
import { type RuleRow, ruleVersions } from '../../../storage/relational/tables/rules.ts'
import { columns, text } from '../../../storage/rows.ts'
import { whereRunIds } from '../../runs/index.ts'
import { readDecisions } from '../ledger.ts'
import { readDefinition } from '../present.ts'

type LogDeps = Pick<Deps, 'relational' | 'analytics'>

/** A page of what a rule decided, newest first. */
export async function listRunRuleLogs(
  deps: LogDeps,
  rule: RuleRow,
  { limit, offset, start_time, end_time, backfill }: RunRuleLogQuery,
): Promise<RunRuleLog[]> {
  const { decisions } = await readDecisions(deps, rule.tenant_id, {
    ruleId: rule.id,
    from: start_time && parseTime(start_time),
    to: end_time && parseTime(end_time),
    isBackfill: backfill,
    limit,
    offset,
  })
  if (decisions.length === 0) return []
  const [actions, runs] = await Promise.all([
    readActions(deps, rule),
    readRunNames(deps, rule.tenant_id, [...new Set(decisions.map(({ run_id }) => run_id))]),
  ])
  return decisions.map((decision) =>
    present(decision, actions.get(decision.rule_version) ?? [], runs.get(decision.run_id)),
  )
}

type RunName = { readonly name: string; readonly run_type: string }

function present(decision: RuleDecision, actions: readonly RuleAction[], run: RunName | undefined): RunRuleLog {
  const { decided_at, lag_ms } = decision
  const of = (kind: RuleAction['kind']) => presentEntry(decision, actions, kind)
  return {
    rule_id: decision.rule_id,
    run_id: decision.run_id,
    run_name: run?.name ?? null,
    run_type: run?.run_type ?? null,
    run_session_id: decision.session_id,
    thread_id: decision.thread_id,
    start_time: timeOfEpochMs(Date.parse(decided_at) - (lag_ms ?? 0)),
    end_time: decided_at,
    application_time: decided_at,
    evaluators: of('evaluate'),
    add_to_dataset: of('add_to_dataset'),
    add_to_annotation_queue: of('add_to_queue'),
    alerts: null,
    webhooks: null,
    extend_only: null,
  }
}

/** What the actions of one kind did; the first failure counts for all. */
function presentEntry(
  { state, outcomes, detail, sample_value, sampling_rate }: RuleDecision,
  actions: readonly RuleAction[],
  kind: RuleAction['kind'],
): RunRuleLog['evaluators'] {
  if (!actions.some((action) => action.kind === kind)) return null
  const own = outcomes.filter((outcome) => outcome.kind === kind)
  const failure = own.find((outcome) => outcome.state === 'failed')
  if (failure !== undefined) return { outcome: 'error', payload: { error: failure.detail } }
  if (own.length > 0) {
    return { outcome: 'success', payload: { results: own.map(({ detail, cost }) => ({ detail, cost_usd: cost })) } }
  }
  const isOut = state === 'sampled_out'
  const reason = isOut ? `not in the sample: ${sample_value.toFixed(4)} ≥ ${sampling_rate}` : detail
  return { outcome: 'skipped', payload: { reason } }
}

/** Actions of each version of a rule. */
async function readActions({ relational }: LogDeps, rule: RuleRow): Promise<Map<number, readonly RuleAction[]>> {
  const rows = await relational.db
    .select({ version: ruleVersions.version, definition: ruleVersions.definition })
    .from(ruleVersions)
    .where(eq(ruleVersions.rule_id, rule.id))
  return new Map(rows.map(({ version, definition }) => [version, readDefinition(definition).actions]))
}

async function readRunNames(
  { analytics }: LogDeps,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, RunName>> {
  const rows = await analytics.query(
    sql`select id, name, run_type from runs final where tenant_id = ${uuid(tenantId)} and ${whereRunIds(tenantId, ids)}`,
    columns({ id: text, name: text, run_type: text }),
  )
  return new Map(rows.map(({ id, ...run }) => [id, run]))
}
