import { contract, parseUuid } from '@touchstone/contract'
import { RawJson } from '../../../http/raw-json.ts'
import { type App, serve } from '../../../http/serve.ts'
import { splitMembers } from '../../../json/cut-json.ts'
import { listEvaluators } from './list-evaluators.ts'
import { presentEvaluator } from './present.ts'
import { changeEvaluator, createEvaluator, type EvaluatorDeps, evaluatorNotFound } from './save-evaluator.ts'
import { deleteEvaluators, selectEvaluator } from './store.ts'

export function evaluatorRoutes(app: App, deps: EvaluatorDeps): void {
  const { evaluators } = contract
  const { db } = deps.relational

  serve(app, evaluators.list, async ({ caller, query }) => {
    const { rows, total } = await listEvaluators(deps, caller.tenantId, query)
    return new RawJson(`{"evaluators":[${rows.map(presentEvaluator).join(',')}],"total":${total}}`)
  })

  serve(app, evaluators.create, async ({ caller, body, bodyText }) => {
    const row = await createEvaluator(deps, caller, body, splitMembers(bodyText).get('metadata'))
    return new RawJson(`{"evaluator":${presentEvaluator(row)}}`)
  })

  serve(app, evaluators.spend, async ({ query: { period_start } }) => {
    const end = new Date(Date.parse(period_start) + 6 * 24 * 3600 * 1000)
    return { groups: [], period_start, period_end: end.toISOString().slice(0, 10) }
  })

  serve(app, evaluators.read, async ({ caller, params }) => {
    const row = await selectEvaluator(db, caller.tenantId, params.evaluator_id)
    if (row === undefined) throw evaluatorNotFound()
    return new RawJson(presentEvaluator(row))
  })

  serve(app, evaluators.update, async ({ caller, params, body, bodyText }) => {
    const metadataText = splitMembers(bodyText).get('metadata')
    const row = await changeEvaluator(deps, caller.tenantId, params.evaluator_id, body, metadataText)
    return new RawJson(`{"evaluator":${presentEvaluator(row)}}`)
  })

  serve(app, evaluators.delete, async ({ caller, params }) => {
    const gone = await deleteEvaluators(db, caller.tenantId, [params.evaluator_id])
    if (gone.length === 0) throw evaluatorNotFound()
  })

  serve(app, evaluators.deleteMany, async ({ caller, query }) => {
    const ids = [...new Set(query.evaluator_ids)]
    const gone = await deleteEvaluators(
      db,
      caller.tenantId,
      ids.flatMap((id) => parseUuid(id) ?? []),
    )
    const succeeded = ids.filter((id) => gone.includes(parseUuid(id) ?? ''))
    const failed = ids.filter((id) => !succeeded.includes(id)).map((id) => ({ id, error: 'Evaluator not found' }))
    return { succeeded, failed }
  })
}
