import { ApiError, type Role, timeOfEpochMs } from '@touchstone/contract'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import { v2Routes } from './api/v2/index.ts'
import type { Deps } from './deps.ts'
import {
  authenticator,
  authRoutes,
  countApiKeys,
  createKey,
  existsValidKey,
  isOpenTo,
  Keyring,
} from './features/accounts/auth/index.ts'
import {
  accountRoutes,
  findEmail,
  insertMembership,
  lockPerson,
  ServerIds,
  SignIns,
  selectMemberships,
  serverAdminRoutes,
} from './features/accounts/index.ts'
import { memberRoutes } from './features/accounts/members/index.ts'
import { lockWorkspace, workspaceRoutes } from './features/accounts/workspaces/index.ts'
import { annotationQueueRoutes } from './features/annotation-queues/index.ts'
import { blobRoutes, getSigningSecret } from './features/attachments/index.ts'
import { bulkJobRoutes } from './features/bulk-jobs/index.ts'
import { dashboardRoutes, savedViewRoutes } from './features/dashboards/index.ts'
import { alignExamples, exampleRoutes, OffsetCache } from './features/datasets/examples/index.ts'
import { datasetFileRoutes } from './features/datasets/files/index.ts'
import { datasetRoutes } from './features/datasets/index.ts'
import { datasetSearchRoutes } from './features/datasets/search/index.ts'
import { datasetVersionRoutes } from './features/datasets/versions/index.ts'
import { JavascriptSandbox, savedEvaluatorRoutes } from './features/evaluators/index.ts'
import { comparativeExperimentRoutes, experimentRoutes } from './features/experiments/index.ts'
import { experimentStatisticsRoutes } from './features/experiments/statistics/index.ts'
import { evaluatorRoutes } from './features/feedback/evaluators/index.ts'
import {
  countFeedbackByKey,
  feedbackRoutes,
  type HiddenIdDeps,
  hideScores,
  openHiddenScores,
} from './features/feedback/index.ts'
import { openModelJobs, type RecordRuns } from './features/model-jobs/index.ts'
import { modelPriceRoutes, openPriceBook } from './features/model-prices/index.ts'
import {
  modelProviderRoutes,
  openModelOutbound,
  type PlannedSpending,
  type ProviderDeps,
  readProviderAccess,
  reserveSpending,
} from './features/model-providers/index.ts'
import { playgroundRoutes } from './features/playground/index.ts'
import { agentRoutes } from './features/projects/agents/index.ts'
import {
  createProject,
  type DeleteProjects,
  FigureCache,
  projectRoutes,
  type StatsDeps,
  usageRoutes,
} from './features/projects/index.ts'
import { promptCommitRoutes } from './features/prompts/commits/index.ts'
import { hubDirectoryRoutes } from './features/prompts/directories/index.ts'
import { countOwnRepos, promptEnvironmentRoutes, promptRoutes } from './features/prompts/index.ts'
import {
  createPromptWebhookListener,
  defineWebhookDeliveries,
  promptWebhookRoutes,
} from './features/prompts/webhooks/index.ts'
import { runRoutes, traceRoutes } from './features/runs/index.ts'
import { readProjectFacets, readProjectFigures, runStatsRoutes } from './features/runs/stats/index.ts'
import { backupRoutes } from './features/server/backups/index.ts'
import { infoRoutes } from './features/server/info/index.ts'
import { resolveRoutes } from './features/server/resolve/index.ts'
import { datasetSharingRoutes } from './features/sharing/datasets/index.ts'
import { sharePages, sharingRoutes } from './features/sharing/index.ts'
import { sqlRoutes } from './features/sql/index.ts'
import { threadRoutes } from './features/threads/index.ts'
import { compressAnswers } from './http/compression.ts'
import { handleErrors, sendFrameworkError } from './http/error-handler.ts'
import { GuessLimits } from './http/guess-limits.ts'
import { noteRequests, OpenConnections } from './http/open-connections.ts'
import {
  BodyBudget,
  closeConnectionsOnStop,
  limitConnections,
  observeRequests,
  prepareRequests,
  serverOptions,
} from './http/request-lifecycle.ts'
import { type App, type Caller, openRouter } from './http/serve.ts'
import { answerUnknownPath, serveWebUi } from './http/web-ui.ts'
import {
  type FindPrice,
  type Ingest,
  ingestRoutes,
  keepRefused,
  openIngest,
  openReceipts,
  otlpRoutes,
  receiptRoutes,
  receive,
} from './ingest/index.ts'
import { type Jobs, openJobs } from './jobs/open-jobs.ts'
import { deleteProjects, deleteRuns, lifecycleRoutes } from './lifecycle/index.ts'
import { Paces } from './models/pace-calls.ts'
import { RenderBudget } from './models/render-budget.ts'
import { openOutbound } from './outbound/open-outbound.ts'
import type { Analytics } from './storage/analytics/port.ts'
import { OpenedWrites, withSettledReads } from './storage/analytics/settled-reads.ts'
import { limitQueries, observeAnalytics, withLookups } from './storage/analytics/wrappers.ts'
import { openSecretBox } from './storage/secret-box.ts'

