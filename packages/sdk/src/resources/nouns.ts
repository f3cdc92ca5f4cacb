import { AccountCalls, ApiKeyCalls, MemberCalls } from './accounts.ts'
import { AgentCalls } from './agents.ts'
import { AlertCalls } from './alerts.ts'
import { AnnotationQueueItemCalls } from './annotation-queue-items.ts'
import { AnnotationQueueCalls } from './annotation-queues.ts'
import { AnnotationReviewCalls } from './annotation-reviews.ts'
import { BudgetCalls } from './budgets.ts'
import { BulkJobCalls } from './bulk-jobs.ts'
import type { CallsOf, Noun } from './calls.ts'
import { ComparativeExperimentCalls } from './comparative-experiments.ts'
import { DashboardCalls } from './dashboards.ts'
import { DatasetFileCalls } from './dataset-files.ts'
import { DatasetShareCalls } from './dataset-shares.ts'
import { DatasetVersionCalls } from './dataset-versions.ts'
import { DatasetCalls, DatasetSearchCalls } from './datasets.ts'
import { EvaluatorJobCalls } from './evaluator-jobs.ts'
import { EvaluatorCalls } from './evaluators.ts'
import { ExampleCalls } from './examples.ts'
import { ExperimentCalls, ExperimentViewCalls } from './experiments.ts'
import { FeedbackCalls } from './feedback.ts'
import { FeedbackConfigCalls } from './feedback-configs.ts'
import { FeedbackTokenCalls } from './feedback-tokens.ts'
import { HubDirectoryCalls } from './hub-directories.ts'
import { IngestReceiptCalls } from './ingest-receipts.ts'
import { ModelPriceCalls } from './model-prices.ts'
import { ModelProviderCalls } from './model-providers.ts'
import { NotificationCalls } from './notifications.ts'
import { PlaygroundCalls } from './playground.ts'
import { ProjectCalls } from './projects.ts'
import { PromptCommitCalls } from './prompt-commits.ts'
import { PromptWebhookCalls } from './prompt-webhooks.ts'
import { PromptCalls, PromptEnvironmentCalls } from './prompts.ts'
import { RetentionCalls } from './retention.ts'
import { RuleCalls } from './rules.ts'
import { RunStatsCalls } from './run-stats.ts'
import { RunCalls } from './runs.ts'
import { SavedEvaluatorCalls } from './saved-evaluators.ts'
import { SavedViewCalls } from './saved-views.ts'
import { BackupCalls, ServerAdminCalls, ServerCalls } from './server.ts'
import { ShareCalls } from './shares.ts'
import { SpendingCalls } from './spending.ts'
import { SqlCalls } from './sql.ts'
import { ThreadCalls } from './threads.ts'
import { TraceCalls } from './traces.ts'
import { UsageCalls } from './usage.ts'
import { WorkspaceCalls } from './workspaces.ts'

/**
 * The nouns of the API. `Client` has the calls of all of them under flat names; docs/reference/sdk.md has a section per
 * noun. `Client` has no member per noun: the public client has `runs`, `datasets` and others with different methods.
 */
export const NOUNS = {
  runs: RunCalls,
  runStats: RunStatsCalls,
  traces: TraceCalls,
  threads: ThreadCalls,
  sql: SqlCalls,
  usage: UsageCalls,
  ingestReceipts: IngestReceiptCalls,
  projects: ProjectCalls,
  agents: AgentCalls,
  server: ServerCalls,
  workspaces: WorkspaceCalls,
  shares: ShareCalls,
  apiKeys: ApiKeyCalls,
  backups: BackupCalls,
  accounts: AccountCalls,
  members: MemberCalls,
  serverAdmins: ServerAdminCalls,
  modelPrices: ModelPriceCalls,
  modelProviders: ModelProviderCalls,
  spending: SpendingCalls,
  playground: PlaygroundCalls,
  retention: RetentionCalls,
  savedViews: SavedViewCalls,
  dashboards: DashboardCalls,
  feedback: FeedbackCalls,
  feedbackTokens: FeedbackTokenCalls,
  feedbackConfigs: FeedbackConfigCalls,
  evaluators: EvaluatorCalls,
  savedEvaluators: SavedEvaluatorCalls,
  evaluatorJobs: EvaluatorJobCalls,
  rules: RuleCalls,
  datasets: DatasetCalls,
  datasetVersions: DatasetVersionCalls,
  datasetFiles: DatasetFileCalls,
  datasetSearch: DatasetSearchCalls,
  datasetShares: DatasetShareCalls,
  examples: ExampleCalls,
  experiments: ExperimentCalls,
  experimentViews: ExperimentViewCalls,
  comparativeExperiments: ComparativeExperimentCalls,
  annotationQueues: AnnotationQueueCalls,
  annotationQueueItems: AnnotationQueueItemCalls,
  annotationReviews: AnnotationReviewCalls,
  bulkJobs: BulkJobCalls,
  prompts: PromptCalls,
  promptCommits: PromptCommitCalls,
  promptEnvironments: PromptEnvironmentCalls,
  promptWebhooks: PromptWebhookCalls,
  hubDirectories: HubDirectoryCalls,
  notifications: NotificationCalls,
  alerts: AlertCalls,
  budgets: BudgetCalls,
} as const satisfies Readonly<Record<string, Noun>>

type Nouns = typeof NOUNS

/** The calls of every noun under flat names. */
export type AllCalls = CallsOf<readonly Nouns[keyof Nouns][]>
