import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Deps } from './deps.ts'
import { countApiKeys, createFirstProject, existsValidKey, isOpenTo, Keyring } from './features/accounts/auth/index.ts'
import { addAdmin, findEmail, ServerIds, SignIns, selectRoles } from './features/accounts/index.ts'
import { lockWorkspace } from './features/accounts/workspaces/index.ts'
import { alignExamples, OffsetCache } from './features/datasets/examples/index.ts'
import { JavascriptSandbox } from './features/evaluators/index.ts'
import { countFeedbackByKey, hideScores, openHiddenScores } from './features/feedback/index.ts'
import { openModelJobs, type RecordRuns } from './features/model-jobs/index.ts'
import { openPriceBook } from './features/model-prices/index.ts'
import {
  openModelOutbound,
  type PlannedSpending,
  readProviderAccess,
  reserveSpending,
} from './features/model-providers/index.ts'
import { defineNoticeDeliveries, openSealedChannels } from './features/notifications/index.ts'
import { FigureCache, type StatsDeps } from './features/projects/index.ts'
import { countOwnRepos } from './features/prompts/index.ts'
import { createPromptWebhookListener, defineWebhookDeliveries } from './features/prompts/webhooks/index.ts'
import { readProjectFacets, readProjectFigures } from './features/runs/stats/index.ts'
import { GuessLimits } from './http/guess-limits.ts'
import type { App, Caller } from './http/serve.ts'
import { type FindPrice, keepRefused, openIngest, openReceipts, receive } from './ingest/index.ts'
import { openJobs } from './jobs/open-jobs.ts'
import { deleteProjects, deleteRuns } from './lifecycle/index.ts'
import { Paces } from './models/pace-calls.ts'
import { RenderBudget } from './models/render-budget.ts'
import { openOutbound } from './outbound/open-outbound.ts'
import { OpenedWrites, withSettledReads } from './storage/analytics/settled-reads.ts'
import { limitQueries, observeAnalytics, withLookups } from './storage/analytics/wrappers.ts'
import { openSecretBox } from './storage/secret-box.ts'

/** Maximum seconds of a select for a caller with only a share link. */
const PUBLIC_QUERY_SECONDS = 10

/** Maximum seconds of the select that asks whether the store answers. */
const READINESS_SECONDS = 10

export type Store = ReturnType<typeof openStore>

/** The column store: for reads, which wait for acknowledged writes, and for their writer. */
export function openStore(given: Deps) {
  const observed = observeAnalytics(given.analytics, given.metrics)
  const writes = new OpenedWrites()
  const analytics = withLookups(withSettledReads(observed, writes), given.relational)
  return { analytics, ofWriter: withLookups(observed, given.relational), writes }
}

/**
 * The dependencies of features: their store has limits, and reviewers do not see the scores that a queue hides from them.
 * What authenticates callers is among them, because the router needs it first.
 */
export function openDeps(given: Deps, { analytics, ofWriter }: Store) {
  const { maxQuerySeconds } = given.config
  const readHiddenScores = openHiddenScores({ ...given, analytics: limitQueries(analytics, maxQuerySeconds) })
  const serverIds = new ServerIds(given.relational)
  const keyring = new Keyring(given)
  const signIns = new SignIns(given)
  return {
    ...given,
    analytics: limitQueries(analytics, maxQuerySeconds, hideScores(readHiddenScores)),
    // Selects of callers with only a share link get less time.
    publicAnalytics: limitQueries(analytics, Math.min(maxQuerySeconds, PUBLIC_QUERY_SECONDS)),
    readinessAnalytics: limitQueries(ofWriter, READINESS_SECONDS),
    // Ingest and deletions have no time limit: a client does not repeat a write that is refused as its mistake.
    unlimitedAnalytics: analytics,
    readHiddenScores,
    exampleOffsets: new OffsetCache(),
    serverIds,
    keyring,
    signIns,
    guesses: new GuessLimits(given.clock),
    forgetCallers: () => {
      signIns.forget()
      keyring.forget()
      serverIds.forget()
    },
  }
}

type ServiceDeps = ReturnType<typeof openDeps>

export type Services = Awaited<ReturnType<typeof openServices>>

