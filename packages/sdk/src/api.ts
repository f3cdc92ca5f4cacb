import type { ClientConfig } from './config/client-config.ts'
import { resolveConnection } from './config/connection.ts'
import { Calls, type CallsOf, copyCalls, type Noun } from './resources/calls.ts'
import { Transport } from './transport/transport.ts'

/**
 * A client with the calls of some nouns only. A program that only queries, such as a page in a browser, then bundles
 * neither the queue of tracing nor calls that it does not use.
 *
 * `const client = clientOf({ apiUrl }, ProjectCalls, RunCalls)`
 *
 * @param config  as of `Client`; options of tracing have no effect
 */
export function clientOf<const Nouns extends readonly Noun[]>(config: ClientConfig, ...nouns: Nouns): CallsOf<Nouns> {
  class PartialClient extends Calls {}
  copyCalls(PartialClient, nouns)
  return new PartialClient(new Transport(() => resolveConnection(config))) as CallsOf<Nouns>
}

export type { ClientConfig } from './config/client-config.ts'
export { uuid7 } from './ids/uuid.ts'
export { PublicClient, type PublicClientConfig } from './public-client.ts'
export { PublicDatasetClient } from './public-dataset-client.ts'
export { AccountCalls, ApiKeyCalls, MemberCalls } from './resources/accounts.ts'
export { AgentCalls } from './resources/agents.ts'
export { AlertCalls } from './resources/alerts.ts'
export { AnnotationQueueItemCalls } from './resources/annotation-queue-items.ts'
export { AnnotationQueueCalls } from './resources/annotation-queues.ts'
export { AnnotationReviewCalls } from './resources/annotation-reviews.ts'
export { BudgetCalls } from './resources/budgets.ts'
export { BulkJobCalls } from './resources/bulk-jobs.ts'
export type { CallsOf } from './resources/calls.ts'
export { ComparativeExperimentCalls } from './resources/comparative-experiments.ts'
export { DashboardCalls } from './resources/dashboards.ts'
export { DatasetFileCalls } from './resources/dataset-files.ts'
export { DatasetShareCalls } from './resources/dataset-shares.ts'
export { DatasetVersionCalls } from './resources/dataset-versions.ts'
export { DatasetCalls, DatasetSearchCalls } from './resources/datasets.ts'
export { EvaluatorJobCalls } from './resources/evaluator-jobs.ts'
export { EvaluatorCalls } from './resources/evaluators.ts'
export { ExampleCalls } from './resources/examples.ts'
export { ExperimentCalls, ExperimentViewCalls } from './resources/experiments.ts'
export { FeedbackCalls } from './resources/feedback.ts'
export { FeedbackConfigCalls } from './resources/feedback-configs.ts'
export { FeedbackTokenCalls } from './resources/feedback-tokens.ts'
export { HubDirectoryCalls } from './resources/hub-directories.ts'
export { IngestReceiptCalls, type ReceiptSearch } from './resources/ingest-receipts.ts'
export { ModelPriceCalls } from './resources/model-prices.ts'
export { ModelProviderCalls } from './resources/model-providers.ts'
export { NotificationCalls } from './resources/notifications.ts'
export { PlaygroundCalls } from './resources/playground.ts'
export { ProjectCalls } from './resources/projects.ts'
export { PromptCommitCalls } from './resources/prompt-commits.ts'
export { PromptWebhookCalls } from './resources/prompt-webhooks.ts'
export { PromptCalls, PromptEnvironmentCalls } from './resources/prompts.ts'
export { RetentionCalls } from './resources/retention.ts'
export { RuleCalls } from './resources/rules.ts'
export { RunStatsCalls } from './resources/run-stats.ts'
export { RunCalls } from './resources/runs.ts'
export { SavedEvaluatorCalls } from './resources/saved-evaluators.ts'
export { SavedViewCalls } from './resources/saved-views.ts'
export { BackupCalls, ServerAdminCalls, ServerCalls } from './resources/server.ts'
export { ShareCalls } from './resources/shares.ts'
export { SpendingCalls } from './resources/spending.ts'
export { ThreadCalls } from './resources/threads.ts'
export { TraceCalls } from './resources/traces.ts'
export { UsageCalls } from './resources/usage.ts'
export { WorkspaceCalls } from './resources/workspaces.ts'
export type { RawRequest } from './transport/request.ts'
