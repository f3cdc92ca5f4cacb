import { RunConditions } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { readFacets } from './facets.ts'

const MOST_KEYS = 20

/** The most frequent values of each key of metadata among the runs of a project. */
export async function readProjectMetadata(
  deps: Pick<Deps, 'analytics'>,
  tenantId: string,
  wish: {
    readonly projectId: string
    readonly keys?: readonly string[] | undefined
    readonly values: number
    readonly rootsOnly: boolean
    readonly since?: string | undefined
  },
): Promise<Record<string, string[]>> {
  const runs = RunConditions.parse({
    session: [wish.projectId],
    is_root: wish.rootsOnly ? true : undefined,
    start_time: wish.since,
  })
  const keys = wish.keys ?? (await frequentKeys(deps, tenantId, runs))
  const query = { ...runs, facets: [], metadata_keys: [...keys], limit: wish.values }
  const { facets } = await readFacets(deps, tenantId, query)
  return Object.fromEntries(facets.map(({ values }, at) => [keys[at]!, values.map(({ value }) => value)]))
}

async function frequentKeys(deps: Pick<Deps, 'analytics'>, tenantId: string, runs: RunConditions): Promise<string[]> {
  const { facets } = await readFacets(deps, tenantId, { ...runs, facets: ['metadata_key'], limit: MOST_KEYS })
  return facets[0]!.values.map(({ value }) => value)
}
