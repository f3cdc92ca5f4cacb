import { contract } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { withOrigin } from '../../http/request-origin.ts'
import { type App, serve } from '../../http/serve.ts'
import type { RunViewDeps } from './load-views.ts'
import { queryRuns, readRun, readValues } from './query-runs.ts'

export function runRoutes(app: App, deps: RunViewDeps & Pick<Deps, 'config'>): void {
  serve(app, contract.runs.query, ({ body, caller, request }) =>
    queryRuns(withOrigin(deps, request), caller.tenantId, body),
  )

  serve(app, contract.runValues.query, ({ body, caller }) => readValues(deps, caller.tenantId, body))

  serve(app, contract.runs.read, ({ params, query, caller, request }) =>
    readRun(withOrigin(deps, request), caller.tenantId, params.run_id, {
      withoutPayloads: query.exclude_s3_stored_attributes,
      withoutSerialized: query.exclude_serialized,
    }),
  )
}
