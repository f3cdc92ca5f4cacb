import { accountRoutes } from './accounts/accounts.ts'
import { apiKeyRoutes } from './accounts/api-keys.ts'
import { memberRoutes } from './accounts/members.ts'
import { serverAdminRoutes } from './accounts/server-admins.ts'
import { workspaceRoutes } from './accounts/workspaces.ts'
import { alertRoutes } from './alerts/alerts.ts'
import { platformAlertRoutes } from './alerts/platform.ts'
import { annotationQueueItemRoutes, annotationQueueRoutes } from './annotation-queues/index.ts'
import { budgetRoutes } from './budgets/budgets.ts'
import { dashboardRoutes } from './dashboards/dashboards.ts'
import { savedViewRoutes } from './dashboards/saved-views.ts'
import { datasetRoutes } from './datasets/datasets.ts'
import { exampleRoutes } from './datasets/examples.ts'
import { datasetFileRoutes } from './datasets/files.ts'
import { datasetSearchRoutes } from './datasets/search.ts'
import { datasetSharingRoutes } from './datasets/sharing.ts'
import { datasetVersionRoutes } from './datasets/versions.ts'
import { savedEvaluatorRoutes } from './evaluators/evaluators.ts'
import { evaluatorJobRoutes } from './evaluators/jobs.ts'
import { experimentCellsRoutes } from './experiments/cells.ts'
import { comparativeExperimentRoutes } from './experiments/comparative.ts'
import { experimentRoutes } from './experiments/experiments.ts'
import { experimentStatisticsRoutes } from './experiments/statistics.ts'
import { feedbackConfigRoutes } from './feedback/configs.ts'
import { feedbackRoutes } from './feedback/feedback.ts'
import { feedbackTokenRoutes } from './feedback/tokens.ts'
import { openTelemetryRoutes } from './ingest/opentelemetry.ts'
import { ingestReceiptRoutes } from './ingest/receipts.ts'
import { deletionRoutes } from './lifecycle/deletions.ts'
import { retentionRoutes } from './lifecycle/retention.ts'
import { modelPriceRoutes } from './models/prices.ts'
import { modelProviderRoutes } from './models/providers.ts'
import { spendingRoutes } from './models/spending.ts'
import { usageRoutes } from './models/usage.ts'
import { notificationRoutes } from './notifications/notifications.ts'
import { playgroundDraftRoutes } from './playground/drafts.ts'
import { playgroundJobRoutes } from './playground/jobs.ts'
import { playgroundRoutes } from './playground/playground.ts'
import { agentRoutes } from './projects/agents.ts'
import { projectRoutes } from './projects/projects.ts'
import { datasetV2Routes, projectV2Routes } from './projects/v2.ts'
import { promptCommitRoutes } from './prompts/commits.ts'
import { hubDirectoryRoutes } from './prompts/directories.ts'
import { promptEnvironmentRoutes } from './prompts/environments.ts'
import { promptRoutes } from './prompts/prompts.ts'
import { promptWebhookRoutes } from './prompts/webhooks.ts'
import { evaluatorRoutes } from './rules/online-evaluators.ts'
import { ruleRoutes } from './rules/rules.ts'
import { runRuleRoutes, runRuleV2Routes } from './rules/wire/routes.ts'
import { blobRoutes } from './runs/blobs.ts'
import { bulkJobRoutes } from './runs/bulk-jobs.ts'
import { runDeletionRoutes } from './runs/deletions.ts'
import { runErrorRoutes } from './runs/errors.ts'
import { queryToolRoutes } from './runs/query-tools.ts'
import { runRoutes } from './runs/runs.ts'
import { runSeriesRoutes } from './runs/series.ts'
import { runStatsRoutes } from './runs/stats.ts'
import { runV2Routes } from './runs/v2.ts'
import { runValueRoutes } from './runs/values.ts'
import { backupRoutes } from './server/backups.ts'
import { infoRoutes, monitoringRoutes } from './server/info.ts'
import { sharingRoutes } from './sharing/sharing.ts'
import { sqlRoutes } from './sql/sql.ts'
import { threadV2Routes } from './threads/v2.ts'
import { traceRoutes } from './traces/traces.ts'
import type { Route } from './wire/route.ts'

