import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type {
  DeletionCount,
  RunDeletion,
  RunErrors,
  RunErrorsQuery,
  RunFacets,
  RunFacetsQuery,
  RunHistogram,
  RunHistogramQuery,
  RunSeries,
  RunSeriesQuery,
  RunStats,
  RunStatsQuery,
  RunValues,
  RunValuesQuery,
} from '../schemas.ts'
import { Calls } from './calls.ts'
import { findProject } from './projects.ts'

/** All conditions must hold. Times are ISO 8601. */
export interface GetRunStatsParams {
  id?: string[] | undefined
  trace?: string | undefined
  parentRun?: string | undefined
  runType?: string | undefined
  projectNames?: string[] | undefined
  projectIds?: string[] | undefined
  referenceExampleIds?: string[] | undefined
  startTime?: string | undefined
  endTime?: string | undefined
  error?: boolean | undefined
  query?: string | undefined
  filter?: string | undefined
  traceFilter?: string | undefined
  treeFilter?: string | undefined
  isRoot?: boolean | undefined
  /** Ignored by this server. */
  dataSourceType?: string | undefined
}

export class RunStatsCalls extends Calls {
  /** Figures over the runs that match. Latencies are seconds, costs US dollars, null when no price is known. */
  // biome-ignore lint/suspicious/noExplicitAny: as in the public package
  async getRunStats(params: GetRunStatsParams, options: CallOptions = {}): Promise<any> {
    const session = [...(params.projectIds ?? [])]
    for (const [index, id] of session.entries()) assertUuid(id, `projectIds[${index}]`)
    for (const projectName of params.projectNames ?? []) {
      session.push((await findProject(this.transport, { projectName }, options)).id)
    }
    if (session.length === 0) throw new Error('At least one of projectNames or projectIds must be provided.')
    const body = {
      id: params.id,
      trace: params.trace,
      parent_run: params.parentRun,
      run_type: params.runType,
      session,
      reference_example: params.referenceExampleIds,
      start_time: params.startTime,
      end_time: params.endTime,
      error: params.error,
      query: params.query,
      filter: params.filter,
      trace_filter: params.traceFilter,
      tree_filter: params.treeFilter,
      is_root: params.isRoot,
      data_source_type: params.dataSourceType,
    }
    return await this.transport.call(routes.runStats.stats, { body, doing: 'get run stats', ...options })
  }

  /** `POST /runs/stats` with everything that it takes; with `group_by`, figures by group. An extension of ours. */
  async queryRunStats(body: RunStatsQuery, options: CallOptions = {}): Promise<RunStats | Record<string, RunStats>> {
    return await this.transport.call(routes.runStats.stats, { body, doing: 'get run stats', ...options })
  }

  /** Figures over time, by group if asked. An extension of ours. */
  async queryRunSeries(body: RunSeriesQuery, options: CallOptions = {}): Promise<RunSeries> {
    return await this.transport.call(routes.runSeries.series, { body, doing: 'read a series', ...options })
  }

  /** Runs over time by outcome. An extension of ours. */
  async queryRunHistogram(body: RunHistogramQuery, options: CallOptions = {}): Promise<RunHistogram> {
    const doing = 'read a histogram'
    return await this.transport.call(routes.runSeries.histogram, { body, doing, ...options })
  }

  /** Values of attributes with counts. An extension of ours. */
  async queryRunFacets(body: RunFacetsQuery, options: CallOptions = {}): Promise<RunFacets> {
    return await this.transport.call(routes.runSeries.facets, { body, doing: 'read facets', ...options })
  }

  /** Errors by type and message, those of the most runs first, with when they were first and last seen. An extension of ours. */
  async queryRunErrors(body: RunErrorsQuery, options: CallOptions = {}): Promise<RunErrors> {
    return await this.transport.call(routes.runErrors.query, { body, doing: 'read errors', ...options })
  }

  /** Single values out of the payloads of at most 100 runs, cut at 500 characters. An extension of ours. */
  async queryRunValues(body: RunValuesQuery, options: CallOptions = {}): Promise<RunValues> {
    const doing = 'read values of runs'
    return await this.transport.call(routes.runValues.query, { body, doing, ...options })
  }

  /** Deletes traces with feedback and attachments, by id or by metadata in all projects. An extension of ours. */
  async deleteRuns(body: RunDeletion, options: CallOptions = {}): Promise<{ deleted_runs: number }> {
    return await this.transport.call(routes.runDeletions.delete, { body, doing: 'delete runs', ...options })
  }

  /** Counts what `deleteRuns` would delete, and deletes nothing. An extension of ours. */
  async countDeletion(body: RunDeletion, options: CallOptions = {}): Promise<DeletionCount> {
    const request = { body: { ...body, dry_run: true }, doing: 'count runs to delete', ...options }
    const { found } = (await this.transport.call(routes.runDeletions.delete, request)) as { found?: DeletionCount }
    if (found === undefined) throw new Error('The server does not count before it deletes. Update it first.')
    return found
  }
}
