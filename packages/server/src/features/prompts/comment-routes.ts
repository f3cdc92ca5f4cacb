import { contract } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { type App, serve } from '../../http/serve.ts'
import { commentOnRepo, likeComment, listComments } from './comment-on-repo.ts'

export function commentRoutes(app: App, deps: Pick<Deps, 'relational' | 'clock' | 'ids'>): void {
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
