import { ApiError } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/caller.ts'
import { insistOnTags } from './environments/index.ts'
import { deleteRepoRows, selectTagNames } from './store.ts'

const MAX_IDS = 100

export interface Deletion {
  readonly deleted: readonly string[]
  readonly errors: readonly { readonly repo_id: string; readonly error: string }[]
}

/**
 * Deletes repos with their commits, tags, likes and comments, and the files they own. Forks stay, and keep the name of
 * what they were forked from.
 *
 * @throws ApiError INVALID_REQUEST without ids or with more than 100, NOT_FOUND when none of them is there,
 *   FORBIDDEN when one carries a protected tag that the caller may not remove
 */
export async function deleteRepos(
  { relational }: Pick<Deps, 'relational'>,
  caller: Caller,
  given: readonly string[],
): Promise<Deletion> {
  const ids = [...new Set(given)]
  if (ids.length === 0) throw new ApiError('INVALID_REQUEST', 'Name repositories by repo_ids.')
  if (ids.length > MAX_IDS) {
    throw new ApiError('INVALID_REQUEST', `At most ${MAX_IDS} repositories are deleted at once.`)
  }
  await insistOnTags({ relational }, caller, await selectTagNames(relational.db, caller.tenantId, ids))
  const deleted = await deleteRepoRows(relational.db, caller.tenantId, ids)
  if (deleted.length === 0) throw new ApiError('NOT_FOUND', 'Repository not found')
  const missing = ids.filter((id) => !deleted.includes(id))
  return { deleted, errors: missing.map((repo_id) => ({ repo_id, error: 'Repository not found' })) }
}
