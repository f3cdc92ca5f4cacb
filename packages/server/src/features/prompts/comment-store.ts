import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../storage/relational/port.ts'
import { type CommentRow, promptCommentLikes, promptComments } from '../../storage/relational/tables/prompts.ts'
import { workspaces } from '../accounts/workspaces/index.ts'

/** A comment as one reader sees it. */
export interface CommentView {
  readonly row: CommentRow
  /** What the workspace that said it is called. */
  readonly author: string
  readonly numReplies: number
  readonly numLikes: number
  /** Null to a reader without a workspace. */
  readonly isLiked: boolean | null
}

/** Comments on a repo itself, or replies to one of them. */
export interface Thread {
  readonly repoId: string
  readonly parentId: string | null
}

export async function insertComment(db: Database, row: CommentRow): Promise<void> {
  await db.insert(promptComments).values(row)
}

export async function selectComments(
  db: Database,
  thread: Thread,
  viewer: string | undefined,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<CommentView[]> {
  return selectViews(db, viewer)
    .where(isIn(thread))
    .orderBy(sql`${promptComments.created_at} desc, ${promptComments.id} desc`)
    .offset(offset)
    .limit(limit)
}

export async function countComments(db: Database, thread: Thread): Promise<number> {
  const [row] = await db.select({ n: sql<number>`count(*)::int` }).from(promptComments).where(isIn(thread))
  return row?.n ?? 0
}

export async function selectComment(
  db: Database,
  repoId: string,
  id: string,
  viewer: string | undefined,
): Promise<CommentView | undefined> {
  const [view] = await selectViews(db, viewer).where(and(eq(promptComments.repo_id, repoId), eq(promptComments.id, id)))
  return view
}

export async function writeCommentLike(
  db: Database,
  commentId: string,
  tenantId: string,
  like: boolean,
): Promise<void> {
  const mine = { comment_id: commentId, tenant_id: tenantId }
  if (like) {
    await db.insert(promptCommentLikes).values(mine).onConflictDoNothing()
    return
  }
  await db
    .delete(promptCommentLikes)
    .where(and(eq(promptCommentLikes.comment_id, commentId), eq(promptCommentLikes.tenant_id, tenantId)))
}

function selectViews(db: Database, viewer: string | undefined) {
  const likes = sql`from prompt_comment_likes where comment_id = ${promptComments.id}`
  return db
    .select({
      row: promptComments,
      author: sql<string>`coalesce(${workspaces.tenant_handle}, ${workspaces.display_name})`,
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
    .innerJoin(workspaces, eq(workspaces.id, promptComments.tenant_id))
    .$dynamic()
}

function isIn({ repoId, parentId }: Thread): SQL | undefined {
  const isChild = parentId === null ? sql`${promptComments.parent_id} is null` : eq(promptComments.parent_id, parentId)
  return and(eq(promptComments.repo_id, repoId), isChild)
}
