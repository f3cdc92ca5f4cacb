import { contract, type DatasetVersion } from '@touchstone/contract'
import { type App, serve } from '../../../http/serve.ts'
import type { WriteDeps } from '../examples/index.ts'
import { getDataset } from '../index.ts'
import {
  diffVersions,
  getTaggedVersion,
  getVersion,
  listVersions,
  type TaggedVersion,
  tagVersion,
} from './dataset-versions.ts'
import { restoreVersion } from './restore-version.ts'
import { changeSplit, listSplits } from './splits.ts'

export function datasetVersionRoutes(app: App, deps: WriteDeps): void {
  const { datasetVersions } = contract

  serve(app, datasetVersions.list, async ({ caller, params, query }) => {
    const dataset = await getDataset(deps, caller.tenantId, params.dataset_id)
    return (await listVersions(deps, dataset, query)).map(presentVersion)
  })

  serve(app, datasetVersions.read, async ({ caller, params, query }) => {
    const dataset = await getDataset(deps, caller.tenantId, params.dataset_id)
    return presentVersion(await getTaggedVersion(deps, dataset, query))
  })

  serve(app, datasetVersions.diff, async ({ caller, params, query }) => {
    const dataset = await getDataset(deps, caller.tenantId, params.dataset_id)
    const [from, to] = [
      await getVersion(deps, dataset, query.from_version),
      await getVersion(deps, dataset, query.to_version),
    ]
    return diffVersions(deps, dataset, from, to)
  })

  serve(app, datasetVersions.tag, async ({ caller, params, body }) => {
    const dataset = await getDataset(deps, caller.tenantId, params.dataset_id)
    return presentVersion(await tagVersion(deps, dataset, body))
  })

  serve(app, datasetVersions.restore, ({ caller, params, body }) =>
    restoreVersion(deps, caller.tenantId, params.dataset_id, body),
  )

  serve(app, datasetVersions.listSplits, async ({ caller, params, query }) => {
    const dataset = await getDataset(deps, caller.tenantId, params.dataset_id)
    return listSplits(deps, dataset, query.as_of)
  })

  serve(app, datasetVersions.updateSplits, async ({ caller, params, query, body }) => {
    const remove = body.remove ?? query.remove ?? false
    const change = { split: body.split_name, exampleIds: body.examples, remove }
    return changeSplit(deps, caller.tenantId, params.dataset_id, change)
  })
}

function presentVersion({ asOf, tags, changes }: TaggedVersion): DatasetVersion {
  return { as_of: asOf.toISOString(), tags: [...tags], ...(changes && { changes }) }
}