/** Maximum seconds of a select for a caller with only a share link. */
const PUBLIC_QUERY_SECONDS = 10

/** Maximum seconds of the select that asks whether the store answers. */
const READINESS_SECONDS = 10

/** Builds the server over open engines, ready to listen. Closing it stores all accepted data; the engines stay open. */
export async function buildApp(given: Deps): Promise<FastifyInstance> {
  const store = openStore(given)
  const deps = {
    ...given,
    ...limitReads(given, store.analytics),
    exampleOffsets: new OffsetCache(),
    serverIds: new ServerIds(given.relational),
  }
  const publicDeps = { ...deps, analytics: deps.publicAnalytics }
  const fastify = createFastify(deps, store.analytics)
  const sendPage = await serveWebUi(fastify, deps.config.webDir)
  fastify.setNotFoundHandler((request, reply) => answerUnknownPath(request, reply, sendPage))
  const keyring = new Keyring(deps)
  const signIns = new SignIns(deps)
  const app = openRouter(fastify, authenticator({ ...deps, keyring, signIns }))
  const prices = await openPriceBook(deps)
  // Ingest and deletions have no time limit: a client does not repeat a write that is refused as its mistake.
  const withoutLimit = { ...deps, analytics: store.analytics }
  const { ingest, receipts, deletionDeps } = await openWritePath(app, withoutLimit, store, prices.find)
  const models = openModels(app, fastify, deps)
  const sandbox = openSandbox(app)
  const jobs = openJobs(deps)
  app.onClose(() => jobs.close())
  const outbound = openOutbound(deps.config.outboundAllow)
  app.onClose(() => outbound.close())

  infoRoutes(app, { ...deps, analytics: limitQueries(store.ofWriter, READINESS_SECONDS) })
  ingestRoutes(app, { ...deps, ingest, receipts })
  otlpRoutes(app, { ...deps, ingest, receipts })
  receiptRoutes(app, { ...deps, receipts, submit: ingest.submit })
  runRoutes(app, deps)
  runStatsRoutes(app, deps)
  threadRoutes(app, deps)
  traceRoutes(app, deps)
  resolveRoutes(app, deps)
  sharingRoutes(app, publicDeps)
  if (sendPage) sharePages(fastify, publicDeps, sendPage)
  sqlRoutes(app, deps)
  feedbackRoutes(app, { ...deps, submitFeedback: ingest.submitFeedback })
  blobRoutes(app, deps)
  const figures: Pick<StatsDeps, 'kept' | 'readFigures' | 'readFacets'> = {
    kept: new FigureCache(deps),
    readFigures: (...asked) => readProjectFigures(deps, ...asked),
    readFacets: (...asked) => readProjectFacets(deps, ...asked),
  }
  projectRoutes(app, { ...deps, ...figures })
  v2Routes(app, { ...deps, ...figures })
  const deleteProjectsWithRuns: DeleteProjects = (...projects) => deleteProjects(deletionDeps, ...projects)
  agentRoutes(app, { ...deps, deleteProjects: deleteProjectsWithRuns })
  evaluatorRoutes(app, deps)
  datasetRoutes(app, { ...deps, alignExamples })
  datasetVersionRoutes(app, deps)
  exampleRoutes(app, deps)
  experimentRoutes(app, { ...deps, ...figures })
  comparativeExperimentRoutes(app, deps)
  experimentStatisticsRoutes(app, deps)
  datasetFileRoutes(app, {
    ...deps,
    deleteProjects: deleteProjectsWithRuns,
    recordRuns: (caller, given) => receive({ ...deps, ingest }, caller, given, 'Experiment uploaded'),
  })
  datasetSearchRoutes(app, deps)
  datasetSharingRoutes(app, { ...publicDeps, ...figures })
  const webhookDeliveries = defineWebhookDeliveries({ ...deps, jobs, outbound })
  const promptDeps = { ...deps, onPromptEvent: createPromptWebhookListener(deps, webhookDeliveries) }
  promptWebhookRoutes(app, { ...deps, jobs, outbound, deliveries: webhookDeliveries })
  promptRoutes(app, deps)
  promptCommitRoutes(app, promptDeps)
  promptEnvironmentRoutes(app, deps)
  hubDirectoryRoutes(app, promptDeps)
  annotationQueueRoutes(app, deps)
  bulkJobRoutes(app, { ...deps, jobs, prices, ingest, deleteRuns: (...runs) => deleteRuns(withoutLimit, ...runs) })
  workspaceRoutes(app, {
    ...deps,
    countRepos: (tenantId) => countOwnRepos(deps.relational.db, tenantId),
    countApiKeys: (tenantId) => countApiKeys(deps.relational.db, tenantId),
    countFeedbackKeys: async (tenantId) => (await countFeedbackByKey(deps, tenantId)).keys.length,
    findEmail: (caller) => findEmail(deps, caller),
    selectRoles: (personId) => selectRoles(deps, personId),
    addAdmin: async (tx, tenant_id, person_id) => {
      if (!(await lockPerson(tx, person_id))) throw new ApiError('UNAUTHENTICATED') // removed meanwhile
      await insertMembership(tx, { tenant_id, person_id, role: 'admin', created_at: timeOfEpochMs(deps.clock()) })
    },
    forgetSignIns: () => signIns.forget(),
  })
  const forgetCallers = () => {
    signIns.forget()
    keyring.forget()
    deps.serverIds.forget()
  }
  lifecycleRoutes(app, { ...deletionDeps, jobs, forgetCallers })
  modelPriceRoutes(app, deps, prices)
  modelProviderRoutes(app, { ...deps, ...models, lockWorkspace, priceTable: prices })
  playgroundAndEvaluatorRoutes(app, deps, { models, jobs, ingest, sandbox })
  usageRoutes(app, deps)
  await backupRoutes(app, deps)
  savedViewRoutes(app, deps)
  dashboardRoutes(app, deps)
  authRoutes(app, deps, keyring)
  const guesses = new GuessLimits(deps.clock)
  accountRoutes(app, {
    ...deps,
    signIns,
    guesses,
    existsValidKey,
    isOpen: async (request) => isOpenTo(deps, request) && !(await keyring.isSetUp()),
    createFirstProject: (...project) => {
      keyring.forget()
      return createFirstProject(deps, ...project)
    },
  })
  serverAdminRoutes(app, { ...deps, forgetCallers })
  memberRoutes(app, { ...deps, signIns, guesses, forgetKeys: () => keyring.forget() })

  // Reads sign URLs of attachments, also while the disk is full, so the secret is created now.
  await getSigningSecret(deps)
  await fastify.ready()
  await jobs.start()
  return fastify
}

