import { getMember, removeMember } from '@touchstone/formats/edit-json'
import { indentJson } from '@touchstone/formats/locate-json'
import { readSplits } from './columns.ts'

/** An attachment of a stored example. */
export interface StoredFile {
  name: string
  url: string
  mimeType: string
}

/** An example with its JSON as it is written, so that editing one value rounds no number in the others. */
export interface StoredExample {
  id: string
  datasetId: string
  /** `#0001 @ dataset` */
  name: string
  createdAt: string
  modifiedAt: string
  sourceRunId: string | null
  splits: readonly string[]
  files: readonly StoredFile[]
  /** JSON text with indents. */
  inputs: string
  /** Empty without outputs. */
  outputs: string
  /** Without the splits. */
  metadata: string
}

interface WireExample {
  id: string
  dataset_id: string
  name: string
  created_at: string
  modified_at: string
  source_run_id: string | null
  metadata: Record<string, unknown>
  attachment_urls?: Record<string, { presigned_url: string; mime_type: string }>
}

const ATTACHMENT = 'attachment.'
/** The metadata key that holds the splits. */
const SPLIT_KEY = 'dataset_split'

/** @param json  one example as the API answers it */
export function parseStoredExample(json: string): StoredExample {
  const wire = JSON.parse(json) as WireExample
  const outputs = getMember(json, 'outputs') ?? 'null'
  return {
    id: wire.id,
    datasetId: wire.dataset_id,
    name: wire.name,
    createdAt: wire.created_at,
    modifiedAt: wire.modified_at,
    sourceRunId: wire.source_run_id,
    splits: readSplits(wire),
    files: Object.entries(wire.attachment_urls ?? {}).map(([name, { presigned_url, mime_type }]) => ({
      name: name.startsWith(ATTACHMENT) ? name.slice(ATTACHMENT.length) : name,
      url: presigned_url,
      mimeType: mime_type,
    })),
    inputs: indentJson(getMember(json, 'inputs') ?? '{}'),
    outputs: outputs === 'null' ? '' : indentJson(outputs),
    metadata: removeMember(getMember(json, 'metadata') ?? '{}', SPLIT_KEY),
  }
}

/** All content of an example as one JSON text, to compare versions. */
export function printForDiff({ inputs, outputs, metadata, splits, files }: StoredExample): string {
  const names = files.map(({ name }) => name)
  return [
    `{"inputs": ${inputs}`,
    `"outputs": ${outputs === '' ? 'null' : outputs}`,
    `"splits": ${JSON.stringify(splits)}`,
    `"metadata": ${metadata}`,
    `"attachments": ${JSON.stringify(names)}}`,
  ].join(', ')
}
