import { ApiError } from '@touchstone/contract'
import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../storage/relational/port.ts'
import {
  promptCommits,
  promptCommitTags,
  promptLikes,
  promptRepos,
  type RepoRow,
} from '../../storage/relational/tables/prompts.ts'
import { workspaces } from '../accounts/workspaces/index.ts'

/** A repo with what depends on the reader. */
export interface RepoView {
  readonly row: RepoRow
  /** Handle of its workspace. */
  readonly owner: string | null
  readonly commitTags: readonly string[]
  /** Null for a reader without a workspace. */
  readonly isLiked: boolean | null
}

/** A workspace by id or handle. */
export type Owner = { readonly tenantId: string } | { readonly handle: string }

/** @returns undefined when the workspace has a repo with that name */
export async function insertRepo(
  db: Database,
  row: typeof promptRepos.$inferInsert,
): Promise<{ readonly id: string } | undefined> {
  const [inserted] = await db.insert(promptRepos).values(row).onConflictDoNothing().returning({ id: promptRepos.id })
  return inserted
}

/** @param viewer  workspace of the reader */
export async function selectRepo(
  db: Database,
  owner: Owner,
  handle: string,
  viewer: string | undefined,
): Promise<RepoView | undefined> {
  const isOwner =
    'tenantId' in owner ? eq(promptRepos.tenant_id, owner.tenantId) : eq(workspaces.tenant_handle, owner.handle)
  const [view] = await selectRepoViews(db, viewer).where(and(isOwner, eq(promptRepos.repo_handle, handle)))
  return view
}

export async function selectRepoById(
  db: Database,
  tenantId: string,
  id: string,
  viewer: string | undefined,
): Promise<RepoView | undefined> {
  const [view] = await selectRepoViews(db, viewer).where(matchesRepoKey(tenantId, id))
  return view
}

/** The caller's own repo. @throws ApiError NOT_FOUND when it was deleted meanwhile */
export async function getRepoById(db: Database, tenantId: string, id: string): Promise<RepoView> {
  const view = await selectRepoById(db, tenantId, id, tenantId)
  if (view === undefined) throw new ApiError('NOT_FOUND', 'Repository not found')
  return view
}

export async function selectRepoPage(
  db: Database,
  viewer: string,
  where: SQL | undefined,
  { orderBy, offset, limit }: { readonly orderBy: SQL; readonly offset: number; readonly limit: number },
): Promise<RepoView[]> {
  return selectRepoViews(db, viewer).where(where).orderBy(orderBy, promptRepos.id).offset(offset).limit(limit)
}

export async function countRepos(db: Database, where: SQL | undefined): Promise<number> {
  const [row] = await db
    .select({ n: sql<number>`count(*)::int` })
    .from(promptRepos)
    .innerJoin(workspaces, eq(workspaces.id, promptRepos.tenant_id))
    .where(where)
  return row?.n ?? 0
}

export async function countTags(db: Database, where: SQL | undefined): Promise<{ tag: string; count: number }[]> {
  return db
    .select({ tag: sql<string>`named.tag`, count: sql<number>`count(*)::int` })
    .from(promptRepos)
    .innerJoin(workspaces, eq(workspaces.id, promptRepos.tenant_id))
    .crossJoinLateral(sql`unnest(${promptRepos.tags}) as named (tag)`)
    .where(where)
    .groupBy(sql`named.tag`)
    .orderBy(sql`count(*) desc`, sql`named.tag`)
}

/** Locks the row until the transaction ends, so that changes of one repo run one after the other. */
export async function selectRepoForUpdate(
  tx: Database,
  { tenant_id, id }: Pick<RepoRow, 'tenant_id' | 'id'>,
): Promise<RepoRow | undefined> {
  const [row] = await tx.select().from(promptRepos).where(matchesRepoKey(tenant_id, id)).for('update')
  return row
}

