import { ApiError, type Comment, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/caller.ts'
import { checkText } from './check-repo.ts'
import {
  type CommentView,
  countComments,
  insertComment,
  selectComment,
  selectComments,
  writeCommentLike,
} from './comment-store.ts'
import { findRepo, type RepoPath } from './find-repo.ts'

const MAX_CHARACTERS = 10_000

type Rows = Pick<Deps, 'relational'>

/** Comments on a repo, or with `parentId` the replies to one of them, newest first. */
export async function listComments(
  deps: Rows,
  caller: Caller | undefined,
  path: RepoPath,
  { parentId, ...page }: { readonly parentId: string | null; readonly offset: number; readonly limit: number },
): Promise<{ comments: Comment[]; total: number }> {
  const { db } = deps.relational
  const { row } = await findRepo(deps, caller, path)
  if (parentId !== null) await getComment(deps, row.id, parentId, caller)
  const thread = { repoId: row.id, parentId }
  const views = await selectComments(db, thread, caller?.tenantId, page)
  return { comments: views.map(present), total: await countComments(db, thread) }
}

/**
 * Says something about a repo that the caller may read, or replies to what was said.
 *
 * @throws ApiError NOT_FOUND for the repo or the comment; INVALID_REQUEST unless it has 1 to 10,000 characters
 */
export async function commentOnRepo(
  deps: Pick<Deps, 'relational' | 'clock' | 'ids'>,
  caller: Caller,
  path: RepoPath,
  { parentId, content }: { readonly parentId: string | null; readonly content: string },
): Promise<Comment> {
  const { row } = await findRepo(deps, caller, path)
  checkText('content', content)
  if (content.trim() === '' || content.length > MAX_CHARACTERS) {
    throw new ApiError('INVALID_REQUEST', `A comment has 1 to ${MAX_CHARACTERS} characters.`)
  }
  if (parentId !== null) await getComment(deps, row.id, parentId, caller)
  const now = timeOfEpochMs(deps.clock())
  const id = deps.ids()
  await insertComment(deps.relational.db, {
    id,
    repo_id: row.id,
    parent_id: parentId,
    tenant_id: caller.tenantId,
    content,
    created_at: now,
    updated_at: now,
  })
  return present(await getComment(deps, row.id, id, caller))
}

/** Likes a comment, or no longer; a workspace likes once. */
export async function likeComment(
  deps: Rows,
  caller: Caller,
  path: RepoPath,
  { commentId, like }: { readonly commentId: string; readonly like: boolean },
): Promise<void> {
  const { row } = await findRepo(deps, caller, path)
  const comment = await getComment(deps, row.id, commentId, caller)
  await writeCommentLike(deps.relational.db, comment.row.id, caller.tenantId, like)
}

async function getComment({ relational }: Rows, repoId: string, id: string, caller: Caller | undefined) {
  const view = await selectComment(relational.db, repoId, id, caller?.tenantId)
  if (view === undefined) throw new ApiError('NOT_FOUND', 'Comment not found')
  return view
}

function present({ row, author, numReplies, numLikes, isLiked }: CommentView): Comment {
  return {
    id: row.id,
    comment_on: row.repo_id,
    parent_id: row.parent_id,
    comment_by: row.tenant_id,
    comment_by_name: author,
    content: row.content,
    created_at: row.created_at,
    updated_at: row.updated_at,
    num_sub_comments: numReplies,
    num_likes: numLikes,
    liked_by_auth_user: isLiked,
  }
}
