import { contract } from '@touchstone/contract'
import { type App, serve } from '../../http/serve.ts'
import type { LookUpDeps } from './look-up.ts'
import { queryRuns } from './query-runs.ts'
import { readRun } from './read-run.ts'
import { readValues } from './read-values.ts'

export function runRoutes(app: App, deps: LookUpDeps): void {
  serve(app, contract.runs.query, ({ body, caller }) => queryRuns(deps, caller.tenantId, body))

  serve(app, contract.runValues.query, ({ body, caller }) => readValues(deps, caller.tenantId, body))

  serve(app, contract.runs.read, ({ params, query, caller }) =>
    readRun(deps, caller.tenantId, params.run_id, {
      withoutPayloads: query.exclude_s3_stored_attributes,
      withoutSerialized: query.exclude_serialized,
    }),
  )
}
