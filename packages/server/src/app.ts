import type { FastifyInstance } from 'fastify'
import { v2Routes } from './api/v2/index.ts'
import type { Deps } from './deps.ts'
import { authenticator, authRoutes } from './features/accounts/auth/index.ts'
import { accountRoutes, serverAdminRoutes } from './features/accounts/index.ts'
import { memberRoutes } from './features/accounts/members/index.ts'
import { workspaceRoutes } from './features/accounts/workspaces/index.ts'
import { AlertEngine, alertRoutes, platformAlertRoutes } from './features/alerts/index.ts'
import { annotationQueueRoutes } from './features/annotation-queues/index.ts'
import { blobRoutes, getSigningSecret } from './features/attachments/index.ts'
import { BudgetEngine, budgetRoutes } from './features/budgets/index.ts'
import { bulkJobRoutes } from './features/bulk-jobs/index.ts'
import { dashboardRoutes, savedViewRoutes } from './features/dashboards/index.ts'
import { exampleRoutes } from './features/datasets/examples/index.ts'
import { datasetFileRoutes } from './features/datasets/files/index.ts'
import { datasetRoutes } from './features/datasets/index.ts'
import { datasetSearchRoutes } from './features/datasets/search/index.ts'
import { datasetVersionRoutes } from './features/datasets/versions/index.ts'
import { savedEvaluatorRoutes } from './features/evaluators/index.ts'
import { comparativeExperimentRoutes, experimentRoutes } from './features/experiments/index.ts'
import { experimentStatisticsRoutes } from './features/experiments/statistics/index.ts'
import { feedbackRoutes } from './features/feedback/index.ts'
import { modelPriceRoutes } from './features/model-prices/index.ts'
import { modelProviderRoutes } from './features/model-providers/index.ts'
import { notificationRoutes } from './features/notifications/index.ts'
import { playgroundRoutes } from './features/playground/index.ts'
import { agentRoutes } from './features/projects/agents/index.ts'
import { projectRoutes, usageRoutes } from './features/projects/index.ts'
import { promptCommitRoutes } from './features/prompts/commits/index.ts'
import { hubDirectoryRoutes } from './features/prompts/directories/index.ts'
import { promptEnvironmentRoutes, promptRoutes } from './features/prompts/index.ts'
import { promptWebhookRoutes } from './features/prompts/webhooks/index.ts'
import { onlineEvaluatorRoutes, RuleEngine, ruleRoutes, runRuleRoutes } from './features/rules/index.ts'
import { runRoutes, traceRoutes } from './features/runs/index.ts'
import { runStatsRoutes } from './features/runs/stats/index.ts'
import { backupRoutes } from './features/server/backups/index.ts'
import { infoRoutes } from './features/server/info/index.ts'
import { resolveRoutes } from './features/server/resolve/index.ts'
import { datasetSharingRoutes } from './features/sharing/datasets/index.ts'
import { sharePages, sharingRoutes } from './features/sharing/index.ts'
import { sqlRoutes } from './features/sql/index.ts'
import { threadRoutes } from './features/threads/index.ts'
import { createFastify } from './http/create-fastify.ts'
import { type App, openRouter } from './http/serve.ts'
import { answerUnknownPath, serveWebUi } from './http/web-ui.ts'
import { ingestRoutes, otlpRoutes, receiptRoutes } from './ingest/index.ts'
import { lifecycleRoutes } from './lifecycle/index.ts'
import { openDeps, openServices, openStore, type Services } from './services.ts'

/** Builds the server over open engines, ready to listen. Closing it stores all accepted data; the engines stay open. */
export async function buildApp(given: Deps): Promise<FastifyInstance> {
  const store = openStore(given)
  const deps = openDeps(given, store)
  const fastify = createFastify(deps, store.analytics)
  const sendPage = await serveWebUi(fastify, deps.config.webDir)
  fastify.setNotFoundHandler((request, reply) => answerUnknownPath(request, reply, sendPage))
  const app = openRouter(fastify, authenticator(deps))
  const services = await openServices(app, fastify, deps, store)
  await mountFeatures(app, services)
  const rules = new RuleEngine(services)
  app.onClose(() => rules.close())
  const alerts = new AlertEngine(services)
  app.onClose(() => alerts.close())
  const budgets = new BudgetEngine(services)
  app.onClose(() => budgets.close())
  if (sendPage) sharePages(fastify, services, sendPage)
  // Reads sign URLs of attachments, also while the disk is full, so the secret is created now.
  await getSigningSecret(deps)
  await fastify.ready()
  await services.jobs.start()
  if (deps.config.roles.includes('worker')) {
    rules.start()
    alerts.start()
    budgets.start()
  }
  return fastify
}

/** Every feature, in the order of `features`. */
async function mountFeatures(app: App, services: Services): Promise<void> {
  const forLinks = { ...services, analytics: services.publicAnalytics }
  const unlimited = { ...services, analytics: services.unlimitedAnalytics }
  infoRoutes(app, { ...services, analytics: services.readinessAnalytics })
  ingestRoutes(app, services)
  otlpRoutes(app, services)
  receiptRoutes(app, services)
  blobRoutes(app, services)
  feedbackRoutes(app, services)
  projectRoutes(app, services)
  agentRoutes(app, services)
  usageRoutes(app, services)
  runRoutes(app, services)
  runStatsRoutes(app, services)
  traceRoutes(app, services)
  threadRoutes(app, services)
  datasetRoutes(app, services)
  datasetVersionRoutes(app, services)
  datasetFileRoutes(app, services)
  datasetSearchRoutes(app, services)
  exampleRoutes(app, services)
  accountRoutes(app, services)
  authRoutes(app, services, services.keyring)
  memberRoutes(app, services)
  serverAdminRoutes(app, services)
  workspaceRoutes(app, services)
  experimentRoutes(app, services)
  comparativeExperimentRoutes(app, services)
  experimentStatisticsRoutes(app, services)
  annotationQueueRoutes(app, services)
  dashboardRoutes(app, services)
  savedViewRoutes(app, services)
  modelPriceRoutes(app, services, services.prices)
  modelProviderRoutes(app, services)
  savedEvaluatorRoutes(app, services)
  sqlRoutes(app, services)
  promptRoutes(app, services)
  promptCommitRoutes(app, services)
  promptEnvironmentRoutes(app, services)
  promptWebhookRoutes(app, services)
  hubDirectoryRoutes(app, services)
  notificationRoutes(app, services)
  bulkJobRoutes(app, services)
  ruleRoutes(app, services)
  alertRoutes(app, services)
  platformAlertRoutes(app, services)
  budgetRoutes(app, services)
  runRuleRoutes(app, services)
  onlineEvaluatorRoutes(app, services)
  playgroundRoutes(app, services)
  sharingRoutes(app, forLinks)
  datasetSharingRoutes(app, forLinks)
  resolveRoutes(app, services)
  await backupRoutes(app, services)
  lifecycleRoutes(app, unlimited)
  v2Routes(app, services)
}