/** A type of its own, because the compiler does not print one that it would have to infer from so many routes. */
export interface Contract {
  readonly info: typeof infoRoutes
  readonly monitoring: typeof monitoringRoutes
  readonly alerts: typeof alertRoutes
  readonly platformAlerts: typeof platformAlertRoutes
  readonly budgets: typeof budgetRoutes
  readonly rules: typeof ruleRoutes
  readonly notifications: typeof notificationRoutes
  readonly runRules: typeof runRuleRoutes
  readonly runRulesV2: typeof runRuleV2Routes
  readonly runs: typeof runRoutes
  readonly runStats: typeof runStatsRoutes
  readonly runSeries: typeof runSeriesRoutes
  readonly runErrors: typeof runErrorRoutes
  readonly runDeletions: typeof runDeletionRoutes
  readonly bulkJobs: typeof bulkJobRoutes
  readonly queryTools: typeof queryToolRoutes
  readonly traces: typeof traceRoutes
  readonly openTelemetry: typeof openTelemetryRoutes
  readonly sharing: typeof sharingRoutes
  readonly runsV2: typeof runV2Routes
  readonly threadsV2: typeof threadV2Routes
  readonly projectsV2: typeof projectV2Routes
  readonly datasetsV2: typeof datasetV2Routes
  readonly sql: typeof sqlRoutes
  readonly feedback: typeof feedbackRoutes
  readonly feedbackTokens: typeof feedbackTokenRoutes
  readonly feedbackConfigs: typeof feedbackConfigRoutes
  readonly blobs: typeof blobRoutes
  readonly projects: typeof projectRoutes
  readonly agents: typeof agentRoutes
  readonly evaluators: typeof evaluatorRoutes
  readonly savedEvaluators: typeof savedEvaluatorRoutes
  readonly evaluatorJobs: typeof evaluatorJobRoutes
  readonly experiments: typeof experimentRoutes
  readonly comparativeExperiments: typeof comparativeExperimentRoutes
  readonly experimentStatistics: typeof experimentStatisticsRoutes
  readonly experimentCells: typeof experimentCellsRoutes
  readonly datasets: typeof datasetRoutes
  readonly datasetVersions: typeof datasetVersionRoutes
  readonly examples: typeof exampleRoutes
  readonly datasetFiles: typeof datasetFileRoutes
  readonly datasetSearch: typeof datasetSearchRoutes
  readonly datasetSharing: typeof datasetSharingRoutes
  readonly annotationQueues: typeof annotationQueueRoutes
  readonly annotationQueueItems: typeof annotationQueueItemRoutes
  readonly prompts: typeof promptRoutes
  readonly promptCommits: typeof promptCommitRoutes
  readonly promptEnvironments: typeof promptEnvironmentRoutes
  readonly promptWebhooks: typeof promptWebhookRoutes
  readonly hubDirectories: typeof hubDirectoryRoutes
  readonly workspaces: typeof workspaceRoutes
  readonly apiKeys: typeof apiKeyRoutes
  readonly backups: typeof backupRoutes
  readonly accounts: typeof accountRoutes
  readonly members: typeof memberRoutes
  readonly serverAdmins: typeof serverAdminRoutes
  readonly modelPrices: typeof modelPriceRoutes
  readonly modelProviders: typeof modelProviderRoutes
  readonly spending: typeof spendingRoutes
  readonly playground: typeof playgroundRoutes
  readonly playgroundJobs: typeof playgroundJobRoutes
  readonly playgroundDrafts: typeof playgroundDraftRoutes
  readonly retention: typeof retentionRoutes
  readonly deletions: typeof deletionRoutes
  readonly usage: typeof usageRoutes
  readonly ingestReceipts: typeof ingestReceiptRoutes
  readonly savedViews: typeof savedViewRoutes
  readonly dashboards: typeof dashboardRoutes
  readonly runValues: typeof runValueRoutes
}

/**
 * Every call that the server answers, by noun and verb. The server mounts it, OpenAPI lists it, and tests enumerate it.
 */
export const contract: Contract = {
  info: infoRoutes,
  monitoring: monitoringRoutes,
  alerts: alertRoutes,
  platformAlerts: platformAlertRoutes,
  budgets: budgetRoutes,
  rules: ruleRoutes,
  notifications: notificationRoutes,
  runRules: runRuleRoutes,
  runRulesV2: runRuleV2Routes,
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
}

/** All routes in the order of the contract. */
export function allRoutes(): Route[] {
  return Object.values(contract).flatMap((noun) => Object.values(noun) as Route[])
}