/** Opens what several features use, each once. What is opened last is closed first. */
export async function openServices(app: App, fastify: FastifyInstance, deps: ServiceDeps, store: Store) {
  const prices = await openPriceBook(deps)
  const unlimited = { ...deps, analytics: deps.unlimitedAnalytics }
  const { ingest, receipts } = await openWritePath(app, unlimited, store, prices.find)
  const models = openModels(app, fastify, deps)
  const sandbox = openSandbox(app)
  const jobs = openJobs(deps)
  app.onClose(() => jobs.close())
  const outbound = openOutbound(deps.config.outboundAllow)
  app.onClose(() => outbound.close())
  const deliveries = defineWebhookDeliveries({ ...deps, jobs, outbound })
  const noticeDeliveries = defineNoticeDeliveries({ ...deps, ...models, jobs, outbound })
  const flushReceipts = receipts.flush
  return {
    ...deps,
    ...models,
    ...projectStatistics(deps),
    ...workspacePorts(deps),
    ...setUpPorts(deps),
    prices,
    priceTable: prices,
    priceUsage: ingest.priceUsage,
    ingest,
    submit: ingest.submit,
    submitFeedback: ingest.submitFeedback,
    receipts,
    flushReceipts,
    recordRuns: (...[caller, given]: Parameters<RecordRuns>) =>
      receive({ ...deps, ingest }, caller, given, 'Runs recorded'),
    deleteRuns: (...runs: Rest<typeof deleteRuns>) => deleteRuns(unlimited, ...runs),
    deleteProjects: (...projects: Rest<typeof deleteProjects>) =>
      deleteProjects({ ...unlimited, flushReceipts }, ...projects),
    jobs,
    modelJobs: openModelJobs({ ...deps, jobs }),
    outbound,
    deliveries,
    noticeDeliveries,
    sealedChannels: openSealedChannels({ ...deps, ...models }),
    onPromptEvent: createPromptWebhookListener(deps, deliveries),
    sandbox,
    paces: new Paces(),
    renderBudget: new RenderBudget(),
    reserveSpending: (planned: PlannedSpending) => reserveSpending(deps, planned),
    connectProvider: (tenantId: string, id: string) => readProviderAccess({ ...deps, ...models }, tenantId, id),
    alignExamples,
    lockWorkspace,
  }
}

type Rest<Call> = Call extends (deps: never, ...rest: infer Args) => unknown ? Args : never

/** Statistics of projects, which the runs compute: a feature above them. */
function projectStatistics(deps: ServiceDeps): Pick<StatsDeps, 'kept' | 'readFigures' | 'readFacets'> {
  return {
    kept: new FigureCache(deps),
    readFigures: (...asked) => readProjectFigures(deps, ...asked),
    readFacets: (...asked) => readProjectFacets(deps, ...asked),
  }
}

/** What workspaces ask of features above them. */
function workspacePorts(deps: ServiceDeps) {
  const { db } = deps.relational
  return {
    countRepos: (tenantId: string) => countOwnRepos(db, tenantId),
    countApiKeys: (tenantId: string) => countApiKeys(db, tenantId),
    countFeedbackKeys: async (tenantId: string) => (await countFeedbackByKey(deps, tenantId)).keys.length,
    findEmail: (caller: Caller) => findEmail(deps, caller),
    selectRoles: (personId: string) => selectRoles(db, personId),
    addAdmin: (tx: typeof db, tenantId: string, personId: string) => addAdmin(tx, tenantId, personId, deps.clock()),
    forgetSignIns: () => deps.signIns.forget(),
    forgetKeys: () => deps.keyring.forget(),
  }
}

/** What the set-up of a new server asks of keys. */
function setUpPorts(deps: ServiceDeps) {
  return {
    existsValidKey,
    isOpen: async (request: FastifyRequest) => isOpenTo(deps, request) && !(await deps.keyring.isSetUp()),
    createFirstProject: (admin: Caller, projectName: string) => {
      deps.keyring.forget()
      return createFirstProject(deps, admin, projectName)
    },
  }
}

/** Opens ingest and its receipts. What is opened last is closed first, so that the last requests have receipts too. */
async function openWritePath(app: App, deps: ServiceDeps, { ofWriter, writes }: Store, findPrice: FindPrice) {
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
  return { ingest, receipts }
}

/** Opens what calls of models need. */
function openModels(app: App, fastify: FastifyInstance, deps: Deps) {
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
