import { printJson } from '@touchstone/formats/exact-json'
import type { ImportedExample } from './to-example.ts'

export interface MultipartBody {
  readonly contentType: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

export interface NewExample {
  readonly id: string
  readonly example: ImportedExample
}

/** Rules for the examples of one import. */
export interface UploadTarget {
  readonly datasetId: string
  /** The same for all, so that they are listed in the order of the file although they are sent in parts. */
  readonly createdAt: string
}

/** The body of a request that creates examples, or replaces those that have the ids. */
export function printUpload(examples: readonly NewExample[], target: UploadTarget): MultipartBody {
  const boundary = `touchstone-${crypto.getRandomValues(new Uint32Array(4)).join('')}`
  const parts = examples.flatMap((one) => printParts(one, target))
  // Printed JSON has no line breaks, so it cannot contain the boundary.
  const text = parts.map(
    ({ name, json }) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\ncontent-type: application/json\r\n\r\n${json}\r\n`,
  )
  const bytes = new TextEncoder().encode(`${text.join('')}--${boundary}--\r\n`)
  return { contentType: `multipart/form-data; boundary=${boundary}`, bytes }
}

function printParts({ id, example }: NewExample, { datasetId, createdAt }: UploadTarget) {
  const { inputs, outputs, metadata, splits } = example
  const main = { dataset_id: datasetId, created_at: createdAt, metadata, split: splits }
  const parts = [
    { name: id, json: printJson(main) },
    { name: `${id}.inputs`, json: printJson(inputs) },
  ]
  return outputs === null ? parts : [...parts, { name: `${id}.outputs`, json: printJson(outputs) }]
}
