import { isUtf8 } from 'node:buffer'
import { ApiError, parseUuid } from '@touchstone/contract'
import type { Part } from '../../../http/multipart.ts'
import type { StoredAttachment } from '../../attachments/index.ts'
import type { Problems } from './problems.ts'
import type { AttachmentStore } from './store-attachments.ts'

/** What the parts of one example say. */
export interface ExampleParts {
  readonly id: string
  /** JSON text of the part that is named by the id alone. */
  main?: string
  inputs?: string
  outputs?: string
  /** JSON text. */
  operations?: string
  readonly attachments: StoredAttachment[]
}

const TEXTS: Readonly<Record<string, 'main' | 'inputs' | 'outputs' | 'operations'>> = {
  '': 'main',
  inputs: 'inputs',
  outputs: 'outputs',
  attachments_operations: 'operations',
}

export interface CollectOptions {
  readonly problems: Problems
  readonly attachments: AttachmentStore
  readonly maxAttachmentBytes: number
  /** Of all parts that are not attachments. */
  readonly maxJsonBytes: number
}

/**
 * Brings the parts of each example together by the id that their names begin with, in the order in which the examples
 * first occur: `{id}`, `{id}.inputs`, `{id}.outputs`, `{id}.attachment.{name}`, `{id}.attachments_operations`.
 * Attachments go to their store as they come.
 */
export async function collectParts(parts: AsyncIterable<Part>, options: CollectOptions): Promise<ExampleParts[]> {
  const { problems, attachments, maxAttachmentBytes, maxJsonBytes } = options
  const examples = new Map<string, ExampleParts>()
  let jsonBytes = 0
  for await (const part of parts) {
    const id = /^[^.]{36}(\.|$)/.test(part.name) ? parseUuid(part.name.slice(0, 36)) : undefined
    if (id === undefined) {
      problems.add('INVALID_REQUEST', [shown(part.name)], 'the name of this part does not begin with a uuid')
      continue
    }
    const example = examples.get(id) ?? { id, attachments: [] }
    examples.set(id, example)
    const field = part.name.slice(37)
    const attachment = /^attachments?\.(.+)$/s.exec(field)?.[1]
    if (attachment === undefined) {
      jsonBytes += part.bytes.length
      if (jsonBytes > maxJsonBytes) throw tooMuchJson(maxJsonBytes)
      collectText(example, field, part, problems)
    } else if (part.bytes.length > maxAttachmentBytes) {
      const says = `has ${part.bytes.length} bytes, more than the limit of ${maxAttachmentBytes}`
      problems.add('PAYLOAD_TOO_LARGE', [id, shown(field)], says)
    } else {
      const place = example.attachments.length++ // several are written at once; the order is that of the parts
      await attachments.put(attachment, part, (stored) => {
        example.attachments[place] = stored
      })
    }
  }
  await attachments.settle()
  return [...examples.values()]
}

function collectText(example: ExampleParts, field: string, { bytes }: Part, problems: Problems): void {
  const text = Object.hasOwn(TEXTS, field) ? TEXTS[field] : undefined
  const refuse = (says: string) => problems.add('INVALID_REQUEST', [example.id, shown(field)], says)
  if (text === undefined) refuse('this part names no field of an example')
  // Decoding would put replacement characters into somebody's data without a word.
  else if (!isUtf8(bytes)) refuse('this part is not valid UTF-8')
  else if (example[text] !== undefined) {
    problems.add('CONFLICT', [example.id, shown(field)], 'this part occurs twice: an id stands for one example')
  } else example[text] = bytes.toString('utf8')
}

function tooMuchJson(maxJsonBytes: number): ApiError {
  return new ApiError(
    'PAYLOAD_TOO_LARGE',
    `The examples of one request exceed ${maxJsonBytes} bytes of JSON; send them in several, or raise TOUCHSTONE_MAX_BODY_BYTES.`,
  )
}

const shown = (name: string) => name.slice(0, 200)
