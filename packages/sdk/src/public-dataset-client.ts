import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from './config/client-config.ts'
import { resolveConnection } from './config/connection.ts'
import type { PublicClientConfig } from './public-client.ts'
import type { ListComparativeExperimentsParams } from './resources/comparative-experiments.ts'
import type { CompareExperimentsParams, ExperimentCellsParams } from './resources/experiments.ts'
import { readable } from './resources/list-examples.ts'
import type {
  ComparativeExperiment,
  Example,
  ExampleConditions,
  ExampleQuery,
  ExampleWithRuns,
  ExperimentCells,
  ExperimentRunsQuery,
  ExperimentStatistics,
  Feedback,
  FeedbackQuery,
  ProjectQuery,
  PublicDataset,
  TracerSessionResult,
} from './schemas.ts'
import { offsetPages } from './transport/pages.ts'
import { Transport } from './transport/transport.ts'

/**
 * Reads a shared dataset, and its experiments if they are shared, through a share link. Requests carry neither an API key
 * nor a workspace, even if the environment has them.
 */
export class PublicDatasetClient {
  readonly #transport: Transport
  readonly #params: { share_token: string }

  /** @param token of the share link: the part of its address after `/public/` */
  constructor(token: string, config: PublicClientConfig = {}) {
    this.#params = { share_token: token }
    this.#transport = new Transport(() => ({
      ...resolveConnection(config),
      apiKey: undefined,
      workspaceId: undefined,
    }))
  }

  async readDataset(options: CallOptions = {}): Promise<PublicDataset> {
    return await this.#transport.call(routes.datasetSharing.publicDataset, {
      params: this.#params,
      doing: 'read a shared dataset',
      ...options,
    })
  }

  /** One page of the examples. */
  async queryExamples(query: Omit<ExampleQuery, 'dataset'> = {}, options: CallOptions = {}): Promise<Example[]> {
    const found = await this.#transport.call(routes.datasetSharing.publicExamples, {
      params: this.#params,
      query: { ...query, metadata: query.metadata && JSON.stringify(query.metadata) },
      doing: 'query shared examples',
      ...options,
    })
    return found.map(readable)
  }

  /** How many examples a list would have. */
  async countExamples(query: Omit<ExampleConditions, 'dataset'> = {}, options: CallOptions = {}): Promise<number> {
    return await this.#transport.call(routes.datasetSharing.publicExampleCount, {
      params: this.#params,
      query: { ...query, metadata: query.metadata && JSON.stringify(query.metadata) },
      doing: 'count shared examples',
      ...options,
    })
  }

  /** One page of the experiments, newest first; none unless they are shared. */
  async queryExperiments(query: ProjectQuery = {}, options: CallOptions = {}): Promise<TracerSessionResult[]> {
    const found = await this.#transport.call(routes.datasetSharing.publicSessions, {
      params: this.#params,
      query: { ...query, metadata: query.metadata && JSON.stringify(query.metadata) },
      doing: 'query shared experiments',
      ...options,
    })
    // Public experiments lack the fields that reveal the workspace.
    return found.map((experiment) => experiment as TracerSessionResult)
  }

  /** Examples with their runs in shared experiments. @throws NotFoundError for an experiment that is not shared */
  async queryExamplesWithRuns(query: ExperimentRunsQuery, options: CallOptions = {}): Promise<ExampleWithRuns[]> {
    const found = await this.#transport.call(routes.datasetSharing.publicExampleRuns, {
      params: this.#params,
      body: query,
      doing: 'query runs of shared experiments',
      ...options,
    })
    return found.map((example) => readable(example) as ExampleWithRuns)
  }

  /** Runs and scores of shared experiments in columns. @throws NotFoundError for an experiment that is not shared */
  async readExperimentCells(
    { experimentIds, comparativeExperimentId }: Omit<ExperimentCellsParams, 'datasetId'>,
    options: CallOptions = {},
  ): Promise<ExperimentCells> {
    return await this.#transport.call(routes.datasetSharing.publicCells, {
      params: this.#params,
      body: { session_ids: experimentIds, comparative_experiment_id: comparativeExperimentId },
      doing: 'read cells of shared experiments',
      ...options,
    })
  }

  /**
   * Whether shared experiments score better than a baseline on the same examples.
   *
   * @param params  `experimentIds`: 1–5
   * @throws NotFoundError for an experiment that is not shared
   */
  async compareExperiments(
    params: Omit<CompareExperimentsParams, 'datasetId' | 'resamples'>,
    options: CallOptions = {},
  ): Promise<ExperimentStatistics> {
    return await this.#transport.call(routes.datasetSharing.publicStatistics, {
      params: this.#params,
      body: {
        baseline_session_id: params.baselineId,
        comparison_session_ids: params.experimentIds,
        feedback_keys: params.feedbackKeys,
        example_ids: params.exampleIds,
        comparative_experiment_id: params.comparativeExperimentId,
        confidence: params.confidence,
        power: params.power,
        seed: params.seed,
      },
      doing: 'compare shared experiments',
      ...options,
    })
  }

  /** Pairwise comparisons of shared experiments, newest first; none unless experiments are shared. */
  async *listComparativeExperiments(
    { ids, name, nameContains, limit }: Omit<ListComparativeExperimentsParams, 'datasetId'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<ComparativeExperiment> {
    const query = { id: ids, name, name_contains: nameContains }
    const request = { params: this.#params, query, doing: 'list shared comparisons', ...options }
    const found = offsetPages(this.#transport, routes.datasetSharing.publicComparative, request, { limit })
    // Public comparisons lack the fields that reveal the workspace.
    for await (const comparison of found) yield comparison as ComparativeExperiment
  }

  /** One page of the feedback on shared experiments and their runs, newest first. */
  async queryFeedback(query: FeedbackQuery = {}, options: CallOptions = {}): Promise<Feedback[]> {
    return await this.#transport.call(routes.datasetSharing.publicFeedback, {
      params: this.#params,
      query: { ...query },
      doing: 'query feedback on shared experiments',
      ...options,
    })
  }

  /** Ids of the examples that contain a text, or whose runs in shared experiments do, and that satisfy a filter of examples. */
  async searchExperiments(
    {
      experimentIds,
      text,
      filter,
    }: { experimentIds: string[]; text?: string | undefined; filter?: string | undefined },
    options: CallOptions = {},
  ): Promise<string[]> {
    const found = await this.#transport.call(routes.datasetSharing.publicSearch, {
      params: this.#params,
      body: { session_ids: experimentIds, text, filter },
      doing: 'search shared experiments',
      ...options,
    })
    return found.example_ids
  }
}
