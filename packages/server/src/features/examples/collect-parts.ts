import { isUtf8 } from 'node:buffer'
import { parseUuid } from '@touchstone/contract'
import type { Part } from '../../http/multipart.ts'
import type { Problems } from './problems.ts'

/** What the parts of one example say. */
export interface ExampleParts {
  readonly id: string
  /** JSON text of the part that is named by the id alone. */
  main?: string
  inputs?: string
  outputs?: string
  /** JSON text. */
  operations?: string
  readonly attachments: AttachmentPart[]
}

export interface AttachmentPart {
  readonly name: string
  readonly part: Part
}

const TEXTS: Readonly<Record<string, 'main' | 'inputs' | 'outputs' | 'operations'>> = {
  '': 'main',
  inputs: 'inputs',
  outputs: 'outputs',
  attachments_operations: 'operations',
}

/**
 * Brings the parts of each example together by the id that their names begin with, in the order in which the examples
 * first occur: `{id}`, `{id}.inputs`, `{id}.outputs`, `{id}.attachment.{name}`, `{id}.attachments_operations`.
 */
export function collectParts(
  parts: readonly Part[],
  problems: Problems,
  { maxAttachmentBytes }: { readonly maxAttachmentBytes: number },
): ExampleParts[] {
  const examples = new Map<string, ExampleParts>()
  for (const part of parts) {
    const id = /^[^.]{36}(\.|$)/.test(part.name) ? parseUuid(part.name.slice(0, 36)) : undefined
    if (id === undefined) {
      problems.add('INVALID_REQUEST', [shown(part.name)], 'the name of this part does not begin with a uuid')
      continue
    }
    const example = examples.get(id) ?? { id, attachments: [] }
    examples.set(id, example)
    const field = part.name.slice(37)
    const attachment = /^attachments?\.(.+)$/s.exec(field)?.[1]
    if (attachment !== undefined) {
      if (part.bytes.length > maxAttachmentBytes) {
        const says = `has ${part.bytes.length} bytes, more than the limit of ${maxAttachmentBytes}`
        problems.add('PAYLOAD_TOO_LARGE', [id, shown(field)], says)
      }
      example.attachments.push({ name: attachment, part })
    } else if (!Object.hasOwn(TEXTS, field)) {
      problems.add('INVALID_REQUEST', [id, shown(field)], 'this part names no field of an example')
    } else if (!isUtf8(part.bytes)) {
      // Decoding would put replacement characters into somebody's data without a word.
      problems.add('INVALID_REQUEST', [id, shown(field)], 'this part is not valid UTF-8')
    } else if (example[TEXTS[field]!] !== undefined) {
      problems.add('CONFLICT', [id, shown(field)], 'this part occurs twice')
    } else example[TEXTS[field]!] = part.bytes.toString('utf8')
  }
  return [...examples.values()]
}

const shown = (name: string) => name.slice(0, 200)
