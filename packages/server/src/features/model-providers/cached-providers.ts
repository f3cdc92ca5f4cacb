import type { Deps } from '../../deps.ts'
import type { ModelProviderRow } from '../../storage/relational/tables/model-providers.ts'
import { selectProvider } from './store.ts'

type CacheDeps = Pick<Deps, 'relational' | 'caches'>

/** Providers whose rows are kept. */
const MAX_CACHED = 1_000

/**
 * A provider as it is stored, for calls. PostgreSQL may have several processes, and answers fast: it is asked each time.
 */
export function selectCachedProvider(
  { relational, caches: { modelProviders } }: CacheDeps,
  tenantId: string,
  id: string,
): Promise<ModelProviderRow | undefined> {
  if (relational.engine !== 'pglite') return selectProvider(relational.db, tenantId, id)
  const key = `${tenantId} ${id}`
  const cached = modelProviders.get(key)
  if (cached !== undefined) return cached
  if (modelProviders.size >= MAX_CACHED) modelProviders.clear()
  // Kept before it is read: a change that ends in the meantime removes it.
  const row = selectProvider(relational.db, tenantId, id)
  modelProviders.set(key, row)
  const forget = () => modelProviders.get(key) === row && modelProviders.delete(key)
  row.then((found) => found ?? forget(), forget)
  return row
}

/** Call it after the transaction of a change. */
export function forgetProviders({ caches }: Pick<Deps, 'caches'>): void {
  caches.modelProviders.clear()
}
