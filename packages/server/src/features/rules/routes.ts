import { contract, type RuleDecision } from '@touchstone/contract'
import { type App, serve } from '../../http/serve.ts'
import { sql, uuid } from '../../storage/analytics/sql.ts'
import type { ActionDeps } from './actions/index.ts'
import { selectOpenClaims } from './engine/claims.ts'
import { explainRun } from './explain.ts'
import { readFunnel } from './funnel.ts'
import { deleteDecisionsWhere, readDecisions } from './ledger.ts'
import { presentClaim, presentRule, readDefinition } from './present.ts'
import { createRule, deleteRuleRow, getRule, listRules, listRuleVersions, updateRule } from './rules.ts'

export function ruleRoutes(app: App, deps: ActionDeps): void {
  const { rules } = contract
  const { db } = deps.relational

  serve(app, rules.list, ({ caller, query }) => listRules(deps, caller.tenantId, query))
  serve(app, rules.create, ({ caller, body }) => createRule(deps, caller, body))
  serve(app, rules.read, async ({ caller, params }) => presentRule(await getRule(db, caller.tenantId, params.rule_id)))
  serve(app, rules.update, ({ caller, params, body }) => updateRule(deps, caller, params.rule_id, body))
  serve(app, rules.delete, async ({ caller: { tenantId }, params }) => {
    await deleteRuleRow(db, tenantId, params.rule_id)
    await deleteDecisionsWhere(deps, tenantId, sql`rule_id = ${uuid(params.rule_id)}`)
  })
  serve(app, rules.listVersions, ({ caller, params, query }) =>
    listRuleVersions(deps, caller.tenantId, params.rule_id, query),
  )
  serve(app, rules.listDecisions, async ({ caller: { tenantId }, params, query }) => {
    const rule = await getRule(db, tenantId, params.rule_id)
    const { state, limit, cursor } = query
    const isOpen = state === undefined || state === 'waiting' || state === 'running'
    const open = isOpen && cursor === undefined ? await selectOpenClaims(db, tenantId, { ruleId: rule.id, limit }) : []
    const rate = readDefinition(rule.definition).sampling_rate
    const waiting: RuleDecision[] = open
      .map((claim) => presentClaim(claim, rate))
      .filter((decision) => state === undefined || decision.state === state)
    if (isOpen && state !== undefined) return { decisions: waiting, next_cursor: null }
    const page = await readDecisions(deps, tenantId, { ruleId: rule.id, state, limit, cursor })
    return { ...page, decisions: [...waiting, ...page.decisions] }
  })
  serve(app, rules.funnel, async ({ caller, params, query }) =>
    readFunnel(deps, await getRule(db, caller.tenantId, params.rule_id), query.window),
  )
  serve(app, rules.explain, async ({ caller, params }) => ({
    rules: await explainRun(deps, caller.tenantId, params.run_id),
  }))
}
