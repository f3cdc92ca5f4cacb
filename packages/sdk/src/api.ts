import type { ClientConfig } from './config/client-config.ts'
import { resolveConnection } from './config/connection.ts'
import { Calls } from './resources/calls.ts'
import { gatherCalls, type Noun } from './resources/gather-calls.ts'
import { Transport } from './transport/transport.ts'

type Both<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void ? All : never
/** The calls of several nouns on one object. */
export type CallsOf<Nouns extends readonly Noun[]> = Both<InstanceType<Nouns[number]>>

/**
 * A client of chosen nouns and nothing else: for programs that only ask, such as a page in a browser, and should carry
 * neither the queue and senders of tracing nor calls that they never make.
 *
 * `const client = clientOf({ apiUrl }, ProjectCalls, RunCalls)`
 *
 * @param config  as of `Client`; options of tracing mean nothing here
 */
export function clientOf<const Nouns extends readonly Noun[]>(config: ClientConfig, ...nouns: Nouns): CallsOf<Nouns> {
  class Chosen extends Calls {}
  gatherCalls(Chosen, nouns)
  return new Chosen(new Transport(() => resolveConnection(config))) as CallsOf<Nouns>
}

export type { ClientConfig } from './config/client-config.ts'
export { PublicClient, type PublicClientConfig } from './public-client.ts'
export { AccountCalls } from './resources/accounts.ts'
export { AgentCalls } from './resources/agents.ts'
export { AnnotationQueueCalls } from './resources/annotation-queues.ts'
export { AnnotationReviewCalls } from './resources/annotation-reviews.ts'
export { ApiKeyCalls } from './resources/api-keys.ts'
export { BackupCalls } from './resources/backups.ts'
export { BulkJobCalls } from './resources/bulk-jobs.ts'
export { ComparativeExperimentCalls } from './resources/comparative-experiments.ts'
export { DashboardCalls } from './resources/dashboards.ts'
export { DatasetFileCalls } from './resources/dataset-files.ts'
export { DatasetSearchCalls } from './resources/dataset-search.ts'
export { DatasetShareCalls } from './resources/dataset-shares.ts'
export { DatasetVersionCalls } from './resources/dataset-versions.ts'
export { DatasetCalls } from './resources/datasets.ts'
export { EvaluatorCalls } from './resources/evaluators.ts'
export { ExampleCalls } from './resources/examples.ts'
export { ExperimentViewCalls } from './resources/experiment-views.ts'
export { ExperimentCalls } from './resources/experiments.ts'
export { FeedbackCalls } from './resources/feedback.ts'
export { FeedbackConfigCalls } from './resources/feedback-configs.ts'
export { FeedbackTokenCalls } from './resources/feedback-tokens.ts'
export { HubDirectoryCalls } from './resources/hub-directories.ts'
export { MemberCalls } from './resources/members.ts'
export { ModelPriceCalls } from './resources/model-prices.ts'
export { ProjectCalls } from './resources/projects.ts'
export { PromptCommitCalls } from './resources/prompt-commits.ts'
export { PromptEnvironmentCalls } from './resources/prompt-environments.ts'
export { PromptWebhookCalls } from './resources/prompt-webhooks.ts'
export { PromptCalls } from './resources/prompts.ts'
export { RetentionCalls } from './resources/retention.ts'
export { RunStatsCalls } from './resources/run-stats.ts'
export { RunCalls } from './resources/runs.ts'
export { SavedViewCalls } from './resources/saved-views.ts'
export { ServerCalls } from './resources/server.ts'
export { ServerAdminCalls } from './resources/server-admins.ts'
export { ShareCalls } from './resources/shares.ts'
export { ThreadCalls } from './resources/threads.ts'
export { UsageCalls } from './resources/usage.ts'
export { WorkspaceCalls } from './resources/workspaces.ts'
export type { RawRequest } from './transport/request.ts'
