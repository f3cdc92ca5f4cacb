import { contract } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { sendText } from '../../http/responses.ts'
import type { Caller } from '../../http/serve.ts'
import { type App, RawJson, serve } from '../../http/serve.ts'
import { changeRepo, createRepo, deleteRepos, likeRepo } from './change-repos.ts'
import { commentOnRepo, likeComment, listComments } from './comments.ts'
import { getOwnRepo, getRepo, listRepos, listRepoTags, presentRepo } from './read-repos.ts'
import { type RepoView, selectLatestManifest } from './store.ts'

export function promptRoutes(app: App, deps: Pick<Deps, 'relational' | 'clock' | 'ids'>): void {
  const { prompts } = contract
  const { db } = deps.relational

  serve(app, prompts.create, async ({ caller, body }) => toResponse(await createRepo(deps, caller, body), caller))

  serve(app, prompts.list, async ({ caller, query, reply }) => {
    const { views, total } = await listRepos(deps, caller.tenantId, query)
    if (query.with_latest_manifest) return sendText(reply, withManifests(views, total, caller))
    return new RawJson(`{"repos":[${views.map((view) => presentRepo(view, caller)).join(',')}],"total":${total}}`)
  })

  /** Loads one manifest at a time: a page of large ones would not fit into memory. */
  async function* withManifests(views: readonly RepoView[], total: number, caller: Caller): AsyncGenerator<string> {
    let begin = '{"repos":['
    for (const view of views) {
      yield begin + presentRepo(view, caller, await selectLatestManifest(db, view.row))
      begin = ','
    }
    yield `${begin === ',' ? '' : begin}],"total":${total}}`
  }

  serve(app, prompts.listTags, async ({ caller, query }) => ({
    tags: await listRepoTags(deps, caller.tenantId, query),
  }))

  serve(app, prompts.deleteMany, async ({ caller, query, reply }) => {
    const deletion = await deleteRepos(deps, caller, query.repo_ids ?? [])
    if (deletion.errors.length === 0) return deletion
    return reply.code(207).header('content-type', 'application/json').send(JSON.stringify(deletion))
  })

  serve(app, prompts.read, async ({ caller, params }) => toResponse(await getRepo(deps, caller, params), caller))

  serve(app, prompts.update, async ({ caller, params, body }) =>
    toResponse(await changeRepo(deps, caller, params, body), caller),
  )

  serve(app, prompts.delete, async ({ caller, params }) => {
    const { row } = await getOwnRepo(deps, caller, params)
    await deleteRepos(deps, caller, [row.id])
    return {}
  })

  serve(app, prompts.like, async ({ caller, params, body }) => ({
    likes: await likeRepo(deps, caller, params, body.like),
  }))

  commentRoutes(app, deps)
}

const toResponse = (view: RepoView, caller: Caller | undefined) => new RawJson(`{"repo":${presentRepo(view, caller)}}`)

function commentRoutes(app: App, deps: Pick<Deps, 'relational' | 'clock' | 'ids'>): void {
  const { prompts } = contract

  serve(app, prompts.listComments, ({ caller, params, query }) =>
    listComments(deps, caller, params, { ...query, parentId: null }),
  )

  serve(app, prompts.comment, ({ caller, params, body }) =>
    commentOnRepo(deps, caller, params, { ...body, parentId: null }),
  )

  serve(app, prompts.listReplies, ({ caller, params, query }) =>
    listComments(deps, caller, params, { ...query, parentId: params.comment_id }),
  )

  serve(app, prompts.reply, ({ caller, params, body }) =>
    commentOnRepo(deps, caller, params, { ...body, parentId: params.comment_id }),
  )

  serve(app, prompts.likeComment, async ({ caller, params }) => {
    await likeComment(deps, caller, params, { commentId: params.comment_id, like: true })
    return {}
  })

  serve(app, prompts.unlikeComment, async ({ caller, params }) => {
    await likeComment(deps, caller, params, { commentId: params.comment_id, like: false })
    return {}
  })
}
