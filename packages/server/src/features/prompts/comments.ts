import { ApiError, type Comment, timeOfEpochMs } from '@touchstone/contract'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/serve.ts'
import type { Database } from '../../storage/relational/port.ts'
import { type CommentRow, promptCommentLikes, promptComments } from '../../storage/relational/tables/prompts.ts'
import { workspaces } from '../accounts/workspaces/index.ts'
import { getRepo, type RepoPath } from './read-repos.ts'

const MAX_CHARACTERS = 10_000

/** In place of the workspace and the text of a comment that was deleted and has replies of others. */
const NO_WORKSPACE = '00000000-0000-0000-0000-000000000000'
const DELETED = 'This comment was deleted.'

/**
 * Removes the comments of a deleted workspace. One that workspaces which stay have replied to, also below other replies, becomes
 * a placeholder without its text and author, so that what others wrote stays where it was written.
 */
export async function removeComments(db: Database, tenantId: string): Promise<void> {
  await db.execute(sql`
    with recursive above as (
      select parent_id as id from prompt_comments where tenant_id not in (${tenantId}, ${NO_WORKSPACE})
      union
      select comment.parent_id from prompt_comments as comment join above on comment.id = above.id
    )
    update prompt_comments set tenant_id = ${NO_WORKSPACE}, content = ${DELETED}
    where tenant_id = ${tenantId} and id in (select id from above)`)
  await db.delete(promptComments).where(eq(promptComments.tenant_id, tenantId))
  // Placeholders whose last reply was one of them; each round may leave others without a reply.
  for (let removed = 1; removed > 0; ) {
    const rows = await db
      .delete(promptComments)
      .where(
        sql`${promptComments.tenant_id} = ${NO_WORKSPACE} and not exists (
          select 1 from prompt_comments as reply where reply.parent_id = ${promptComments.id})`,
      )
      .returning({ id: promptComments.id })
    removed = rows.length
  }
}

type RepoDeps = Pick<Deps, 'relational'>

/** Comments on a repo, or with `parentId` the replies to one of them, newest first. */
export async function listComments(
  deps: RepoDeps,
  caller: Caller | undefined,
  path: RepoPath,
  { parentId, ...page }: { readonly parentId: string | null; readonly offset: number; readonly limit: number },
): Promise<{ comments: Comment[]; total: number }> {
  const { db } = deps.relational
  const { row } = await getRepo(deps, caller, path)
  if (parentId !== null) await getComment(deps, row.id, parentId, caller)
  const thread = { repoId: row.id, parentId }
  const views = await selectComments(db, thread, caller?.tenantId, page)
  return { comments: views.map(presentComment), total: await countComments(db, thread) }
}

/**
 * Adds a comment to a repo that the caller may read, or a reply to a comment.
 *
 * @throws ApiError NOT_FOUND for the repo or the comment; INVALID_REQUEST unless it has 1 to 10,000 characters
 */
export async function commentOnRepo(
  deps: Pick<Deps, 'relational' | 'clock' | 'ids'>,
  caller: Caller,
  path: RepoPath,
  { parentId, content }: { readonly parentId: string | null; readonly content: string },
): Promise<Comment> {
  const { row } = await getRepo(deps, caller, path)
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
  return presentComment(await getComment(deps, row.id, id, caller))
}

/** Sets or removes the like of the caller's workspace. */
export async function likeComment(
  deps: RepoDeps,
  caller: Caller,
  path: RepoPath,
  { commentId, like }: { readonly commentId: string; readonly like: boolean },
): Promise<void> {
  const { row } = await getRepo(deps, caller, path)
  const comment = await getComment(deps, row.id, commentId, caller)
  await writeCommentLike(deps.relational.db, comment.row.id, caller.tenantId, like)
}

async function getComment({ relational }: RepoDeps, repoId: string, id: string, caller: Caller | undefined) {
  const view = await selectComment(relational.db, repoId, id, caller?.tenantId)
  if (view === undefined) throw new ApiError('NOT_FOUND', 'Comment not found')
  return view
}

function presentComment({ row, author, numReplies, numLikes, isLiked }: CommentView): Comment {
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

/** A comment with what depends on the reader. */
interface CommentView {
  readonly row: CommentRow
  /** Handle or name of the author's workspace. */
  readonly author: string
  readonly numReplies: number
  readonly numLikes: number
  /** Null for a reader without a workspace. */
  readonly isLiked: boolean | null
}

/** Comments on a repo itself, or replies to one of them. */
interface Thread {
  readonly repoId: string
  readonly parentId: string | null
}

async function insertComment(db: Database, row: CommentRow): Promise<void> {
  await db.insert(promptComments).values(row)
}

async function selectComments(
  db: Database,
  thread: Thread,
  viewer: string | undefined,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<CommentView[]> {
  return selectCommentViews(db, viewer)
    .where(matchesThread(thread))
    .orderBy(sql`${promptComments.created_at} desc, ${promptComments.id} desc`)
    .offset(offset)
    .limit(limit)
}

async function countComments(db: Database, thread: Thread): Promise<number> {
  const [row] = await db.select({ n: sql<number>`count(*)::int` }).from(promptComments).where(matchesThread(thread))
  return row?.n ?? 0
}

async function selectComment(
  db: Database,
  repoId: string,
  id: string,
  viewer: string | undefined,
): Promise<CommentView | undefined> {
  const [view] = await selectCommentViews(db, viewer).where(
    and(eq(promptComments.repo_id, repoId), eq(promptComments.id, id)),
  )
  return view
}

async function writeCommentLike(db: Database, commentId: string, tenantId: string, like: boolean): Promise<void> {
  const mine = { comment_id: commentId, tenant_id: tenantId }
  if (like) {
    await db.insert(promptCommentLikes).values(mine).onConflictDoNothing()
    return
  }
  await db
    .delete(promptCommentLikes)
    .where(and(eq(promptCommentLikes.comment_id, commentId), eq(promptCommentLikes.tenant_id, tenantId)))
}

function selectCommentViews(db: Database, viewer: string | undefined) {
  const likes = sql`from prompt_comment_likes where comment_id = ${promptComments.id}`
  return db
    .select({
      row: promptComments,
      // A placeholder has no author.
      author: sql<string>`coalesce(${workspaces.tenant_handle}, ${workspaces.display_name}, '')`,
      numReplies: sql<number>`(
        select count(*)::int from prompt_comments as replies where replies.parent_id = ${promptComments.id}
      )`,
      numLikes: sql<number>`(select count(*)::int ${likes})`,
      isLiked:
        viewer === undefined
          ? sql<null>`null::boolean`
          : sql<boolean>`exists (select 1 ${likes} and prompt_comment_likes.tenant_id = ${viewer})`,
    })
    .from(promptComments)
    .leftJoin(workspaces, eq(workspaces.id, promptComments.tenant_id))
    .$dynamic()
}

function matchesThread({ repoId, parentId }: Thread): SQL | undefined {
  const isChild = parentId === null ? sql`${promptComments.parent_id} is null` : eq(promptComments.parent_id, parentId)
  return and(eq(promptComments.repo_id, repoId), isChild)
}
