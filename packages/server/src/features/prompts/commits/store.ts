import type { CommitHistoryQuery } from '@touchstone/contract'
import { and, count, desc, eq, getTableColumns, gte, inArray, lt, type SQL, sql } from 'drizzle-orm'
import { getFirst } from '../../../storage/relational/migrate.ts'
import type { Database } from '../../../storage/relational/port.ts'
import {
  promptCommits,
  promptCommitTags,
  promptRepos,
  promptTagMoves,
  type RepoRow,
  type TagMoveRow,
} from '../index.ts'

const { manifest: _, ...columns } = getTableColumns(promptCommits)

/** Key of a repo, with its workspace. */
export type RepoKey = Pick<RepoRow, 'id' | 'tenant_id'>

/** A commit without its manifest, which may be large. */
export type CommitRow = Omit<typeof promptCommits.$inferSelect, 'manifest'>

/** A commit tag with the hash of its commit. */
export interface TagView {
  readonly row: typeof promptCommitTags.$inferSelect
  readonly commitHash: string
}

export async function insertCommit(tx: Database, row: typeof promptCommits.$inferInsert): Promise<CommitRow> {
  return getFirst(await tx.insert(promptCommits).values(row).returning(columns))
}

/** The newest commit of a repo. */
export async function selectLatestCommit(db: Database, repo: RepoKey): Promise<CommitRow | undefined> {
  const [row] = await db
    .select(columns)
    .from(promptCommits)
    .where(matchesRepo(promptCommits, repo))
    .orderBy(desc(promptCommits.number))
    .limit(1)
  return row
}

export async function selectCommit(db: Database, repo: RepoKey, id: string): Promise<CommitRow | undefined> {
  const [row] = await db
    .select(columns)
    .from(promptCommits)
    .where(and(matchesRepo(promptCommits, repo), eq(promptCommits.id, id)))
  return row
}

/**
 * At most three commits whose hash starts with the prefix, newest first.
 *
 * @param prefix  lower-case hexadecimal digits
 */
export function selectCommitsByHash(db: Database, repo: RepoKey, prefix: string): Promise<CommitRow[]> {
  return db
    .select(columns)
    .from(promptCommits)
    .where(and(matchesRepo(promptCommits, repo), startsWith(prefix)))
    .orderBy(desc(promptCommits.number))
    .limit(3)
}

export async function selectCommitByTag(db: Database, repo: RepoKey, tag: string): Promise<CommitRow | undefined> {
  const [row] = await db
    .select(columns)
    .from(promptCommitTags)
    .innerJoin(promptCommits, eq(promptCommits.id, promptCommitTags.commit_id))
    .where(and(matchesRepo(promptCommitTags, repo), eq(promptCommitTags.tag_name, tag)))
  return row
}

/** Commits with the size of their manifest in bytes, newest first. */
export function selectCommits(
  db: Database,
  repo: RepoKey,
  { tag, offset, limit }: { readonly tag?: string | undefined; readonly offset: number; readonly limit: number },
): Promise<(CommitRow & { bytes: number })[]> {
  return db
    .select({ ...columns, bytes: sql<number>`octet_length(${promptCommits.manifest})` })
    .from(promptCommits)
    .where(matchesCommits(repo, tag))
    .orderBy(desc(promptCommits.number))
    .offset(offset)
    .limit(limit)
}

/** Commits whose hash starts with the prefix, newest first, each with its tags by name, and how many there are. */
export async function selectHistory(
  db: Database,
  repo: RepoKey,
  { starts_with: prefix, offset, limit }: CommitHistoryQuery,
): Promise<{ readonly rows: (CommitRow & { tags: string[] })[]; readonly total: number }> {
  const where = and(matchesRepo(promptCommits, repo), prefix === undefined ? undefined : startsWith(prefix))
  const [counted] = await db.select({ n: count() }).from(promptCommits).where(where)
  const rows = await db
    .select({
      ...columns,
      tags: sql<string[]>`array(
        select tag_name from prompt_commit_tags
        where prompt_commit_tags.repo_id = ${repo.id} and prompt_commit_tags.commit_id = prompt_commits.id
        order by tag_name
      )`,
    })
    .from(promptCommits)
    .where(where)
    .orderBy(desc(promptCommits.number))
    .offset(offset)
    .limit(limit)
  return { rows, total: counted?.n ?? 0 }
}

/** The first text after all texts that start with the prefix is the prefix and `g`. */
const startsWith = (prefix: string) =>
  and(gte(promptCommits.commit_hash, prefix), lt(promptCommits.commit_hash, `${prefix}g`))

