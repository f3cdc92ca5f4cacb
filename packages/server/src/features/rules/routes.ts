import { contract, type RuleDecision, type RuleState } from '@touchstone/contract'
import { abortOnDisconnect } from '../../http/responses.ts'
import { type App, serve } from '../../http/serve.ts'
import { sql, uuid } from '../../storage/analytics/sql.ts'
import type { RuleServices } from './actions/index.ts'
import { createBackfill, listBackfills, updateBackfill } from './backfills.ts'
import { selectOpenClaims } from './engine/claims.ts'
import { toRate } from './engine/sampling.ts'
import { explainRun } from './explain.ts'
import { readCounts, readFunnel } from './funnel.ts'
import { deleteDecisionsWhere, readDecisions } from './ledger.ts'
import { presentClaim, presentRule, readDefinition } from './present.ts'
import { redo } from './redo.ts'
import { createRule, deleteRuleRow, getRule, listRules, listRuleVersions, updateRule } from './rules.ts'
import { readRuleSpend } from './spend.ts'
import { forecast, tryRule } from './trials.ts'

const OPEN_STATES: readonly RuleState[] = ['waiting', 'running', 'limited']

export function ruleRoutes(app: App, deps: RuleServices): void {
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
    const isOpen = state === undefined || OPEN_STATES.includes(state)
    const open = isOpen && cursor === undefined ? await selectOpenClaims(db, tenantId, { ruleId: rule.id, limit }) : []
    const rate = toRate(readDefinition(rule.definition))
    const waiting: RuleDecision[] = open
      .map((claim) => presentClaim(claim, rate))
      .filter((decision) => state === undefined || decision.state === state)
    if (isOpen && state !== undefined && state !== 'limited') return { decisions: waiting, next_cursor: null }
    const page = await readDecisions(deps, tenantId, { ruleId: rule.id, state, limit, cursor })
    return { ...page, decisions: [...waiting, ...page.decisions] }
  })
  serve(app, rules.funnel, async ({ caller, params, query }) =>
    readFunnel(deps, await getRule(db, caller.tenantId, params.rule_id), query.window),
  )
  serve(app, rules.counts, async ({ caller, query }) => ({
    rules: await readCounts(deps, caller.tenantId, query.window),
  }))
  serve(app, rules.dryRun, ({ caller, body }) => forecast(deps, caller.tenantId, body))
  serve(app, rules.try, ({ caller, body, reply }) => tryRule(deps, caller.tenantId, body, abortOnDisconnect(reply)))
  serve(app, rules.redo, async ({ caller, params, body }) => ({
    redone: await redo(deps, await getRule(db, caller.tenantId, params.rule_id), body.run_ids),
  }))
  serve(app, rules.spend, async ({ caller, params }) => {
    const rule = await getRule(db, caller.tenantId, params.rule_id)
    return readRuleSpend(deps, rule.id, readDefinition(rule.definition).spend_limit ?? null)
  })
  serve(app, rules.listBackfills, ({ caller, params, query }) =>
    listBackfills(deps, caller.tenantId, params.rule_id, query),
  )
  serve(app, rules.createBackfill, ({ caller, params, body }) => createBackfill(deps, caller, params.rule_id, body))
  serve(app, rules.updateBackfill, ({ caller, params, body }) =>
    updateBackfill(deps, caller.tenantId, { ruleId: params.rule_id, id: params.backfill_id }, body),
  )
  serve(app, rules.explain, async ({ caller, params }) => ({
    rules: await explainRun(deps, caller.tenantId, params.run_id),
  }))
}
