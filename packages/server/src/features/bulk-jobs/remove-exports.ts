import type { Deps } from '../../deps.ts'
import { removeExport } from './export-file.ts'
import { selectJobIds } from './store.ts'

/** Removes all exported files of a workspace. */
export async function removeExportsOf(deps: Pick<Deps, 'relational' | 'config'>, tenantId: string): Promise<void> {
  for (const id of await selectJobIds(deps.relational.db, tenantId)) await removeExport(deps, id)
}
