import { ApiError, contract, isAtLeast, type RunRuleListQuery } from '@touchstone/contract'
import { asc, eq, sql } from 'drizzle-orm'
import { decodeCursor, encodeCursor } from '../../../http/cursor.ts'
import { abortOnDisconnect } from '../../../http/responses.ts'
import { type App, type Caller, serve } from '../../../http/serve.ts'
import { sql as analyticsSql, uuid } from '../../../storage/analytics/sql.ts'
import { type RuleRow, rules } from '../../../storage/relational/tables/rules.ts'
import type { RuleServices } from '../actions/index.ts'
import { deleteDecisionsWhere } from '../ledger.ts'
import { readDefinition } from '../present.ts'
import { deleteRuleRow, getRule, updateRule } from '../rules.ts'
import { createRunRule, updateRunRule } from './change-rules.ts'
import { createDecisionModel } from './decision-models.ts'
import { listRunRuleLogs } from './logs.ts'
import { presentRunRules } from './present-rules.ts'
import { toRunRuleV2 } from './present-v2.ts'
import { validateRunRule } from './validate.ts'

/** Rules of public clients: the same rules, read and written in their form. */
export function runRuleRoutes(app: App, deps: RuleServices): void {
  const { runRules, runRulesV2 } = contract
  const { db } = deps.relational
  const present = (caller: Caller, found: readonly RuleRow[], hasProgress = false) =>
    presentRunRules(deps, caller.tenantId, found, { hasProgress, seesSecrets: isAtLeast(caller.role, 'member') })
  const presentOne = async (caller: Caller, id: string) => {
    const [shown] = await present(caller, [await getRule(db, caller.tenantId, id)], true)
    return shown
  }

  serve(app, runRules.list, async ({ caller, query }) =>
    present(caller, await selectRules(deps, caller.tenantId, query), query.include_backfill_progress),
  )
  serve(app, runRulesV2.list, async ({ caller, query }) => {
    const { project_id, type, cursor, page_size: size } = query
    const asV1 = { ...query, session_id: project_id, type: type && TYPES[type] }
    const found = await selectRules(deps, caller.tenantId, asV1)
    const start = cursor ? decodeCursor(cursor, ([offset]) => toOffset(offset)) : 0
    const page = found.slice(start, start + size)
    const shown = await present(caller, page, query.include_backfill_progress)
    return {
      items: shown.map(toRunRuleV2),
      next_cursor: start + size < found.length ? encodeCursor([start + size]) : null,
    }
  })
  serve(app, runRules.create, async ({ caller, body }) => presentOne(caller, await createRunRule(deps, caller, body)))
  serve(app, runRules.createDecisionModel, async ({ caller, body }) =>
    presentOne(caller, await createDecisionModel(deps, caller, body)),
  )
  serve(app, runRules.validate, ({ caller, body, reply }) =>
    validateRunRule(deps, caller, body, abortOnDisconnect(reply)),
  )
  serve(app, runRules.read, ({ caller, params }) => presentOne(caller, params.rule_id))
  serve(app, runRules.update, async ({ caller, params, body }) => {
    await updateRunRule(deps, caller, params.rule_id, body)
    return presentOne(caller, params.rule_id)
  })
  serve(app, runRules.delete, async ({ caller: { tenantId }, params }) => {
    await deleteRuleRow(db, tenantId, params.rule_id)
    await deleteDecisionsWhere(deps, tenantId, analyticsSql`rule_id = ${uuid(params.rule_id)}`)
    return { message: 'Rule deleted' }
  })
  serve(app, runRules.logs, async ({ caller, params, query }) =>
    listRunRuleLogs(deps, await getRule(db, caller.tenantId, params.rule_id), query),
  )
  serve(app, runRules.lastApplied, async ({ caller, params, query }) => {
    const rule = await getRule(db, caller.tenantId, params.rule_id)
    const [newest] = await listRunRuleLogs(deps, rule, { limit: 1, offset: 0, backfill: query.backfill })
    if (newest === undefined) throw new ApiError('NOT_FOUND', 'The rule has decided nothing yet.')
    return newest
  })
  serve(app, runRules.trigger, async ({ caller, params }) => {
    await trigger(deps, caller, params.rule_id)
    return presentOne(caller, params.rule_id)
  })
  serve(app, runRules.triggerMany, async ({ caller, body }) => {
    const ids = [...new Set(body.rule_ids)]
    for (const id of ids) await getRule(db, caller.tenantId, id)
    for (const id of ids) await trigger(deps, caller, id)
    return { triggered: ids }
  })
}

const TYPES = { PROJECT: 'session', DATASET: 'dataset' } as const

const toOffset = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined

/** Rules look each second by themselves; what a user can add is the end of a block. @throws ApiError NOT_FOUND, CONFLICT */
async function trigger(deps: RuleServices, caller: Caller, id: string): Promise<void> {
  const { is_enabled, name } = await getRule(deps.relational.db, caller.tenantId, id)
  if (!is_enabled) throw new ApiError('CONFLICT', `The rule "${name}" is paused. Enable it first.`)
  await updateRule(deps, caller, id, { is_enabled: true })
}

/** All rules of a workspace that a query selects, by name; a workspace has few. */
async function selectRules(
  { relational }: RuleServices,
  tenantId: string,
  query: RunRuleListQuery,
): Promise<RuleRow[]> {
  const { id, dataset_id, session_id, evaluator_id, name_contains, type, tag_value_id } = query
  if (tag_value_id?.length) return []
  const found = await relational.db
    .select()
    .from(rules)
    .where(eq(rules.tenant_id, tenantId))
    .orderBy(asc(sql`lower(${rules.name})`), asc(rules.id))
  const runsEvaluator = ({ definition }: RuleRow) =>
    readDefinition(definition).actions.some(
      (action) => action.kind === 'evaluate' && action.evaluator_id === evaluator_id,
    )
  return found.filter(
    (rule) =>
      (!id?.length || id.includes(rule.id)) &&
      (dataset_id === undefined || rule.dataset_id === dataset_id) &&
      (session_id === undefined || rule.project_ids.includes(session_id)) &&
      (type === undefined || (type === 'dataset') === (rule.dataset_id !== null)) &&
      (!name_contains || rule.name.toLowerCase().includes(name_contains.toLowerCase())) &&
      (evaluator_id === undefined || runsEvaluator(rule)),
  )
}
