import { contract } from '@touchstone/contract'
import { abortOnDisconnect } from '../../http/responses.ts'
import { type App, serve } from '../../http/serve.ts'
import { measureAgreement } from './agreement.ts'
import {
  createSavedEvaluator,
  createVersion,
  deleteSavedEvaluator,
  type EvaluatorDeps,
  getSavedEvaluator,
  getVersion,
  listSavedEvaluators,
  listVersions,
  updateSavedEvaluator,
} from './evaluators.ts'
import { type JudgingDeps, judgingRoutes } from './judging/routes.ts'
import { previewEvaluator } from './preview.ts'
import type { RowDeps } from './read-rows.ts'
import type { RunEvaluatorDeps } from './run-evaluator.ts'

export function savedEvaluatorRoutes(app: App, deps: EvaluatorDeps & RunEvaluatorDeps & RowDeps & JudgingDeps): void {
  const { savedEvaluators } = contract
  const { db } = deps.relational

  serve(app, savedEvaluators.list, ({ caller, query }) => listSavedEvaluators(deps, caller.tenantId, query))

  serve(app, savedEvaluators.create, ({ caller, body }) => createSavedEvaluator(deps, caller, body))

  serve(app, savedEvaluators.preview, ({ caller, body, reply }) =>
    previewEvaluator(deps, caller.tenantId, body, abortOnDisconnect(reply)),
  )

  serve(app, savedEvaluators.read, ({ caller, params }) => getSavedEvaluator(db, caller.tenantId, params.evaluator_id))

  serve(app, savedEvaluators.update, ({ caller, params, body }) =>
    updateSavedEvaluator(deps, caller.tenantId, params.evaluator_id, body),
  )

  serve(app, savedEvaluators.delete, ({ caller, params }) =>
    deleteSavedEvaluator(db, caller.tenantId, params.evaluator_id),
  )

  serve(app, savedEvaluators.listVersions, ({ caller, params, query }) =>
    listVersions(deps, caller.tenantId, params.evaluator_id, query),
  )

  serve(app, savedEvaluators.createVersion, ({ caller, params, body }) =>
    createVersion(deps, caller, params.evaluator_id, body),
  )

  serve(app, savedEvaluators.readVersion, async ({ caller, params }) => {
    const { version } = await getVersion(deps, caller.tenantId, params.evaluator_id, params.version)
    return version
  })

  serve(app, savedEvaluators.agreement, ({ caller, params, body, reply }) =>
    measureAgreement(deps, caller.tenantId, params.evaluator_id, body, abortOnDisconnect(reply)),
  )

  judgingRoutes(app, deps)
}
