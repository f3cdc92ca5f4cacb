import { contract } from '@touchstone/contract'
import type { FastifyReply } from 'fastify'
import type { Deps } from '../../../deps.ts'
import { jsonList, sendText } from '../../../http/responses.ts'
import { type App, RawJson, serve, serveRaw } from '../../../http/serve.ts'
import { presentProject } from '../../projects/index.ts'
import { type ExamplesChange, presentExample } from '../examples/index.ts'
import { getDatasetView, presentDataset } from '../index.ts'
import { exportDataset, streamExamples } from './export-dataset.ts'
import { readForm } from './file-form.ts'
import { type UploadExperimentDeps, uploadExperiment } from './upload-experiment.ts'
import { appendRows, cloneExamples, uploadDataset } from './upload-rows.ts'

export type DatasetFileDeps = UploadExperimentDeps & Pick<Deps, 'blobs'>

export function datasetFileRoutes(app: App, deps: DatasetFileDeps): void {
  const { datasetFiles } = contract

  serveRaw(app, datasetFiles.upload, async ({ caller, request }) => {
    const id = await uploadDataset(deps, caller.tenantId, await readForm(request))
    return new RawJson(presentDataset(await getDatasetView(deps, caller.tenantId, id)))
  })

  serveRaw(app, datasetFiles.append, async ({ caller, params, request, reply }) => {
    const changed = await appendRows(deps, caller.tenantId, params.dataset_id, await readForm(request))
    return sendCreated(deps, reply, caller.tenantId, params.dataset_id, changed)
  })

  serve(app, datasetFiles.clone, async ({ caller, body, reply }) => {
    const changed = await cloneExamples(deps, caller.tenantId, body)
    return sendCreated(deps, reply, caller.tenantId, body.target_dataset_id, changed)
  })

  serve(app, datasetFiles.uploadExperiment, async ({ caller, body, bodyText }) => {
    const { datasetId, experiment } = await uploadExperiment(deps, caller, { body, text: bodyText })
    const dataset = presentDataset(await getDatasetView(deps, caller.tenantId, datasetId))
    return new RawJson(`{"dataset":${dataset},"experiment":${presentProject(experiment)}}`)
  })

  const exports = {
    csv: datasetFiles.csv,
    jsonl: datasetFiles.jsonl,
    openai: datasetFiles.openai,
    openai_ft: datasetFiles.openaiFineTuning,
  } as const
  for (const [format, route] of Object.entries(exports) as [keyof typeof exports, typeof datasetFiles.csv][]) {
    serve(app, route, async ({ caller, params, query, reply }) => {
      const wanted = { format, asOf: query.as_of, reader: query.for }
      const file = await exportDataset(deps, caller.tenantId, params.dataset_id, wanted)
      return sendText(reply, file.pieces, file)
    })
  }
}

/**
 * Returns the created examples in the order of the request: lists start with the newest version, in the order within
 * it.
 */
function sendCreated(
  deps: DatasetFileDeps,
  reply: FastifyReply,
  tenantId: string,
  datasetId: string,
  { asOf, ids }: ExamplesChange,
): Promise<FastifyReply> {
  const query = { dataset: datasetId, as_of: asOf.toISOString(), order: 'recent' as const }
  async function* texts() {
    for await (const rows of streamExamples(deps, tenantId, query, ids.length)) {
      yield rows.map((row) => presentExample(row))
    }
  }
  return sendText(reply, jsonList(texts()))
}
