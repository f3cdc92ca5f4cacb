import type { RepoConditions, RepoListQuery } from '@touchstone/contract'
import { and, arrayContains, asc, desc, eq, gt, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { containsPattern } from '../../storage/relational/like.ts'
import { searchable } from '../../storage/relational/searchable.ts'
import { promptRepos } from '../../storage/relational/tables/prompts.ts'
import { workspaces } from '../accounts/workspaces/index.ts'
import { countRepos, countTags, type RepoView, selectRepoPage } from './store.ts'

type Rows = Pick<Deps, 'relational'>

/** A page of the repos that a query finds, and how many there are on all pages. */
export async function listRepos(
  { relational }: Rows,
  tenantId: string,
  query: RepoListQuery,
): Promise<{ readonly views: readonly RepoView[]; readonly total: number }> {
  const where = toConditions(tenantId, query)
  const views = await selectRepoPage(relational.db, tenantId, where, { ...query, orderBy: toOrder(query) })
  return { views, total: await countRepos(relational.db, where) }
}

/** Tags of the repos that a query finds, the most frequent first. */
export function listRepoTags({ relational }: Rows, tenantId: string, query: RepoConditions) {
  return countTags(relational.db, toConditions(tenantId, query))
}

function toConditions(tenantId: string, query: RepoConditions): SQL | undefined {
  const types = [...(query.repo_type ?? []), ...(query.repo_types ?? [])]
  return and(
    isVisible(tenantId, query),
    inArray(promptRepos.repo_type, types.length === 0 ? ['prompt'] : types),
    query.is_archived === 'allow' ? undefined : eq(promptRepos.is_archived, query.is_archived === 'true'),
    query.is_public === undefined ? undefined : eq(promptRepos.is_public, query.is_public),
    query.has_commits === undefined ? undefined : hasCommits(query.has_commits),
    query.tags?.length ? arrayContains(promptRepos.tags, query.tags.map(storable)) : undefined,
    query.tenant_handle === undefined ? undefined : isOfOwner(tenantId, query.tenant_handle),
    query.tenant_id === undefined ? undefined : eq(promptRepos.tenant_id, query.tenant_id),
    query.source === undefined ? undefined : eq(promptRepos.source, query.source),
    isForkOf(tenantId, query),
    query.query ? matchesText(query.query) : undefined,
  )
}

/** Its own repos; those of others when the query asks for them, and of these the public ones. */
function isVisible(tenantId: string, query: RepoConditions): SQL | undefined {
  const isOwn = eq(promptRepos.tenant_id, tenantId)
  const asksForOthers = query.is_public === true || query.tenant_handle !== undefined || query.tenant_id !== undefined
  return asksForOthers ? or(isOwn, eq(promptRepos.is_public, true)) : isOwn
}

function hasCommits(has: boolean): SQL {
  return has ? gt(promptRepos.num_commits, 0) : eq(promptRepos.num_commits, 0)
}

function isOfOwner(tenantId: string, handle: string): SQL {
  return handle === '-' ? eq(promptRepos.tenant_id, tenantId) : eq(workspaces.tenant_handle, storable(handle))
}

function isForkOf(
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

/** Anywhere in the text, which covers the beginnings of words. */
function matchesText(query: string): SQL {
  const pattern = containsPattern(storable(query))
  return sql`(${promptRepos.repo_handle} ilike ${pattern} or ${promptRepos.description} ilike ${pattern} or ${promptRepos.readme} ilike ${pattern})`
}

function toOrder({ sort_field, sort_direction, query }: RepoListQuery): SQL {
  const direction = sort_direction === 'asc' ? asc : desc
  if (sort_field !== 'relevance') return direction(promptRepos[sort_field])
  return sql`${direction(toRelevance(query))}, ${desc(promptRepos.updated_at)}`
}

/** The name itself, names that begin so, names that have it, and then whoever speaks of it. */
function toRelevance(query: string | undefined): SQL {
  if (!query) return sql`0::int`
  const name = storable(query).toLowerCase()
  return sql`case
    when ${promptRepos.repo_handle} = ${name} then 3
    when starts_with(${promptRepos.repo_handle}, ${name}) then 2
    when ${promptRepos.repo_handle} ilike ${containsPattern(name)} then 1
    else 0 end`
}

/** What no text of the database can hold is found nowhere. */
const storable = (text: string) => searchable(text) as string
