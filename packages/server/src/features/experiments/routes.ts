import { contract, MISSING_SESSIONS_HEADER } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { getOrigin, withOrigin } from '../../http/request-origin.ts'
import { jsonList, sendText } from '../../http/responses.ts'
import { type App, RawJson, serve } from '../../http/serve.ts'
import type { StatsDeps } from '../projects/index.ts'
import { writeRunsCsv } from './csv.ts'
import { groupExperiments } from './group-experiments.ts'
import { readCells } from './read-cells.ts'
import { cutDeltas, printDeltaEvents, readDeltas } from './read-deltas.ts'
import { readGroups } from './read-groups.ts'
import { readRunsPage, readRunsV2 } from './run-pages.ts'
import { searchExperiments } from './search-experiments.ts'
import { createOverride, deleteOverride, getOverride, listOverrides, replaceOverride } from './view-overrides.ts'

export type ExperimentDeps = Pick<Deps, 'relational' | 'analytics' | 'clock' | 'ids' | 'config' | 'caches'> & StatsDeps

export function experimentRoutes(app: App, deps: ExperimentDeps): void {
  const { experiments } = contract

  serve(app, experiments.runs, async ({ caller, params, query, body, request, reply }) => {
    // The answer is a list, which has no place for them.
    const onMissing = (ids: readonly string[]) => void reply.header(MISSING_SESSIONS_HEADER, ids.join(','))
    if (query.format?.toLowerCase() !== 'csv') {
      const ofRequest = withOrigin(deps, request)
      return sendText(reply, jsonList(readRunsPage(ofRequest, caller.tenantId, params.dataset_id, body, { onMissing })))
    }
    const options = { reader: query.for, onMissing }
    const file = writeRunsCsv(deps, caller.tenantId, params.dataset_id, body, options)
    return sendText(reply, file, { contentType: 'text/csv; charset=utf-8', fileName: 'experiment-results.csv' })
  })

  serve(app, experiments.runsV2, ({ caller, params, body, request }) =>
    readRunsV2(deps, caller.tenantId, params.dataset_id, body, getOrigin(deps.config, request)),
  )

  serve(app, experiments.groupedRuns, async ({ caller, params, body, request }) => {
    return new RawJson(await readGroups(withOrigin(deps, request), caller.tenantId, params.dataset_id, body))
  })

  serve(app, experiments.grouped, async ({ caller, params, body }) => {
    return new RawJson(await groupExperiments(deps, caller.tenantId, params.dataset_id, body))
  })

  serve(app, experiments.deltas, async ({ caller, params, body }) => {
    const found = await readDeltas(deps, caller.tenantId, params.dataset_id, body, [body.feedback_key]).next()
    if (found.done) return { feedback_deltas: {} }
    const { deltas, missingIds } = found.value
    return {
      feedback_deltas: cutDeltas(deltas, body),
      ...(missingIds.length > 0 && { missing_session_ids: [...missingIds] }),
    }
  })

  serve(app, experiments.deltasStream, async ({ caller, params, body, reply }) => {
    const keys = [...new Set(body.feedback_keys)]
    const events = printDeltaEvents(readDeltas(deps, caller.tenantId, params.dataset_id, body, keys))
    return sendText(reply, events, { contentType: 'text/event-stream' })
  })

  serve(app, contract.experimentCells.read, ({ caller, params, body }) =>
    readCells(deps, caller.tenantId, params.dataset_id, body),
  )

  serve(app, contract.experimentCells.search, async ({ caller, params, body }) => ({
    example_ids: await searchExperiments(deps, caller.tenantId, params.dataset_id, body),
  }))

  serve(app, experiments.listOverrides, ({ caller, params }) => listOverrides(deps, caller.tenantId, params.dataset_id))

  serve(app, experiments.createOverride, ({ caller, params, body }) =>
    createOverride(deps, caller.tenantId, params.dataset_id, body.column_overrides),
  )

  serve(app, experiments.readOverride, ({ caller, params: { dataset_id, override_id } }) =>
    getOverride(deps, caller.tenantId, dataset_id, override_id),
  )

  serve(app, experiments.updateOverride, ({ caller, params: { dataset_id, override_id }, body }) =>
    replaceOverride(deps, caller.tenantId, dataset_id, override_id, body.column_overrides),
  )

  serve(app, experiments.deleteOverride, ({ caller, params: { dataset_id, override_id } }) =>
    deleteOverride(deps, caller.tenantId, dataset_id, override_id),
  )
}
