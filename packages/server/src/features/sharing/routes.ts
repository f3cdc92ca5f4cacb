import { ApiError, contract, PUBLIC_RUN_FIELDS, type PublicRunQuery, parseUuid } from '@touchstone/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { withOrigin } from '../../http/request-origin.ts'
import { type App, RawJson, serve } from '../../http/serve.ts'
import { isNavigation, type SendPage } from '../../http/web-ui.ts'
import { findDatasetShare, findRunShare, revokePublicLinks } from '../../storage/relational/public-links.ts'
import { getPublicSchema } from '../datasets/schemas/index.ts'
import { listFeedback } from '../feedback/index.ts'
import type { RunViewDeps } from '../runs/index.ts'
import { listShared } from './list-shared.ts'
import { selectRunShares, shareRun } from './share-links.ts'
import {
  findRun,
  openShare,
  readSharedColumns,
  readSharedRuns,
  readSharedTree,
  selectSharedRunIds,
} from './shared-runs.ts'

type SharingDeps = RunViewDeps & Pick<Deps, 'config'>

export function sharingRoutes(app: App, deps: SharingDeps): void {
  const { sharing } = contract
  const { db } = deps.relational

  serve(app, sharing.shareRun, async ({ caller, params, body }) => {
    const run = await findRun(deps, caller.tenantId, params.run_id)
    if (run === undefined) throw new ApiError('NOT_FOUND', 'Run not found')
    return { run_id: run.id, share_token: await shareRun(deps, caller.tenantId, run, body?.share_token) }
  })

  serve(app, sharing.readRunShare, async ({ caller, params: { run_id } }) => {
    const [share] = await selectRunShares(db, caller.tenantId, [run_id])
    return share === undefined ? new RawJson('null') : { run_id, share_token: share.share_token }
  })

  serve(app, sharing.unshareRun, async ({ caller, params }) => {
    await revokePublicLinks(db, caller.tenantId, { by: 'run', ids: [params.run_id] })
  })

  serve(app, sharing.listShared, async ({ caller }) => ({ entities: await listShared(deps, caller.tenantId) }))

  serve(app, sharing.unshare, async ({ caller, body }) => {
    const tokens = (body?.share_tokens ?? []).flatMap((token) => parseUuid(token) ?? [])
    await revokePublicLinks(db, caller.tenantId, body?.unshare_all ? 'all' : { by: 'token', ids: tokens })
  })

  publicRoutes(app, deps)
}

/** Routes without a key: a token gives access to its run and the runs below it, and nothing else. */
function publicRoutes(app: App, deps: SharingDeps): void {
  const { sharing } = contract
  const read = async (request: FastifyRequest, token: string, query: NonNullable<PublicRunQuery>) =>
    readSharedRuns(withOrigin(deps, request), await openShare(deps, token), query)

  const readOne = async (
    request: FastifyRequest,
    { share_token, run_id }: { readonly share_token: string; readonly run_id?: string },
    withoutPayloads: boolean | undefined,
  ) => {
    const share = await openShare(deps, share_token)
    const select = PUBLIC_RUN_FIELDS.filter((field) => !withoutPayloads || !PAYLOADS.has(field))
    const [run] = await readSharedRuns(withOrigin(deps, request), share, { id: [run_id ?? share.root.id], select })
    if (run === undefined) throw new ApiError('NOT_FOUND', 'Run not found')
    return new RawJson(run)
  }

  serve(app, sharing.publicRun, ({ params, query, request }) =>
    readOne(request, params, query.exclude_s3_stored_attributes),
  )

  serve(app, sharing.publicRunById, ({ params, query, request }) =>
    readOne(request, params, query.exclude_s3_stored_attributes),
  )

  serve(app, sharing.publicRuns, async ({ params, query, request }) =>
    toArray(await read(request, params.share_token, { id: query.id })),
  )

  serve(app, sharing.publicRunsMisspelt, async ({ params, request }) => {
    // `runsshare_token=…&id=…&id=…`: the part after `runs` is a query string.
    const ids = new URLSearchParams(params.query_text).getAll('id').flatMap((text) => text.split(','))
    return toArray(await read(request, params.share_token, { id: ids.map(parseRunId) }))
  })

  serve(app, sharing.publicSchema, async ({ params }) => getPublicSchema(params.version, params.file))

  for (const route of [sharing.publicTraceRuns, sharing.publicTraceRunsAtOldPath]) {
    serve(app, route, async ({ params }) => readSharedTree(deps, await openShare(deps, params.share_token)))
  }
  serve(app, sharing.publicTraceRunColumns, async ({ params }) =>
    readSharedColumns(deps, await openShare(deps, params.share_token)),
  )

  serve(app, sharing.publicFeedback, async ({ params, query }) => {
    const share = await openShare(deps, params.share_token)
    return listFeedback(deps, share.tenantId, query, { withinRuns: selectSharedRunIds(share) })
  })

  serve(app, sharing.publicRunQuery, async ({ params, body, request }) => {
    const runs = await read(request, params.share_token, body ?? {})
    const rest = '"cursors":{"next":null,"prev":null},"search_cursors":null,"parsed_query":null'
    return new RawJson(`{"runs":[${runs.join(',')}],${rest}}`)
  })
}

const PAYLOADS = new Set<string>(['inputs', 'outputs', 'events', 'serialized'])

const toArray = (texts: readonly string[]) => new RawJson(`[${texts.join(',')}]`)

function parseRunId(text: string): string {
  const uuid = parseUuid(text)
  if (uuid === undefined) throw new ApiError('INVALID_REQUEST', 'id: value is not a valid uuid')
  return uuid
}

/**
 * Serves the web UI's page under public links, regardless of the Accept header: link preview tools do not ask for HTML.
 * An unknown token is 404, also on the pages of a dataset below.
 */
export function sharePages(fastify: FastifyInstance, deps: Pick<Deps, 'relational'>, sendPage: SendPage): void {
  const findShare = {
    r: (token: string) => findRunShare(deps.relational.db, token),
    d: (token: string) => findDatasetShare(deps.relational.db, token),
  }
  for (const [kind, path] of [
    ['r', '/public/:share_token/r'],
    ['d', '/public/:share_token/d'],
    ['d', '/public/:share_token/d/*'],
  ] as const) {
    fastify.get<{ Params: { readonly share_token: string } }>(path, async (request, reply) => {
      if ((await findShare[kind](request.params.share_token)) !== undefined) return sendPage(request, reply)
      if (isNavigation(request)) return sendPage(request, reply, 404)
      throw new ApiError('NOT_FOUND', 'Share token not found')
    })
  }
}
