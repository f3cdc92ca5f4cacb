import { accountRoutes } from './accounts.ts'
import { agentRoutes } from './agents.ts'
import { annotationQueueItemRoutes, annotationQueueRoutes } from './annotation-queues.ts'
import { apiKeyRoutes } from './api-keys.ts'
import { backupRoutes } from './backups.ts'
import { blobRoutes } from './blobs.ts'
import { bulkJobRoutes } from './bulk-jobs.ts'
import { comparativeExperimentRoutes } from './comparative-experiments.ts'
import { dashboardRoutes } from './dashboards.ts'
import { datasetFileRoutes } from './dataset-files.ts'
import { datasetSearchRoutes } from './dataset-search.ts'
import { datasetSharingRoutes } from './dataset-sharing.ts'
import { datasetVersionRoutes } from './dataset-versions.ts'
import { datasetRoutes } from './datasets.ts'
import { deletionRoutes } from './deletions.ts'
import { evaluatorJobRoutes } from './evaluator-jobs.ts'
import { evaluatorRoutes } from './evaluators.ts'
import { exampleRoutes } from './examples.ts'
import { experimentCellsRoutes } from './experiment-cells.ts'
import { experimentStatisticsRoutes } from './experiment-statistics.ts'
import { experimentRoutes } from './experiments.ts'
import { feedbackRoutes } from './feedback.ts'
import { feedbackConfigRoutes } from './feedback-configs.ts'
import { feedbackTokenRoutes } from './feedback-tokens.ts'
import { hubDirectoryRoutes } from './hub-directories.ts'
import { infoRoutes, monitoringRoutes } from './info.ts'
import { ingestReceiptRoutes } from './ingest-receipts.ts'
import { memberRoutes } from './members.ts'
import { modelPriceRoutes } from './model-prices.ts'
import { modelProviderRoutes } from './model-providers.ts'
import { openTelemetryRoutes } from './opentelemetry.ts'
import { playgroundRoutes } from './playground.ts'
import { playgroundDraftRoutes } from './playground-drafts.ts'
import { playgroundJobRoutes } from './playground-jobs.ts'
import { projectRoutes } from './projects.ts'
import { promptCommitRoutes } from './prompt-commits.ts'
import { promptEnvironmentRoutes } from './prompt-environments.ts'
import { promptWebhookRoutes } from './prompt-webhooks.ts'
import { promptRoutes } from './prompts.ts'
import { queryToolRoutes } from './query-tools.ts'
import { retentionRoutes } from './retention.ts'
import type { Route } from './route.ts'
import { runDeletionRoutes } from './run-deletions.ts'
import { runErrorRoutes } from './run-errors.ts'
import { runSeriesRoutes } from './run-series.ts'
import { runStatsRoutes } from './run-stats.ts'
import { runValueRoutes } from './run-values.ts'
import { runRoutes } from './runs.ts'
import { savedEvaluatorRoutes } from './saved-evaluators.ts'
import { savedViewRoutes } from './saved-views.ts'
import { serverAdminRoutes } from './server-admins.ts'
import { sharingRoutes } from './sharing.ts'
import { spendingRoutes } from './spending.ts'
import { sqlRoutes } from './sql.ts'
import { traceRoutes } from './traces.ts'
import { usageRoutes } from './usage.ts'
import { datasetV2Routes, projectV2Routes } from './v2-lists.ts'
import { runV2Routes } from './v2-runs.ts'
import { threadV2Routes } from './v2-threads.ts'
import { workspaceRoutes } from './workspaces.ts'

/**
 * Every call that the server answers, by noun and verb. The server mounts it, OpenAPI lists it, and tests enumerate it.
 */
export const contract = {
  info: infoRoutes,
  monitoring: monitoringRoutes,
  runs: runRoutes,
  runStats: runStatsRoutes,
  runSeries: runSeriesRoutes,
  runErrors: runErrorRoutes,
  runDeletions: runDeletionRoutes,
  bulkJobs: bulkJobRoutes,
  queryTools: queryToolRoutes,
  traces: traceRoutes,
  openTelemetry: openTelemetryRoutes,
  sharing: sharingRoutes,
  runsV2: runV2Routes,
  threadsV2: threadV2Routes,
  projectsV2: projectV2Routes,
  datasetsV2: datasetV2Routes,
  sql: sqlRoutes,
  feedback: feedbackRoutes,
  feedbackTokens: feedbackTokenRoutes,
  feedbackConfigs: feedbackConfigRoutes,
  blobs: blobRoutes,
  projects: projectRoutes,
  agents: agentRoutes,
  evaluators: evaluatorRoutes,
  savedEvaluators: savedEvaluatorRoutes,
  evaluatorJobs: evaluatorJobRoutes,
  experiments: experimentRoutes,
  comparativeExperiments: comparativeExperimentRoutes,
  experimentStatistics: experimentStatisticsRoutes,
  experimentCells: experimentCellsRoutes,
  datasets: datasetRoutes,
  datasetVersions: datasetVersionRoutes,
  examples: exampleRoutes,
  datasetFiles: datasetFileRoutes,
  datasetSearch: datasetSearchRoutes,
  datasetSharing: datasetSharingRoutes,
  annotationQueues: annotationQueueRoutes,
  annotationQueueItems: annotationQueueItemRoutes,
  prompts: promptRoutes,
  promptCommits: promptCommitRoutes,
  promptEnvironments: promptEnvironmentRoutes,
  promptWebhooks: promptWebhookRoutes,
  hubDirectories: hubDirectoryRoutes,
  workspaces: workspaceRoutes,
  apiKeys: apiKeyRoutes,
  backups: backupRoutes,
  accounts: accountRoutes,
  members: memberRoutes,
  serverAdmins: serverAdminRoutes,
  modelPrices: modelPriceRoutes,
  modelProviders: modelProviderRoutes,
  spending: spendingRoutes,
  playground: playgroundRoutes,
  playgroundJobs: playgroundJobRoutes,
  playgroundDrafts: playgroundDraftRoutes,
  retention: retentionRoutes,
  deletions: deletionRoutes,
  usage: usageRoutes,
  ingestReceipts: ingestReceiptRoutes,
  savedViews: savedViewRoutes,
  dashboards: dashboardRoutes,
  runValues: runValueRoutes,
} as const

/** All routes in the order of the contract. */
export function allRoutes(): Route[] {
  return Object.values(contract).flatMap((noun) => Object.values(noun) as Route[])
}
