import { ApiError, contract, type DatasetCreate } from '@touchstone/contract'
import { isObjectText, splitMembers } from '@touchstone/formats/cut-json'
import { type App, RawJson, serve } from '../../http/serve.ts'
import { type ChangeDeps, changeDataset, deleteDatasets } from './change-datasets.ts'
import { createDataset, listDatasets, type NewDataset, presentDataset } from './datasets.ts'
import { selectDatasetView, toNewDatasetView } from './store.ts'

export function datasetRoutes(app: App, deps: ChangeDeps): void {
  const { datasets } = contract

  serve(app, datasets.create, async ({ caller, body, bodyText }) => {
    const row = await createDataset(deps, caller.tenantId, newDataset(body, bodyText))
    return new RawJson(presentDataset(toNewDatasetView(row)))
  })

  serve(app, datasets.list, async ({ caller, query }) => {
    return new RawJson(`[${(await listDatasets(deps, caller.tenantId, query)).join(',')}]`)
  })

  serve(app, datasets.read, async ({ caller, params }) => {
    const view = await selectDatasetView(deps.relational.db, caller.tenantId, params.dataset_id)
    if (view === undefined) throw new ApiError('NOT_FOUND', 'Dataset not found')
    return new RawJson(presentDataset(view))
  })

  serve(app, datasets.update, async ({ caller, params, body, bodyText }) => {
    const view = await changeDataset(deps, caller.tenantId, params.dataset_id, { body, bodyText })
    return new RawJson(presentDataset(view))
  })

  serve(app, datasets.delete, async ({ caller, params }) => {
    await deleteDatasets(deps, caller.tenantId, [params.dataset_id], caller.actorName)
    return new RawJson('null')
  })

  serve(app, datasets.deleteMany, async ({ caller, query }) => {
    if (!query.dataset_ids?.length) throw new ApiError('INVALID_REQUEST', 'Select datasets with dataset_ids.')
    await deleteDatasets(deps, caller.tenantId, query.dataset_ids, caller.actorName)
    return new RawJson('null')
  })
}

function newDataset(body: DatasetCreate, bodyText: string): NewDataset {
  const texts = splitMembers(bodyText)
  const extra = texts.get('extra')
  const extraMetadata = extra !== undefined && isObjectText(extra) ? splitMembers(extra).get('metadata') : undefined
  const isGiven = (text: string | undefined) => text !== undefined && isObjectText(text)
  return {
    ...body,
    inputs_schema: body.inputs_schema_definition == null ? null : texts.get('inputs_schema_definition'),
    outputs_schema: body.outputs_schema_definition == null ? null : texts.get('outputs_schema_definition'),
    transformations: body.transformations == null ? null : texts.get('transformations'),
    metadata: isGiven(extraMetadata) ? extraMetadata : isGiven(texts.get('metadata')) ? texts.get('metadata') : null,
  }
}
