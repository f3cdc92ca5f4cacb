import type { ClientConfig } from './config/client-config.ts'
import { env } from './config/env.ts'
import { copyCalls } from './resources/calls.ts'
import { type AllCalls, NOUNS } from './resources/nouns.ts'
import { IngestClient } from './tracing/ingest-client.ts'
import { setSharedClientFactory } from './tracing/shared-client.ts'

/**
 * All calls of a Touchstone server under flat names. The calls of each noun are in `resources/`.
 *
 * Missing options are read from the environment at the first call. Every call takes optional `CallOptions` (`signal`,
 * `timeoutMs`, `maxRetries`) as its last argument.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: `copyCalls` below defines the members of the interface
export class Client extends IngestClient {
  /** The address and key of a client without options. */
  static getDefaultClientConfig(): Pick<ClientConfig, 'apiUrl' | 'apiKey' | 'webUrl'> {
    return { apiUrl: env('ENDPOINT'), apiKey: env('API_KEY'), webUrl: env('WEB_URL') }
  }
}

export interface Client extends AllCalls {}

copyCalls(Client, Object.values(NOUNS))
setSharedClientFactory(() => new Client())

export type { CallerOptions, CallOptions, ClientConfig } from './config/client-config.ts'
export type { CreateCommitParams } from './prompts/commit-manifest.ts'
export type { CacheConfig, CacheMetrics } from './prompts/prompt-cache.ts'
export type { CreatePromptParams, UpdatePromptParams } from './prompts/prompt-metadata.ts'
export type { AcceptInviteParams, CreateApiKeyParams, CreateInviteParams, SetUpParams } from './resources/accounts.ts'
export type { CreateAgentParams, ListAgentsParams, UpdateAgentParams } from './resources/agents.ts'
export type {
  CreateAnnotationQueueParams,
  ListAnnotationQueuesParams,
  UpdateAnnotationQueueParams,
} from './resources/annotation-queues.ts'
export type {
  ExportAnnotationQueueParams,
  PopulateAnnotationQueueParams,
  QueueCorrection,
  ReviewRunParams,
} from './resources/annotation-reviews.ts'
export type {
  CreateComparativeExperimentParams,
  ListComparativeExperimentsParams,
} from './resources/comparative-experiments.ts'
export type {
  CopyExamplesParams,
  ExportDatasetParams,
  ExportFormat,
  UploadCsvParams,
} from './resources/dataset-files.ts'
export type { DatasetKey } from './resources/dataset-key.ts'
export type { ClonePublicDatasetOptions, ShareDatasetOptions } from './resources/dataset-shares.ts'
export type { ListDatasetVersionsParams, UpdateDatasetSplitsParams, VersionLike } from './resources/dataset-versions.ts'
export type {
  CreateDatasetOptions,
  DatasetExpectation,
  ListDatasetsParams,
  UpdateDatasetParams,
} from './resources/datasets.ts'
export type { ListEvaluatorJobsParams, WaitForEvaluatorJobOptions } from './resources/evaluator-jobs.ts'
export type { CreateEvaluatorParams, ListEvaluatorsParams, UpdateEvaluatorParams } from './resources/evaluators.ts'
export type {
  CompareExperimentsParams,
  ExperimentDeltasParams,
  ListExamplesWithRunsParams,
} from './resources/experiments.ts'
export type {
  CreateFeedbackOptions,
  CreateFeedbackParams,
  EvaluationResult,
  EvaluationResults,
  ListFeedbackParams,
  LogEvaluationFeedbackParams,
  UpdateFeedbackParams,
} from './resources/feedback.ts'
export type {
  CreateFeedbackConfigParams,
  FeedbackConfigChoice,
  ListFeedbackConfigsParams,
  UpdateFeedbackConfigParams,
} from './resources/feedback-configs.ts'
export type { CreatePresignedFeedbackTokenOptions } from './resources/feedback-tokens.ts'
export type { ListDirectoriesParams, PushDirectoryParams } from './resources/hub-directories.ts'
export type { CreateExampleOptions, LegacyExamples } from './resources/legacy-examples.ts'
export type { ListExamplesParams } from './resources/list-examples.ts'
export type { ListPlaygroundParams, WaitForPlaygroundJobOptions } from './resources/playground.ts'
export type { CreateProjectParams, ListProjectsParams, ProjectKey, UpdateProjectParams } from './resources/projects.ts'
export type { ListCommitsParams, PullPromptParams, TagCommitOptions } from './resources/prompt-commits.ts'
export type {
  ListPromptsParams,
  PromptConditions,
  PromptEnvironmentParams,
  PushPromptParams,
  QueryPromptsParams,
} from './resources/prompts.ts'
export type { ListRuleDecisionsParams, ListRulesParams } from './resources/rules.ts'
export type { GetRunStatsParams } from './resources/run-stats.ts'
export type { ListRunsParams } from './resources/runs.ts'
export type { ListSavedEvaluatorsParams } from './resources/saved-evaluators.ts'
export type { UploadOptions, UploadProgress } from './resources/send-examples.ts'
export type { QuerySqlParams } from './resources/sql.ts'
export type { ListGroupRunsParams, ListThreadsParams, ReadThreadParams, ThreadKey } from './resources/threads.ts'
export type { FeedbackSourceType } from './schemas.ts'
export { DEFAULT_MAX_SIZE_BYTES } from './tracing/batching/budgets.ts'
export {
  DEFAULT_BATCH_SIZE_LIMIT,
  DEFAULT_UNCOMPRESSED_BATCH_SIZE_LIMIT_BYTES,
} from './tracing/batching/limits.ts'
export { mergeRuntimeEnvIntoRun } from './tracing/runtime-info.ts'
export type {
  Destination,
  TracingClientInterface,
  TracingClientInterface as LangSmithTracingClientInterface,
  WaitOptions,
} from './tracing/tracing-client.ts'
