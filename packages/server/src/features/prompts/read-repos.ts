import { ApiError, REPO_HANDLE, type Repo, type RepoConditions, type RepoListQuery } from '@touchstone/contract'
import { addRawMembers } from '@touchstone/formats/write-object'
import { and, arrayContains, asc, desc, eq, gt, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/serve.ts'
import { containsPattern, searchable } from '../../storage/relational/like.ts'
import { promptRepos } from '../../storage/relational/tables/prompts.ts'
import { workspaces } from '../accounts/workspaces/index.ts'
import { countRepos, countTags, type RepoView, selectRepo, selectRepoPage } from './store.ts'

type RepoDeps = Pick<Deps, 'relational'>

/** A page of the repos that match a query, with the total number. */
export async function listRepos(
  { relational }: RepoDeps,
  tenantId: string,
  query: RepoListQuery,
): Promise<{ readonly views: readonly RepoView[]; readonly total: number }> {
  const where = toConditions(tenantId, query)
  const views = await selectRepoPage(relational.db, tenantId, where, { ...query, orderBy: toOrder(query) })
  return { views, total: await countRepos(relational.db, where) }
}

/** Tags of the repos that match a query, the most frequent first. */
export function listRepoTags({ relational }: RepoDeps, tenantId: string, query: RepoConditions) {
  return countTags(relational.db, toConditions(tenantId, query))
}

function toConditions(tenantId: string, query: RepoConditions): SQL | undefined {
  const types = [...(query.repo_type ?? []), ...(query.repo_types ?? [])]
  return and(
    matchesVisible(tenantId, query),
    inArray(promptRepos.repo_type, types.length === 0 ? ['prompt'] : types),
    query.is_archived === 'allow' ? undefined : eq(promptRepos.is_archived, query.is_archived === 'true'),
    query.is_public === undefined ? undefined : eq(promptRepos.is_public, query.is_public),
    query.has_commits === undefined ? undefined : matchesCommitted(query.has_commits),
    query.tags?.length ? arrayContains(promptRepos.tags, query.tags.map(storable)) : undefined,
    query.tenant_handle === undefined ? undefined : matchesOwner(tenantId, query.tenant_handle),
    query.tenant_id === undefined ? undefined : eq(promptRepos.tenant_id, query.tenant_id),
    query.source === undefined ? undefined : eq(promptRepos.source, query.source),
    matchesUpstream(tenantId, query),
    query.query ? matchesText(query.query) : undefined,
  )
}

/** Own repos; also public repos of other workspaces when the query asks for them. */
function matchesVisible(tenantId: string, query: RepoConditions): SQL | undefined {
  const isOwn = eq(promptRepos.tenant_id, tenantId)
  const asksForOthers = query.is_public === true || query.tenant_handle !== undefined || query.tenant_id !== undefined
  return asksForOthers ? or(isOwn, eq(promptRepos.is_public, true)) : isOwn
}

function matchesCommitted(has: boolean): SQL {
  return has ? gt(promptRepos.num_commits, 0) : eq(promptRepos.num_commits, 0)
}

function matchesOwner(tenantId: string, handle: string): SQL {
  return handle === '-' ? eq(promptRepos.tenant_id, tenantId) : eq(workspaces.tenant_handle, storable(handle))
}

function matchesUpstream(
  tenantId: string,
  { upstream_repo_owner: owner, upstream_repo_handle: handle }: RepoConditions,
): SQL | undefined {
  if (owner === undefined && handle === undefined) return undefined
  return sql`${promptRepos.upstream_repo_id} in (
    select up.id
    from prompt_repos as up
    join workspaces as of_up on of_up.id = up.tenant_id
    where (up.is_public or up.tenant_id = ${tenantId})
      ${handle === undefined ? sql`` : sql`and up.repo_handle = ${storable(handle)}`}
      ${owner === undefined ? sql`` : owner === '-' ? sql`and up.tenant_id = ${tenantId}` : sql`and of_up.tenant_handle = ${storable(owner)}`}
  )`
}

/** Matches anywhere in the text, including the starts of words. */
function matchesText(query: string): SQL {
  const pattern = containsPattern(storable(query))
  return sql`(${promptRepos.repo_handle} ilike ${pattern} or ${promptRepos.description} ilike ${pattern} or ${promptRepos.readme} ilike ${pattern})`
}

function toOrder({ sort_field, sort_direction, query }: RepoListQuery): SQL {
  const direction = sort_direction === 'asc' ? asc : desc
  if (sort_field !== 'relevance') return direction(promptRepos[sort_field])
  return sql`${direction(toRelevance(query))}, ${desc(promptRepos.updated_at)}`
}

/** Exact name, then names that start with the text, names that contain it, and other matches. */
function toRelevance(query: string | undefined): SQL {
  if (!query) return sql`0::int`
  const name = storable(query).toLowerCase()
  return sql`case
    when ${promptRepos.repo_handle} = ${name} then 3
    when starts_with(${promptRepos.repo_handle}, ${name}) then 2
    when ${promptRepos.repo_handle} ilike ${containsPattern(name)} then 1
    else 0 end`
}

/** A text that the database cannot store matches nothing. */
const storable = (text: string) => searchable(text) as string

/** A repo as JSON text for one reader; `latestManifest` is raw JSON. */
export function presentRepo(view: RepoView, caller: Caller | undefined, latestManifest?: string): string {
  const { row, owner } = view
  const foreign = isForeign(view, caller)
  const repo: Omit<Repo, 'latest_commit_manifest'> = {
    id: row.id,
    tenant_id: row.tenant_id,
    repo_handle: row.repo_handle,
    owner,
    full_name: toFullName(view),
    description: row.description,
    readme: row.readme,
    tags: row.tags,
    is_public: row.is_public,
    is_archived: row.is_archived,
    repo_type: row.repo_type,
    source: row.source,
    restricted_mode: row.restricted_mode,
    created_at: row.created_at,
    updated_at: row.updated_at,
    created_by: foreign ? null : row.created_by,
    num_likes: row.num_likes,
    num_downloads: row.num_downloads,
    num_views: row.num_views,
    num_commits: row.num_commits,
    liked_by_auth_user: view.isLiked,
    last_commit_hash: row.last_commit_hash,
    commit_tags: [...view.commitTags],
    original_repo_id: row.original_repo_id,
    original_repo_full_name: replaceOwner(row.original_repo_full_name, owner),
    upstream_repo_id: row.upstream_repo_id,
    upstream_repo_full_name: replaceOwner(row.upstream_repo_full_name, owner),
    is_foreign: foreign,
  }
  const latest =
    latestManifest === undefined
      ? null
      : addRawMembers({ commit_hash: row.last_commit_hash }, { manifest: latestManifest, examples: '[]' })
  return addRawMembers(repo, { latest_commit_manifest: latest })
}

/** `owner/handle`; `-/handle` while the workspace has no handle. */
export function toFullName({ row, owner }: Pick<RepoView, 'row' | 'owner'>): string {
  return `${owner ?? '-'}/${row.repo_handle}`
}

/** Only a repo of the same workspace can be forked while the workspace has no handle. */
function replaceOwner(fullName: string | null, owner: string | null): string | null {
  return owner !== null && fullName?.startsWith('-/') ? `${owner}${fullName.slice(1)}` : fullName
}

/** Names of a repo in a path; `-` is the caller's own workspace. */
export interface RepoPath {
  readonly owner: string
  readonly repo: string
}

/**
 * A repo that the caller may read: one of its workspace, or a public one. The response does not reveal whether another
 * repo exists.
 *
 * @throws ApiError NOT_FOUND; UNAUTHENTICATED for `-` without a caller
 */
export async function getRepo({ relational }: RepoDeps, caller: Caller | undefined, path: RepoPath): Promise<RepoView> {
  if (path.owner === '-' && caller === undefined) throw new ApiError('UNAUTHENTICATED')
  if (!REPO_HANDLE.test(path.repo) || !(path.owner === '-' || REPO_HANDLE.test(path.owner))) throw toNotFound()
  const owner = path.owner === '-' && caller !== undefined ? { tenantId: caller.tenantId } : { handle: path.owner }
  const view = await selectRepo(relational.db, owner, path.repo, caller?.tenantId)
  if (view === undefined || (!view.row.is_public && isForeign(view, caller))) throw toNotFound()
  return view
}

/**
 * A repo that the caller may change.
 *
 * @throws ApiError NOT_FOUND; FORBIDDEN for a public one of another workspace
 */
export async function getOwnRepo(deps: RepoDeps, caller: Caller, path: RepoPath): Promise<RepoView> {
  const view = await getRepo(deps, caller, path)
  if (isForeign(view, caller)) throw new ApiError('FORBIDDEN', 'This repository belongs to another workspace.')
  return view
}

/** Whether a repo belongs to another workspace than the reader's, so that its content is not trusted. */
export function isForeign({ row }: Pick<RepoView, 'row'>, caller: Caller | undefined): boolean {
  return row.tenant_id !== caller?.tenantId
}

const toNotFound = () => new ApiError('NOT_FOUND', 'Repository not found')
