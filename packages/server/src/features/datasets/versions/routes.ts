import { contract, type DatasetVersion } from '@touchstone/contract'
import { type App, serve } from '../../../http/serve.ts'
import type { WriteDeps } from '../examples/index.ts'
import { findDataset } from '../index.ts'
import { diffVersions } from './diff-versions.ts'
import { listVersions, type TaggedVersion } from './list-versions.ts'
import { readVersion, requireVersion } from './read-version.ts'
import { changeSplit, listSplits } from './splits.ts'
import { tagVersion } from './tag-version.ts'

export function datasetVersionRoutes(app: App, deps: WriteDeps): void {
  const { datasetVersions } = contract

  serve(app, datasetVersions.list, async ({ caller, params, query }) => {
    const dataset = await findDataset(deps, caller.tenantId, params.dataset_id)
    return (await listVersions(deps, dataset, query)).map(presentVersion)
  })

  serve(app, datasetVersions.read, async ({ caller, params, query }) => {
    const dataset = await findDataset(deps, caller.tenantId, params.dataset_id)
    return presentVersion(await readVersion(deps, dataset, query))
  })

  serve(app, datasetVersions.diff, async ({ caller, params, query }) => {
    const dataset = await findDataset(deps, caller.tenantId, params.dataset_id)
    const [from, to] = [
      await requireVersion(deps, dataset, query.from_version),
      await requireVersion(deps, dataset, query.to_version),
    ]
    return diffVersions(deps, dataset, from, to)
  })

  serve(app, datasetVersions.tag, async ({ caller, params, body }) => {
    const dataset = await findDataset(deps, caller.tenantId, params.dataset_id)
    return presentVersion(await tagVersion(deps, dataset, body))
  })

  serve(app, datasetVersions.listSplits, async ({ caller, params, query }) => {
    const dataset = await findDataset(deps, caller.tenantId, params.dataset_id)
    return listSplits(deps, dataset, query.as_of)
  })

  serve(app, datasetVersions.updateSplits, async ({ caller, params, query, body }) => {
    const remove = body.remove ?? query.remove ?? false
    const change = { split: body.split_name, exampleIds: body.examples, remove }
    return changeSplit(deps, caller.tenantId, params.dataset_id, change)
  })
}

function presentVersion({ asOf, tags }: TaggedVersion): DatasetVersion {
  return { as_of: asOf.toISOString(), tags: [...tags] }
}
