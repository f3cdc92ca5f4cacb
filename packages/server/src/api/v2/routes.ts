import { ApiError, contract, HEAVY_RUN_SELECTS, type RunSelect } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import type { RunViewDeps } from '../../features/runs/index.ts'
import {
  getRunUrl,
  listTraceRuns,
  omitPrivateSelects,
  presentItems,
  presentSelectedRun,
  queryRuns,
  queryTraces,
  readRun,
  toRunFields,
  toRunSelects,
} from '../../features/runs/selection/index.ts'
import {
  findRun,
  listSharedThread,
  openShare,
  readSharedViews,
  readThreadToken,
  shareRun,
  shareThread,
  unshareThread,
} from '../../features/sharing/index.ts'
import { listThreadTraces, queryThreads, readThreadStats, readThreadTotals } from '../../features/threads/index.ts'
import { getOrigin } from '../../http/request-origin.ts'
import { answerPage } from '../../http/responses.ts'
import { type App, RawJson, serve } from '../../http/serve.ts'
import { revokePublicLinks } from '../../storage/relational/public-links.ts'
import { type ListDeps, listDatasetsV2, listProjectsV2 } from './lists.ts'

type V2Deps = RunViewDeps & Pick<Deps, 'config'> & ListDeps

export function v2Routes(app: App, deps: V2Deps): void {
  const { runsV2 } = contract
  const origin = (request: FastifyRequest) => getOrigin(deps.config, request)

  serve(app, runsV2.query, async ({ caller, body, request, reply }) =>
    answerPage(request, reply, await queryRuns(deps, caller.tenantId, body, origin(request))),
  )

  serve(app, runsV2.read, ({ caller, params, query, request }) => {
    const key = { runId: params.run_id, projectId: query.project_id }
    return readRun(deps, caller.tenantId, key, query.selects, origin(request))
  })

  serve(app, runsV2.url, async ({ caller, params, query, request }) => {
    const key = { runId: params.run_id, projectId: query.project_id }
    return { url: await getRunUrl(deps, caller.tenantId, key, origin(request)) }
  })

  serve(app, runsV2.ofTrace, ({ caller, params, query, request }) =>
    listTraceRuns(deps, caller.tenantId, { ...query, trace_id: params.trace_id }, origin(request)),
  )

  serve(app, runsV2.queryTraces, async ({ caller, body, request, reply }) =>
    answerPage(request, reply, await queryTraces(deps, caller.tenantId, body, origin(request))),
  )

  serve(app, contract.projectsV2.list, ({ caller, query }) => listProjectsV2(deps, caller.tenantId, query))

  serve(app, contract.datasetsV2.list, ({ caller, query }) => listDatasetsV2(deps, caller.tenantId, query))

  threadRoutes(app, deps)
  sharingRoutes(app, deps)
}

function threadRoutes(app: App, deps: V2Deps): void {
  const { threadsV2 } = contract

  serve(app, threadsV2.query, async ({ caller, body, request, reply }) =>
    answerPage(request, reply, await queryThreads(deps, caller.tenantId, body)),
  )

  serve(app, threadsV2.traces, ({ caller, params, query }) =>
    listThreadTraces(deps, caller.tenantId, params.thread_id, query),
  )

  serve(app, threadsV2.share, ({ caller, params, body }) =>
    shareThread(deps, caller.tenantId, { projectId: body.project_id, threadId: params.thread_id }),
  )

  serve(app, threadsV2.readShare, ({ caller, params, query }) =>
    readThreadToken(deps, caller.tenantId, { projectId: query.project_id, threadId: params.thread_id }),
  )

  serve(app, threadsV2.unshare, ({ caller, params, query }) =>
    unshareThread(deps, caller.tenantId, { projectId: query.project_id, threadId: params.thread_id }),
  )

  serve(app, threadsV2.publicTraces, ({ params, query }) => listSharedThread(deps, params.share_token, query))

  serve(app, threadsV2.totals, ({ caller, body }) => readThreadTotals(deps, caller.tenantId, body))

  serve(app, threadsV2.stats, ({ caller, params, query }) =>
    readThreadStats(deps, caller.tenantId, params.thread_id, query),
  )
}

function sharingRoutes(app: App, deps: V2Deps): void {
  const { runsV2 } = contract

  serve(app, runsV2.share, async ({ caller, params }) => {
    const run = await findRun(deps, caller.tenantId, params.run_id)
    const root = run && (await findRun(deps, caller.tenantId, run.trace_id))
    if (root === undefined) throw new ApiError('NOT_FOUND', 'Run not found')
    return { share_token: await shareRun(deps, caller.tenantId, root, undefined) }
  })

  serve(app, runsV2.unshare, async ({ caller, params }) => {
    await revokePublicLinks(deps.relational.db, caller.tenantId, { by: 'run', ids: [params.trace_id] })
  })

  serve(app, runsV2.publicRead, async ({ params, query, request }) => {
    const share = await openShare(deps, params.share_token)
    const selects = omitPrivateSelects(toRunSelects(query.selects))
    const [view] = await readSharedViews(deps, share, { id: [params.run_id] }, toRunFields(selects))
    if (view === undefined) throw new ApiError('NOT_FOUND', 'Run not found')
    return new RawJson(presentSelectedRun(view, selects, getOrigin(deps.config, request)))
  })

  serve(app, runsV2.publicQuery, async ({ params, body, request, reply }) => {
    const share = await openShare(deps, params.share_token)
    const selects = omitPrivateSelects(toRunSelects(body?.selects ?? [])).filter((select) => !HEAVY.has(select))
    const views = await readSharedViews(deps, share, {}, toRunFields(selects))
    return answerPage(request, reply, presentItems(views, selects, getOrigin(deps.config, request)))
  })
}

const HEAVY = new Set<RunSelect>(HEAVY_RUN_SELECTS)
