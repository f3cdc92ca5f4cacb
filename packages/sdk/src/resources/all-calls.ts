import { AccountCalls } from './accounts.ts'
import { AgentCalls } from './agents.ts'
import { AnnotationQueueCalls } from './annotation-queues.ts'
import { AnnotationReviewCalls } from './annotation-reviews.ts'
import { ApiKeyCalls } from './api-keys.ts'
import { BackupCalls } from './backups.ts'
import { BulkJobCalls } from './bulk-jobs.ts'
import { ComparativeExperimentCalls } from './comparative-experiments.ts'
import { DashboardCalls } from './dashboards.ts'
import { DatasetFileCalls } from './dataset-files.ts'
import { DatasetSearchCalls } from './dataset-search.ts'
import { DatasetShareCalls } from './dataset-shares.ts'
import { DatasetVersionCalls } from './dataset-versions.ts'
import { DatasetCalls } from './datasets.ts'
import { EvaluatorCalls } from './evaluators.ts'
import { ExampleCalls } from './examples.ts'
import { ExperimentViewCalls } from './experiment-views.ts'
import { ExperimentCalls } from './experiments.ts'
import { FeedbackCalls } from './feedback.ts'
import { FeedbackConfigCalls } from './feedback-configs.ts'
import { FeedbackTokenCalls } from './feedback-tokens.ts'
import type { Noun } from './gather-calls.ts'
import { HubDirectoryCalls } from './hub-directories.ts'
import { MemberCalls } from './members.ts'
import { ModelPriceCalls } from './model-prices.ts'
import { ProjectCalls } from './projects.ts'
import { PromptCommitCalls } from './prompt-commits.ts'
import { PromptEnvironmentCalls } from './prompt-environments.ts'
import { PromptWebhookCalls } from './prompt-webhooks.ts'
import { PromptCalls } from './prompts.ts'
import { RetentionCalls } from './retention.ts'
import { RunStatsCalls } from './run-stats.ts'
import { RunCalls } from './runs.ts'
import { SavedViewCalls } from './saved-views.ts'
import { ServerCalls } from './server.ts'
import { ServerAdminCalls } from './server-admins.ts'
import { ShareCalls } from './shares.ts'
import { SqlCalls } from './sql.ts'
import { ThreadCalls } from './threads.ts'
import { UsageCalls } from './usage.ts'
import { WorkspaceCalls } from './workspaces.ts'

/** The calls of every noun, under flat names. */
export interface AllCalls
  extends RunCalls,
    RunStatsCalls,
    ThreadCalls,
    SqlCalls,
    UsageCalls,
    ProjectCalls,
    AgentCalls,
    ServerCalls,
    WorkspaceCalls,
    ShareCalls,
    ApiKeyCalls,
    BackupCalls,
    AccountCalls,
    MemberCalls,
    ServerAdminCalls,
    ModelPriceCalls,
    RetentionCalls,
    SavedViewCalls,
    DashboardCalls,
    FeedbackCalls,
    FeedbackTokenCalls,
    FeedbackConfigCalls,
    EvaluatorCalls,
    DatasetCalls,
    DatasetVersionCalls,
    DatasetFileCalls,
    DatasetSearchCalls,
    DatasetShareCalls,
    ExampleCalls,
    ExperimentCalls,
    ExperimentViewCalls,
    ComparativeExperimentCalls,
    AnnotationQueueCalls,
    AnnotationReviewCalls,
    BulkJobCalls,
    PromptCalls,
    PromptCommitCalls,
    PromptEnvironmentCalls,
    PromptWebhookCalls,
    HubDirectoryCalls {}

/** Every noun of `AllCalls`. */
export const NOUNS: readonly Noun[] = [
  RunCalls,
  RunStatsCalls,
  ThreadCalls,
  SqlCalls,
  UsageCalls,
  ProjectCalls,
  AgentCalls,
  ServerCalls,
  WorkspaceCalls,
  ShareCalls,
  ApiKeyCalls,
  BackupCalls,
  AccountCalls,
  MemberCalls,
  ServerAdminCalls,
  ModelPriceCalls,
  RetentionCalls,
  SavedViewCalls,
  DashboardCalls,
  FeedbackCalls,
  FeedbackTokenCalls,
  FeedbackConfigCalls,
  EvaluatorCalls,
  DatasetCalls,
  DatasetVersionCalls,
  DatasetFileCalls,
  DatasetSearchCalls,
  DatasetShareCalls,
  ExampleCalls,
  ExperimentCalls,
  ExperimentViewCalls,
  ComparativeExperimentCalls,
  AnnotationQueueCalls,
  AnnotationReviewCalls,
  BulkJobCalls,
  PromptCalls,
  PromptCommitCalls,
  PromptEnvironmentCalls,
  PromptWebhookCalls,
  HubDirectoryCalls,
]
