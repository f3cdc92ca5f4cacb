import * as routes from '@touchstone/contract/routes'
import type { ApiRoute } from '@touchstone/sdk'
import { clientOf, DatasetFileCalls, DatasetVersionCalls, ExampleCalls } from '@touchstone/sdk/api'
import { client as api, connection } from '#lib/api/client.ts'
import { readProblems } from '#lib/errors.ts'
import { type ExportOptions, type MadeExport, makeExport } from './export/make-export.ts'
import type { UploadPart } from './import/import-session.ts'
import type { KnownKeys } from './import/mapping.ts'

const client = clientOf(connection, ExampleCalls, DatasetFileCalls, DatasetVersionCalls)

/** Examples whose keys are taken for the keys of the dataset. */
const SAMPLE = 20
/** Older than any dataset. */
const BEFORE_ALL = '1970-01-01T00:00:00.000Z'

/** Keys that the first examples of a dataset have. */
export async function readKnownKeys(datasetId: string): Promise<KnownKeys> {
  const examples = await client.queryExamples({ dataset: datasetId, limit: SAMPLE })
  const collect = (records: readonly (object | null | undefined)[]) => [
    ...new Set(records.flatMap((record) => Object.keys(record ?? {}))),
  ]
  return {
    inputs: collect(examples.map(({ inputs }) => inputs)),
    outputs: collect(examples.map(({ outputs }) => outputs)),
  }
}

/** Creates the examples of a part, or replaces those that have its ids. */
export async function uploadExamples({ body }: UploadPart): Promise<void> {
  const headers = { 'content-type': body.contentType }
  const answer = await api.raw(routes.examples.upsert, { bytes: body.bytes, headers, doing: 'import examples' })
  await answer.arrayBuffer()
}

/** The examples that a failed upload names, by id, with reasons. */
export function readRefusedExamples(error: unknown): Readonly<Record<string, string>> {
  const refused: Record<string, string> = {}
  for (const { loc, msg } of readProblems(error)) {
    const [, id, ...place] = loc.map(String)
    if (id === undefined) continue
    const reason = place.length === 0 ? msg : `${place.join('.')}: ${msg}`
    refused[id] = refused[id] === undefined ? reason : `${refused[id]}; ${reason}`
  }
  return refused
}

/** Removes imported examples from the newest version, in as few versions as possible. Unknown ids are ignored. */
export async function removeImported(datasetId: string, ids: readonly string[]): Promise<void> {
  for (let from = 0; from < ids.length; from += MOST_RESTORED) {
    const exampleIds = ids.slice(from, from + MOST_RESTORED)
    await client.restoreDatasetVersion({ datasetId, asOf: BEFORE_ALL, exampleIds })
  }
}

/** Ids of one request. */
const MOST_RESTORED = 50_000

export interface ExportRequest extends ExportOptions {
  readonly datasetId: string
  /** A version or a tag; absent: the newest. */
  readonly asOf: string | undefined
  readonly signal: AbortSignal
}

/** Reads the examples of one version and makes a file of them. */
export async function exportDataset({ datasetId, asOf, signal, ...options }: ExportRequest): Promise<MadeExport> {
  // Both streams must be of the same version, also when the dataset changes in between.
  const version = asOf ?? (await client.readDatasetVersion({ datasetId, tag: 'latest' }, { signal })).as_of
  const open = async (route: ApiRoute) => {
    const request = { params: { dataset_id: datasetId }, query: { as_of: version }, signal }
    const { body } = await api.raw(route, { ...request, doing: 'export the dataset' })
    if (body === null) throw new Error('The server sent no file.')
    return body
  }
  const rows = await open(routes.datasetFiles.jsonl)
  const chats =
    options.format === 'openai'
      ? await open(routes.datasetFiles.openai)
      : options.format === 'openai_ft'
        ? await open(routes.datasetFiles.openaiFineTuning)
        : undefined
  return makeExport({ rows, chats }, options)
}

/** The CSV file of a whole version with formulas disarmed. */
export function exportForSpreadsheet(
  datasetId: string,
  asOf: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  return client.exportDataset({ datasetId, format: 'csv', for: 'spreadsheet', asOf }, { signal })
}