/** The column store: for reads, which wait for acknowledged writes, and for their writer. */
function openStore(given: Deps) {
  const observed = observeAnalytics(given.analytics, given.metrics)
  const writes = new OpenedWrites()
  const analytics = withLookups(withSettledReads(observed, writes), given.relational)
  return { analytics, ofWriter: withLookups(observed, given.relational), writes }
}

/** The store for reads: selects have a time limit, and reviewers do not see the scores that a queue hides from them. */
function limitReads(given: Deps, analytics: Analytics) {
  const { maxQuerySeconds } = given.config
  const readHiddenScores = openHiddenScores({ ...given, analytics: limitQueries(analytics, maxQuerySeconds) })
  return {
    analytics: limitQueries(analytics, maxQuerySeconds, hideScores(readHiddenScores)),
    // Selects of callers with only a share link get less time.
    publicAnalytics: limitQueries(analytics, Math.min(maxQuerySeconds, PUBLIC_QUERY_SECONDS)),
    readHiddenScores,
  }
}

/** The role of a person in each of their workspaces. */
async function selectRoles({ relational }: Deps, personId: string): Promise<Map<string, Role>> {
  const members = await selectMemberships(relational.db, personId)
  return new Map(members.map(({ tenant_id, role }) => [tenant_id, role]))
}