export async function updateRepo(
  db: Database,
  tenantId: string,
  id: string,
  changes: Partial<typeof promptRepos.$inferInsert>,
): Promise<void> {
  await db.update(promptRepos).set(changes).where(matchesRepoKey(tenantId, id))
}

/** Names of the tags that would be deleted with these repos and the files they own. */
export async function selectTagNames(db: Database, tenantId: string, ids: readonly string[]): Promise<string[]> {
  const isAmong = or(inArray(promptRepos.id, [...ids]), inArray(promptRepos.owned_by_repo_id, [...ids]))
  const rows = await db
    .selectDistinct({ name: promptCommitTags.tag_name })
    .from(promptCommitTags)
    .innerJoin(promptRepos, eq(promptRepos.id, promptCommitTags.repo_id))
    .where(and(eq(promptRepos.tenant_id, tenantId), isAmong))
  return rows.map(({ name }) => name)
}

/** @returns ids of the deleted repos */
export async function deleteRepoRows(db: Database, tenantId: string, ids: readonly string[]): Promise<string[]> {
  const deleted = await db
    .delete(promptRepos)
    .where(and(eq(promptRepos.tenant_id, tenantId), inArray(promptRepos.id, [...ids])))
    .returning({ id: promptRepos.id })
  return deleted.map(({ id }) => id)
}

/** Removes all likes of a workspace, which ends, and counts them no longer. */
export async function removeLikes(db: Database, tenantId: string): Promise<void> {
  await db.execute(sql`
    with gone as (delete from prompt_likes where tenant_id = ${tenantId} returning repo_id)
    update prompt_repos set num_likes = num_likes - 1 where id in (select repo_id from gone)`)
}

/** Adds or removes the reader's like and counts again. The row of the repo must be locked. */
export async function writeLike(tx: Database, repoId: string, tenantId: string, like: boolean): Promise<number> {
  if (like) await tx.insert(promptLikes).values({ repo_id: repoId, tenant_id: tenantId }).onConflictDoNothing()
  else await tx.delete(promptLikes).where(and(eq(promptLikes.repo_id, repoId), eq(promptLikes.tenant_id, tenantId)))
  const [row] = await tx
    .update(promptRepos)
    .set({ num_likes: sql`(select count(*) from prompt_likes where repo_id = ${repoId})` })
    .where(eq(promptRepos.id, repoId))
    .returning({ likes: promptRepos.num_likes })
  return row?.likes ?? 0
}

/** The newest manifest of a repo, as JSON text. */
export async function selectLatestManifest(
  db: Database,
  { tenant_id, last_commit_id }: RepoRow,
): Promise<string | undefined> {
  if (last_commit_id === null) return undefined
  const [row] = await db
    .select({ manifest: promptCommits.manifest })
    .from(promptCommits)
    .where(and(eq(promptCommits.tenant_id, tenant_id), eq(promptCommits.id, last_commit_id)))
  return row?.manifest
}

function selectRepoViews(db: Database, viewer: string | undefined) {
  return db
    .select({
      row: promptRepos,
      owner: workspaces.tenant_handle,
      commitTags: sql<string[]>`array(
        select tag_name from prompt_commit_tags where repo_id = ${promptRepos.id} order by tag_name
      )`,
      isLiked:
        viewer === undefined
          ? sql<null>`null::boolean`
          : sql<boolean>`exists (
              select 1 from prompt_likes where repo_id = ${promptRepos.id} and prompt_likes.tenant_id = ${viewer}
            )`,
    })
    .from(promptRepos)
    .innerJoin(workspaces, eq(workspaces.id, promptRepos.tenant_id))
    .$dynamic()
}

const matchesRepoKey = (tenantId: string, id: string) =>
  and(eq(promptRepos.tenant_id, tenantId), eq(promptRepos.id, id))

/** Number of repositories of all types in a workspace, including archived ones. */
export function countOwnRepos(db: Database, tenantId: string): Promise<number> {
  return countRepos(db, eq(promptRepos.tenant_id, tenantId))
}
