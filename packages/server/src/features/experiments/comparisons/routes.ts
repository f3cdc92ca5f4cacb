import { ApiError, contract } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { RawJson } from '../../../http/raw-json.ts'
import { type App, serve } from '../../../http/serve.ts'
import { splitMembers } from '../../../json/cut-json.ts'
import { sql, uuid } from '../../../storage/analytics/sql.ts'
import { deleteFeedbackWhere } from '../../feedback/index.ts'
import { createComparison, deleteComparison } from './create-comparison.ts'
import { listComparisons, presentComparison } from './list-comparisons.ts'

type ComparativeDeps = Pick<Deps, 'relational' | 'analytics' | 'clock' | 'ids'>

export function comparativeExperimentRoutes(app: App, deps: ComparativeDeps): void {
  const { comparativeExperiments: routes } = contract

  serve(app, routes.create, async ({ caller, body, bodyText }) => {
    const extra = body.extra ? splitMembers(bodyText).get('extra') : undefined
    return new RawJson(presentComparison(await createComparison(deps, caller.tenantId, body, extra)))
  })

  serve(app, routes.list, async ({ caller, params, query }) => {
    const found = await listComparisons(deps, caller.tenantId, params.dataset_id, query)
    return new RawJson(`[${found.join(',')}]`)
  })

  serve(app, routes.delete, async ({ caller, params: { comparative_experiment_id: id } }) => {
    if (!(await deleteComparison(deps.relational.db, caller.tenantId, id))) {
      throw new ApiError('NOT_FOUND', 'Comparative experiment not found')
    }
    await deleteFeedbackWhere(deps, caller.tenantId, sql`comparative_experiment_id = ${uuid(id)}`)
    return new RawJson('null')
  })
}