/** Opens ingest and its receipts. What is opened last is closed first, so that the last requests have receipts too. */
async function openWritePath<Given extends Deps>(
  app: App,
  deps: Given,
  { ofWriter, writes }: ReturnType<typeof openStore>,
  findPrice: FindPrice,
) {
  const receipts = openReceipts({ ...deps, analytics: ofWriter })
  app.onClose(() => receipts.close())
  const ingest = await openIngest({
    ...deps,
    analytics: ofWriter,
    findPrice,
    keepRefused: (refused) => keepRefused({ ...deps, receipts }, refused),
  })
  app.onClose(() => ingest.close())
  writes.use(ingest.writes)
  return { ingest, receipts, deletionDeps: { ...deps, flushReceipts: receipts.flush } }
}

/** Opens what calls of models need. */
function openModels(app: App, fastify: FastifyInstance, deps: Deps): Pick<ProviderDeps, 'modelOutbound' | 'secrets'> {
  const modelOutbound = openModelOutbound(fastify, deps)
  app.onClose(() => modelOutbound.close())
  return { modelOutbound, secrets: openSecretBox(deps.config) }
}

/** Call it before jobs are opened: what is opened last is closed first, and jobs judge answers until they have stopped. */
function openSandbox(app: App): JavascriptSandbox {
  const sandbox = new JavascriptSandbox()
  app.onClose(() => sandbox.close())
  return sandbox
}

interface Opened {
  readonly models: ReturnType<typeof openModels>
  readonly jobs: Jobs
  readonly ingest: Ingest
  readonly sandbox: JavascriptSandbox
}

/** Mounts what calls models. Runs of the playground are recorded like those of any client. */
function playgroundAndEvaluatorRoutes(
  app: App,
  deps: Deps & HiddenIdDeps,
  { models, jobs, ingest, sandbox }: Opened,
): void {
  const evaluatorDeps = {
    ...deps,
    ...models,
    sandbox,
    paces: new Paces(),
    renderBudget: new RenderBudget(),
    priceUsage: ingest.priceUsage,
    reserveSpending: (planned: PlannedSpending) => reserveSpending(deps, planned),
    connectProvider: (tenantId: string, id: string) => readProviderAccess({ ...deps, ...models }, tenantId, id),
  }
  const jobDeps = {
    ...evaluatorDeps,
    modelJobs: openModelJobs({ ...deps, jobs }),
    recordRuns: (...[caller, given]: Parameters<RecordRuns>) =>
      receive({ ...deps, ingest }, caller, given, 'Playground runs recorded'),
  }
  savedEvaluatorRoutes(app, jobDeps)
  playgroundRoutes(app, jobDeps)
}

/** Creates the first project of a new server, and a key for the first traced program. */
async function createFirstProject(
  deps: Deps,
  admin: Caller,
  projectName: string,
): Promise<{ projectId: string; key: string }> {
  const request = { body: { name: projectName }, extraText: undefined }
  const project = await createProject(deps, admin.tenantId, request, true)
  const { key } = await createKey(deps, admin, { description: `First key, for ${projectName}`, role: 'member' })
  return { projectId: project.id, key }
}

function openConnections({ config, log }: Deps): OpenConnections {
  const { maxConnections } = config.connections
  return new OpenConnections(maxConnections, () =>
    log.warn(
      `${maxConnections} connections are open, as many as TOUCHSTONE_MAX_CONNECTIONS and half of the open files of the process ` +
        '(ulimit -n) allow; those without a request are closed for new ones.',
    ),
  )
}

function createFastify(deps: Deps, settledAnalytics: Analytics): FastifyInstance {
  const fastify = Fastify({
    loggerInstance: deps.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => deps.ids(),
    requestIdHeader: false,
    trustProxy: deps.config.trustedProxies.length === 0 ? false : [...deps.config.trustedProxies],
    frameworkErrors: sendFrameworkError,
    forceCloseConnections: 'idle',
    http: serverOptions(deps.config.connections),
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 4096 },
  }) as unknown as FastifyInstance
  // The handlers read the bodies, regardless of the content type.
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', (_request, _payload, done) => done(null))
  fastify.decorate('settledAnalytics', settledAnalytics)
  fastify.decorate('maxBodyBytes', deps.config.ingest.maxBodyBytes)
  limitConnections(fastify, deps.config.connections)
  noteRequests(fastify, openConnections(deps))
  observeRequests(fastify, deps.metrics)
  prepareRequests(fastify, new BodyBudget(deps.config.maxBytesInFlight))
  closeConnectionsOnStop(fastify)
  compressAnswers(fastify)
  handleErrors(fastify)
  return fastify
}
