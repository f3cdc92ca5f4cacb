import { type Bytes, textBytes } from '../text-bytes.ts'
import { type FieldName, type Operation, weigh } from './operation.ts'

/** Removing parts smaller than this does not help a request that is too large. */
const WORTH_LEAVING_OUT_BYTES = 1024

/**
 * Returns the run without its largest field or attachment, with a marker that states the original size. `undefined`
 * when nothing large is left.
 */
export function withoutLargestPart(operation: Operation): Operation | undefined {
  const largest = [...fieldSizes(operation), ...attachmentSizes(operation)].sort((a, b) => b.size - a.size)[0]
  if (!largest || largest.size < WORTH_LEAVING_OUT_BYTES) return undefined
  const smaller = { ...operation, fields: new Map(operation.fields), attachments: new Map(operation.attachments) }
  if (largest.field) smaller.fields.set(largest.field, marker(largest.field, largest.size))
  else smaller.attachments.delete(largest.name)
  return weigh(smaller)
}

interface Part {
  name: string
  field?: FieldName
  size: number
}

function fieldSizes({ fields }: Operation): Part[] {
  return [...fields].map(([field, bytes]) => ({ name: field, field, size: bytes.length }))
}

function attachmentSizes({ attachments }: Operation): Part[] {
  return [...attachments].map(([name, { data }]) => ({ name, size: data.length }))
}

function marker(field: FieldName, size: number): Bytes {
  const text = `Left out: ${field} of ${size} bytes, more than the server accepts`
  const value = field === 'error' ? text : field === 'events' ? [] : { ls_error: text }
  return textBytes(JSON.stringify(value))
}
