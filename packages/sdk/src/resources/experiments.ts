import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type {
  ColumnOverride,
  Dataset,
  ExampleGroup,
  ExampleWithRuns,
  ExperimentCells,
  ExperimentGroup,
  ExperimentRunsQuery,
  ExperimentStatistics,
  ExperimentUpload,
  ExperimentViewOverride,
  FeedbackDelta,
  GroupedExperimentsQuery,
  GroupedRunsQuery,
  TracerSessionResult,
} from '../schemas.ts'
import { Calls } from './calls.ts'
import { comparisonLink } from './links.ts'
import { readable } from './list-examples.ts'

export interface ListExamplesWithRunsParams {
  datasetId: string
  experimentIds: string[]
  /** First characters of inputs and outputs instead of all. @default false */
  preview?: boolean | undefined
  /** Mean over the experiments; examples without it come last. @default the examples changed last come first */
  sortByFeedback?: string | undefined
  /** @default "desc" */
  sortOrder?: 'asc' | 'desc' | undefined
  /** Run filters by experiment; only examples with a matching run in each. */
  filters?: Record<string, string[]> | undefined
  exampleIds?: string[] | undefined
  comparativeExperimentId?: string | undefined
  /** Caps the total. @default all */
  limit?: number | undefined
  /** @default 0 */
  offset?: number | undefined
}

export interface CompareExperimentsParams {
  datasetId: string
  baselineId: string
  /** 1–10, compared with the baseline one by one. */
  experimentIds: string[]
  /** @default every key with scores in the baseline and in another experiment */
  feedbackKeys?: string[] | undefined
  /** Only these examples. */
  exampleIds?: string[] | undefined
  /** Scores of this pair instead of ordinary ones. */
  comparativeExperimentId?: string | undefined
  /** Of the intervals. @default 0.95 */
  confidence?: number | undefined
  /** Of the minimum detectable effect. @default 0.8 */
  power?: number | undefined
  /** Drawn for each interval. @default 2000 */
  resamples?: number | undefined
  /** The same seed and scores give the same intervals. @default 0 */
  seed?: number | undefined
}

export interface ExperimentDeltasParams {
  datasetId: string
  baselineId: string
  experimentIds: string[]
  feedbackKey: string
  filters?: Record<string, string[]> | undefined
  comparativeExperimentId?: string | undefined
  /** Examples looked at, at most 100. @default 100 */
  limit?: number | undefined
  offset?: number | undefined
}

export interface ExperimentCellsParams {
  datasetId: string
  /** 1–10. */
  experimentIds: string[]
  /** Includes feedback of this pair. */
  comparativeExperimentId?: string | undefined
}

/** Experiments over one dataset; all calls of this file are extensions of ours. */
export class ExperimentCalls extends Calls {
  /** Examples of a dataset with their runs in experiments, fetched a page at a time. */
  async *listExamplesWithRuns(
    params: ListExamplesWithRunsParams,
    options: CallOptions = {},
  ): AsyncGenerator<ExampleWithRuns> {
    const { datasetId, experimentIds, sortByFeedback, sortOrder = 'desc' } = params
    const query: ExperimentRunsQuery = {
      session_ids: experimentIds,
      preview: params.preview,
      sort_params: sortByFeedback === undefined ? undefined : sortBy(sortByFeedback, sortOrder),
      filters: params.filters,
      example_ids: params.exampleIds,
      comparative_experiment_id: params.comparativeExperimentId,
    }
    let offset = params.offset ?? 0
    let left = params.limit ?? Number.POSITIVE_INFINITY
    while (left > 0) {
      const limit = Math.min(left, 100)
      const page = await this.queryExamplesWithRuns(datasetId, { ...query, offset, limit }, options)
      yield* page
      if (page.length < limit) return
      offset += page.length
      left -= page.length
    }
  }

  /** One page of `POST /datasets/{id}/runs`, with every parameter of the endpoint. */
  async queryExamplesWithRuns(
    datasetId: string,
    query: ExperimentRunsQuery,
    options: CallOptions = {},
  ): Promise<ExampleWithRuns[]> {
    checkIds(datasetId, query.session_ids)
    const request = { params: { dataset_id: datasetId }, body: query, ...options }
    return (await this.transport.call(routes.experiments.runs, request)).map(
      (example) => readable(example) as ExampleWithRuns,
    )
  }

  /** Examples with their runs by a value of metadata, with figures of each group. */
  async groupExamplesWithRuns(
    datasetId: string,
    query: GroupedRunsQuery,
    options: CallOptions = {},
  ): Promise<ExampleGroup[]> {
    checkIds(datasetId, query.session_ids)
    const request = { params: { dataset_id: datasetId }, body: query, ...options }
    return (await this.transport.call(routes.experiments.groupedRuns, request)).groups as ExampleGroup[]
  }

  /** Experiments by values of their metadata, with figures of each group. */
  async groupExperiments(
    datasetId: string,
    query: GroupedExperimentsQuery,
    options: CallOptions = {},
  ): Promise<ExperimentGroup[]> {
    assertUuid(datasetId, 'datasetId')
    const request = { params: { dataset_id: datasetId }, body: query, ...options }
    return (await this.transport.call(routes.experiments.grouped, request)).groups
  }

  /** Records an experiment that ran elsewhere, with its dataset, runs and scores. */
  async uploadExperiment(
    upload: ExperimentUpload,
    options: CallOptions = {},
  ): Promise<{ dataset: Dataset; experiment: TracerSessionResult }> {
    return await this.transport.call(routes.datasetFiles.uploadExperiment, {
      body: upload,
      doing: 'upload experiment',
      ...options,
    })
  }

