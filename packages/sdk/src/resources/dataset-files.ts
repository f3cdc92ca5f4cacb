import { withByteOrderMark } from '@touchstone/contract/csv-line'
import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { Dataset, DataType, Example } from '../schemas.ts'
import { encodeText } from '../tracing/text-bytes.ts'
import { Multipart } from '../transport/multipart.ts'
import type { Transport } from '../transport/transport.ts'
import { Calls } from './calls.ts'
import { type DatasetKey, datasetIdOf, NEITHER } from './dataset-key.ts'
import type { VersionLike } from './dataset-versions.ts'
import { readable } from './list-examples.ts'

export interface UploadCsvParams {
  csvFile: Blob
  fileName: string
  /** Columns that become inputs; every cell stays text. */
  inputKeys: string[]
  outputKeys: string[]
  description?: string | undefined
  /** @default "kv" */
  dataType?: DataType | undefined
  /** @default the file's name */
  name?: string | undefined
}

export interface CopyExamplesParams {
  sourceDatasetId: string
  targetDatasetId: string
  /** @default the newest */
  asOf?: VersionLike | undefined
  /** @default all of the version */
  exampleIds?: string[] | undefined
  /** Only examples of these splits. */
  split?: string | string[] | undefined
}

export type ExportFormat = 'csv' | 'jsonl' | 'openai' | 'openai_ft'

export type ExportDatasetParams = DatasetKey & {
  format: ExportFormat
  /** @default the newest version */
  asOf?: VersionLike | undefined
  /** Of `csv`: an apostrophe disarms cells that a spreadsheet would take for formulas. @default cells as stored */
  for?: 'spreadsheet' | undefined
}

export class DatasetFileCalls extends Calls {
  /** Makes a dataset of a CSV file whose first row names the columns; all rows are one version. */
  async uploadCsv(params: UploadCsvParams, options: CallOptions = {}): Promise<Dataset> {
    const form = new Multipart()
    form.add('file', new Uint8Array(await params.csvFile.arrayBuffer()), 'text/csv', params.fileName)
    const field = (name: string, text: string | undefined) => {
      if (text) form.add(name, encodeText(text))
    }
    for (const key of params.inputKeys) field('input_keys', key)
    for (const key of params.outputKeys) field('output_keys', key)
    field('description', params.description)
    field('data_type', params.dataType)
    field('name', params.name)
    return await this.transport.call(routes.datasetFiles.upload, {
      bytes: form.bytes(),
      headers: { 'content-type': form.contentType },
      doing: 'upload CSV',
      ...options,
    })
  }

  /** The examples as chats in the form that OpenAI's fine-tuning takes. */
  // biome-ignore lint/suspicious/noExplicitAny: lines of a file in the format of another vendor
  async readDatasetOpenaiFinetuning(key: DatasetKey, options: CallOptions = {}): Promise<any[]> {
    const text = await readExport(this.transport, { ...key, format: 'openai_ft' }, options)
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    return lines.map((line) => JSON.parse(line))
  }

  /** Copies examples of a version, attachments included, into another dataset, under new ids. An extension of ours. */
  async copyExamples(params: CopyExamplesParams, options: CallOptions = {}): Promise<Example[]> {
    const { sourceDatasetId, targetDatasetId, asOf, exampleIds, split } = params
    assertUuid(sourceDatasetId, 'sourceDatasetId')
    assertUuid(targetDatasetId, 'targetDatasetId')
    for (const [index, id] of (exampleIds ?? []).entries()) assertUuid(id, `exampleIds[${index}]`)
    const body = {
      source_dataset_id: sourceDatasetId,
      target_dataset_id: targetDatasetId,
      as_of: asOf instanceof Date ? asOf.toISOString() : asOf,
      examples: exampleIds,
      split,
    }

    const request = { body, doing: 'copy examples', ...options }
    return (await this.transport.call(routes.datasetFiles.clone, request)).map(readable)
  }

  /** The examples of a version as the text of a file, whole in memory. An extension of ours. */
  async exportDataset(params: ExportDatasetParams, options: CallOptions = {}): Promise<string> {
    return await readExport(this.transport, params, options)
  }
}

async function readExport(transport: Transport, params: ExportDatasetParams, options: CallOptions): Promise<string> {
  const id = await datasetIdOf(transport, params, NEITHER, options)
  const route = EXPORT_ROUTES[params.format]
  const request = { params: { dataset_id: id }, query: { as_of: params.asOf, for: params.for } }
  const { text } = await transport.send(route, { ...request, ...options })
  return params.for === 'spreadsheet' && params.format === 'csv' ? withByteOrderMark(text) : text
}

const EXPORT_ROUTES = {
  csv: routes.datasetFiles.csv,
  jsonl: routes.datasetFiles.jsonl,
  openai: routes.datasetFiles.openai,
  openai_ft: routes.datasetFiles.openaiFineTuning,
} as const satisfies Record<ExportFormat, unknown>