export async function countCommits(db: Database, repo: RepoKey, tag: string | undefined): Promise<number> {
  const [row] = await db.select({ n: count() }).from(promptCommits).where(matchesCommits(repo, tag))
  return row?.n ?? 0
}

/** Manifests as JSON text, by commit. */
export async function selectManifests(
  db: Database,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select({ id: promptCommits.id, manifest: promptCommits.manifest })
    .from(promptCommits)
    .where(and(eq(promptCommits.tenant_id, tenantId), inArray(promptCommits.id, [...ids])))
  return new Map(rows.map(({ id, manifest }) => [id, manifest]))
}

/** Counts a pull on the repo and on the commit; in this order, because a deletion locks them so. */
export async function incrementPulls(
  db: Database,
  { id, repo_id, tenant_id }: CommitRow,
  what: 'num_views' | 'num_downloads',
): Promise<void> {
  const column = sql.identifier(what)
  await db.execute(sql`
    with counted as (
      update ${promptRepos} set ${column} = ${column} + 1 where tenant_id = ${tenant_id} and id = ${repo_id} returning id
    )
    update ${promptCommits} set ${column} = ${column} + 1
    from counted
    where prompt_commits.tenant_id = ${tenant_id} and prompt_commits.id = ${id} and prompt_commits.repo_id = counted.id`)
}

export function selectTags(db: Database, repo: RepoKey): Promise<TagView[]> {
  return selectTagViews(db).where(matchesRepo(promptCommitTags, repo)).orderBy(promptCommitTags.tag_name)
}

export async function selectTag(db: Database, repo: RepoKey, name: string): Promise<TagView | undefined> {
  const [view] = await selectTagViews(db).where(
    and(matchesRepo(promptCommitTags, repo), eq(promptCommitTags.tag_name, name)),
  )
  return view
}

export async function insertTag(tx: Database, row: typeof promptCommitTags.$inferInsert): Promise<void> {
  await tx.insert(promptCommitTags).values(row)
}

export async function moveTagRow(tx: Database, id: string, commitId: string, at: string): Promise<void> {
  await tx.update(promptCommitTags).set({ commit_id: commitId, updated_at: at }).where(eq(promptCommitTags.id, id))
}

export async function deleteTagRow(tx: Database, id: string): Promise<void> {
  await tx.delete(promptCommitTags).where(eq(promptCommitTags.id, id))
}

export async function insertMove(tx: Database, row: Omit<TagMoveRow, 'number'>): Promise<void> {
  await tx.insert(promptTagMoves).values(row)
}

/** Moves of a tag, newest first. */
export function selectMoves(
  db: Database,
  repo: RepoKey,
  name: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<TagMoveRow[]> {
  return db
    .select()
    .from(promptTagMoves)
    .where(matchesMoves(repo, name))
    .orderBy(desc(promptTagMoves.number))
    .offset(offset)
    .limit(limit)
}

export async function countMoves(db: Database, repo: RepoKey, name: string): Promise<number> {
  const [row] = await db.select({ n: count() }).from(promptTagMoves).where(matchesMoves(repo, name))
  return row?.n ?? 0
}

function selectTagViews(db: Database) {
  return db
    .select({ row: promptCommitTags, commitHash: promptCommits.commit_hash })
    .from(promptCommitTags)
    .innerJoin(promptCommits, eq(promptCommits.id, promptCommitTags.commit_id))
    .$dynamic()
}

function matchesCommits(repo: RepoKey, tag: string | undefined): SQL | undefined {
  const isTagged =
    tag === undefined
      ? undefined
      : sql`${promptCommits.id} in (
          select commit_id from prompt_commit_tags
          where prompt_commit_tags.repo_id = ${repo.id} and prompt_commit_tags.tag_name = ${tag}
        )`
  return and(matchesRepo(promptCommits, repo), isTagged)
}

const matchesMoves = (repo: RepoKey, name: string) =>
  and(matchesRepo(promptTagMoves, repo), eq(promptTagMoves.tag_name, name))

function matchesRepo(
  table: typeof promptCommits | typeof promptCommitTags | typeof promptTagMoves,
  { id, tenant_id }: RepoKey,
): SQL | undefined {
  return and(eq(table.tenant_id, tenant_id), eq(table.repo_id, id))
}

/** Reads the manifest of a commit as its original JSON text; undefined when the repository is deleted. */
export async function readManifest(
  { relational }: { readonly relational: { readonly db: Database } },
  tenantId: string,
  commitId: string,
): Promise<string | undefined> {
  return (await selectManifests(relational.db, tenantId, [commitId])).get(commitId)
}
