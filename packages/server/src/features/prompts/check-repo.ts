import { ApiError, REPO_HANDLE } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { isStorable } from '../../storage/relational/columns.ts'
import { selectHandle } from '../accounts/workspaces/index.ts'

const MAX_HANDLE = 200
const MAX_TAG = 200
const MAX_TAGS = 100

/** @throws ApiError INVALID_REQUEST when a repo cannot be called that */
export function assertRepoHandle(handle: string): void {
  if (REPO_HANDLE.test(handle) && handle.length <= MAX_HANDLE) return
  throw new ApiError(
    'INVALID_REQUEST',
    `Invalid repo_handle "${handle.slice(0, MAX_HANDLE).toWellFormed()}": must match /${REPO_HANDLE.source}/ and have at most ${MAX_HANDLE} characters.`,
  )
}

export interface RepoTexts {
  readonly description?: string | null | undefined
  readonly readme?: string | null | undefined
  readonly tags?: readonly string[] | null | undefined
}

/** @throws ApiError INVALID_REQUEST for text that the database would have to change */
export function assertRepoTexts({ description, readme, tags }: RepoTexts): void {
  assertStorableText('description', description)
  assertStorableText('readme', readme)
  if ((tags?.length ?? 0) > MAX_TAGS) throw new ApiError('INVALID_REQUEST', `A repo has at most ${MAX_TAGS} tags.`)
  for (const tag of tags ?? []) {
    assertStorableText('tags', tag)
    if (tag === '' || tag.length > MAX_TAG) {
      throw new ApiError('INVALID_REQUEST', `A tag has 1 to ${MAX_TAG} characters.`)
    }
  }
}

/** @throws ApiError INVALID_REQUEST for text that the database would have to change */
export function assertStorableText(field: string, text: string | null | undefined): void {
  if (text == null || isStorable(text)) return
  throw new ApiError('INVALID_REQUEST', `The ${field} cannot hold NUL or half a surrogate pair.`)
}

/**
 * A public repo is called by its owner's handle.
 *
 * @throws ApiError INVALID_REQUEST when the workspace has none
 */
export async function assertCanBePublic(deps: Pick<Deps, 'relational'>, tenantId: string): Promise<void> {
  if ((await selectHandle(deps, tenantId)) !== null) return
  throw new ApiError('INVALID_REQUEST', 'Cannot create a public prompt without first creating a handle')
}
