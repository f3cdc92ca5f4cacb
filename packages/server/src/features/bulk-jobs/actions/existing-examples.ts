import { findExamples } from '../../datasets/examples/index.ts'
import type { ActionDeps } from './action.ts'

/** Which of some examples there are now. */
export async function existingExamples(
  deps: ActionDeps,
  tenantId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { found } = await findExamples(deps, tenantId, { id: [...ids], limit: ids.length, order: 'id' })
  return new Set(found.map(({ id }) => id))
}
