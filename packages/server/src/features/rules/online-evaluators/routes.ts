import { contract, type EvaluatorListQuery, parseUuid } from '@touchstone/contract'
import { splitMembers } from '@touchstone/formats/cut-json'
import { type App, RawJson, serve } from '../../../http/serve.ts'
import { readMetadataQuery } from '../../../storage/relational/filter.ts'
import type { EvaluatorRow } from '../../../storage/relational/tables/feedback.ts'
import {
  createRule,
  deleteRules,
  type FeedbackRuleDeps,
  presentRule,
  ruleNotFound,
  selectRule,
  selectRules,
  updateRuleById,
} from './rules.ts'

export function feedbackRuleRoutes(app: App, deps: FeedbackRuleDeps): void {
  const { evaluators } = contract
  const { db } = deps.relational

  serve(app, evaluators.list, async ({ caller, query }) => {
    const { rows, total } = await listRules(deps, caller.tenantId, query)
    return new RawJson(`{"evaluators":[${rows.map(presentRule).join(',')}],"total":${total}}`)
  })

  serve(app, evaluators.create, async ({ caller, body, bodyText }) => {
    const row = await createRule(deps, caller, body, splitMembers(bodyText).get('metadata'))
    return new RawJson(`{"evaluator":${presentRule(row)}}`)
  })

  serve(app, evaluators.spend, async ({ query: { period_start } }) => {
    const end = new Date(Date.parse(period_start) + 6 * 24 * 3600 * 1000)
    return { groups: [], period_start, period_end: end.toISOString().slice(0, 10) }
  })

  serve(app, evaluators.read, async ({ caller, params }) => {
    const row = await selectRule(db, caller.tenantId, params.evaluator_id)
    if (row === undefined) throw ruleNotFound()
    return new RawJson(presentRule(row))
  })

  serve(app, evaluators.update, async ({ caller, params, body, bodyText }) => {
    const metadataText = splitMembers(bodyText).get('metadata')
    const row = await updateRuleById(deps, caller.tenantId, params.evaluator_id, body, metadataText)
    return new RawJson(`{"evaluator":${presentRule(row)}}`)
  })

  serve(app, evaluators.delete, async ({ caller, params }) => {
    const gone = await deleteRules(db, caller.tenantId, [params.evaluator_id])
    if (gone.length === 0) throw ruleNotFound()
  })

  serve(app, evaluators.deleteMany, async ({ caller, query }) => {
    const ids = [...new Set(query.evaluator_ids)]
    const gone = await deleteRules(
      db,
      caller.tenantId,
      ids.flatMap((id) => parseUuid(id) ?? []),
    )
    const succeeded = ids.filter((id) => gone.includes(parseUuid(id) ?? ''))
    const failed = ids.filter((id) => !succeeded.includes(id)).map((id) => ({ id, error: 'Evaluator not found' }))
    return { succeeded, failed }
  })
}

/**
 * A page of evaluators and their total number.
 *
 * @throws ApiError INVALID_REQUEST on metadata that is not a JSON object
 */
async function listRules(
  { relational }: Pick<FeedbackRuleDeps, 'relational'>,
  tenantId: string,
  query: EvaluatorListQuery,
): Promise<{ readonly rows: EvaluatorRow[]; readonly total: number }> {
  const metadata = query.metadata === undefined ? undefined : readMetadataQuery(query.metadata)
  // No rule runs evaluators yet, so none has an agent, a resource, a feedback key or a tag.
  const { agent_id, feedback_key, resource_id, tag_value_id } = query
  if (agent_id || feedback_key || resource_id?.length || tag_value_id?.length) return { rows: [], total: 0 }
  return selectRules(relational.db, tenantId, { ...query, metadata }, query)
}