  /** By experiment, the examples on which it scores better or worse than the baseline. */
  async getExperimentDeltas(
    params: ExperimentDeltasParams,
    options: CallOptions = {},
  ): Promise<Record<string, FeedbackDelta>> {
    const { datasetId, baselineId, experimentIds } = params
    checkIds(datasetId, [baselineId, ...experimentIds])
    const body = {
      baseline_session_id: baselineId,
      comparison_session_ids: experimentIds,
      feedback_key: params.feedbackKey,
      filters: params.filters,
      comparative_experiment_id: params.comparativeExperimentId,
      limit: params.limit,
      offset: params.offset,
    }
    const request = { params: { dataset_id: datasetId }, body, ...options }
    return (await this.transport.call(routes.experiments.deltas, request)).feedback_deltas
  }

  /** Whether experiments score better than a baseline on the same examples: differences, intervals, tests, verdicts. */
  async compareExperiments(params: CompareExperimentsParams, options: CallOptions = {}): Promise<ExperimentStatistics> {
    const { datasetId, baselineId, experimentIds } = params
    checkIds(datasetId, [baselineId, ...experimentIds])
    return await this.transport.call(routes.experimentStatistics.compare, {
      params: { dataset_id: datasetId },
      body: {
        baseline_session_id: baselineId,
        comparison_session_ids: experimentIds,
        feedback_keys: params.feedbackKeys,
        example_ids: params.exampleIds,
        comparative_experiment_id: params.comparativeExperimentId,
        confidence: params.confidence,
        power: params.power,
        resamples: params.resamples,
        seed: params.seed,
      },
      doing: 'compare experiments',
      ...options,
    })
  }

  /**
   * Runs and scores of experiments in columns, without texts: everything that filters, counts and sorting need.
   * Experiments that no longer exist are listed in `missing_session_ids`.
   */
  async readExperimentCells(params: ExperimentCellsParams, options: CallOptions = {}): Promise<ExperimentCells> {
    const { datasetId, experimentIds, comparativeExperimentId } = params
    checkIds(datasetId, experimentIds)
    return await this.transport.call(routes.experimentCells.read, {
      params: { dataset_id: datasetId },
      body: { session_ids: experimentIds, comparative_experiment_id: comparativeExperimentId },
      doing: 'read experiment cells',
      ...options,
    })
  }

  /**
   * Ids of the examples whose inputs or reference, or the output or error of one of whose runs, contain a text, and that
   * satisfy a filter of examples, for example `eq(metadata.topic, "auth")`. One of both is required.
   */
  async searchExperiments(
    params: { datasetId: string; experimentIds: string[]; text?: string | undefined; filter?: string | undefined },
    options: CallOptions = {},
  ): Promise<string[]> {
    const { datasetId, experimentIds, text, filter } = params
    checkIds(datasetId, experimentIds)
    const body = { session_ids: experimentIds, text, filter }
    const request = { params: { dataset_id: datasetId }, body, ...options }
    return (await this.transport.call(routes.experimentCells.search, request)).example_ids
  }

  /** The web page that shows experiments beside each other. */
  async getComparisonUrl(params: {
    datasetId: string
    experimentIds: string[]
    comparativeExperimentId?: string | undefined
  }): Promise<string> {
    const { datasetId, experimentIds, comparativeExperimentId } = params
    checkIds(datasetId, experimentIds)
    return await comparisonLink(this.transport, datasetId, experimentIds, comparativeExperimentId)
  }
}

function sortBy(key: string, order: 'asc' | 'desc') {
  return { sort_by: `feedback.${key}`, sort_order: order === 'asc' ? ('ASC' as const) : ('DESC' as const) }
}

function checkIds(datasetId: string, experimentIds: readonly string[]): void {
  assertUuid(datasetId, 'datasetId')
  for (const [index, id] of experimentIds.entries()) assertUuid(id, `experimentIds[${index}]`)
}

/** How the columns of a comparison of experiments are shown; all calls of this file are extensions of ours. */
export class ExperimentViewCalls extends Calls {
  /** At most one per dataset. */
  async listExperimentViewOverrides(datasetId: string, options: CallOptions = {}): Promise<ExperimentViewOverride[]> {
    const params = toParams(datasetId)
    return await this.transport.call(routes.experiments.listOverrides, { params, ...options })
  }

  /** @throws ConflictError when the dataset has one */
  async createExperimentViewOverride(
    datasetId: string,
    columns: ColumnOverride[],
    options: CallOptions = {},
  ): Promise<ExperimentViewOverride> {
    const request = { params: toParams(datasetId), body: { column_overrides: columns } }
    const doing = 'create experiment view override'
    return await this.transport.call(routes.experiments.createOverride, { ...request, doing, ...options })
  }

  /** Replaces all columns. */
  async updateExperimentViewOverride(
    datasetId: string,
    overrideId: string,
    columns: ColumnOverride[],
    options: CallOptions = {},
  ): Promise<ExperimentViewOverride> {
    const request = { params: toOverrideParams(datasetId, overrideId), body: { column_overrides: columns } }
    const doing = 'update experiment view override'
    return await this.transport.call(routes.experiments.updateOverride, { ...request, doing, ...options })
  }

  async deleteExperimentViewOverride(datasetId: string, overrideId: string, options: CallOptions = {}): Promise<void> {
    const params = toOverrideParams(datasetId, overrideId)
    await this.transport.call(routes.experiments.deleteOverride, { params, ...options })
  }
}

function toParams(datasetId: string): { dataset_id: string } {
  assertUuid(datasetId, 'datasetId')
  return { dataset_id: datasetId }
}

function toOverrideParams(datasetId: string, overrideId: string) {
  const params = toParams(datasetId)
  assertUuid(overrideId, 'overrideId')
  return { ...params, override_id: overrideId }
}
