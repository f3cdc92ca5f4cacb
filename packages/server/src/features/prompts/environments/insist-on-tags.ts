import { ApiError, isAtLeast } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/caller.ts'
import { readEnvironments } from './environments.ts'

/**
 * Lets pass whoever may make, move and remove all of these tags.
 *
 * @throws ApiError FORBIDDEN saying which tag is protected, and who may
 */
export async function insistOnTags(
  deps: Pick<Deps, 'relational'>,
  { tenantId, role }: Caller,
  tagNames: readonly string[],
): Promise<void> {
  if (tagNames.length === 0 || isAtLeast(role, 'admin')) return
  const { environments } = await readEnvironments(deps, tenantId)
  const closed = environments.find(({ name, least_role }) => tagNames.includes(name) && !isAtLeast(role, least_role))
  if (closed === undefined) return
  throw new ApiError(
    'FORBIDDEN',
    `The tag ${closed.name} is protected: only ${closed.least_role}s may move it, and you are a ${role}.`,
  )
}
