import { ApiError, contract } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { type App, RawJson, serve } from '../../../http/serve.ts'
import { splitMembers } from '../../../json/cut-json.ts'
import { type ExampleRow, withSplits } from '../examples/index.ts'
import { getDataset } from '../index.ts'
import { findSimilar } from './find-similar.ts'
import { deleteIndex, selectIndex } from './store.ts'
import { syncIndex } from './sync-index.ts'

export function datasetSearchRoutes(app: App, deps: Pick<Deps, 'relational'>): void {
  const { datasetSearch } = contract
  const { db } = deps.relational

  serve(app, datasetSearch.index, async ({ caller, params, body }) => {
    await syncIndex(deps, caller.tenantId, params.dataset_id, body?.tag ?? 'latest')
  })

  serve(app, datasetSearch.readIndex, async ({ caller, params }) => {
    const dataset = await getDataset(deps, caller.tenantId, params.dataset_id)
    const index = await selectIndex(db, dataset.id)
    if (index === undefined) throw new ApiError('NOT_FOUND', 'Index not found: the dataset is not indexed')
    const last_updated_version = index.indexed_version?.toISOString() ?? dataset.created_at
    return { dataset_id: dataset.id, tag: index.tag, last_updated_version }
  })

  serve(app, datasetSearch.deleteIndex, async ({ caller, params }) => {
    await deleteIndex(db, (await getDataset(deps, caller.tenantId, params.dataset_id)).id)
    return new RawJson('null')
  })

  serve(app, datasetSearch.syncIndex, async ({ caller, params }) => {
    await syncIndex(deps, caller.tenantId, params.dataset_id)
    return new RawJson('null')
  })

  serve(app, datasetSearch.search, async ({ caller, params, body, bodyText }) => {
    const inputs = splitMembers(bodyText).get('inputs')!
    const found = await findSimilar(deps, caller.tenantId, params.dataset_id, { ...body, inputs })
    return new RawJson(`{"examples":[${found.map(presentSimilar).join(',')}]}`)
  })
}

/** Without `dataset_id`: public Python clients add their own and accept no second one. */
function presentSimilar({ id, inputs, outputs, metadata, splits }: ExampleRow): string {
  return `{"id":"${id}","inputs":${inputs},"outputs":${outputs ?? 'null'},"metadata":${withSplits(metadata, splits)}}`
}
