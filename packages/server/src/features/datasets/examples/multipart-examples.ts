import { isUtf8 } from 'node:buffer'
import { ApiError, AttachmentsOperations, ExamplePart, parseUuid } from '@touchstone/contract'
import { isObjectText, splitMembers } from '@touchstone/formats/cut-json'
import { findJsonProblem } from '@touchstone/formats/scan-json'
import type { z } from 'zod'
import type { Deps } from '../../../deps.ts'
import type { Part } from '../../../http/multipart.ts'
import type { StoredAttachment } from '../../attachments/index.ts'
import type { ExampleProblems } from './problems.ts'

/** The parts of one example. */
export interface ExampleParts {
  readonly id: string
  /** JSON text of the part whose name is the id alone. */
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
  readonly problems: ExampleProblems
  readonly attachments: AttachmentStore
  readonly maxAttachmentBytes: number
  /** Limit of all parts together that are not attachments. */
  readonly maxJsonBytes: number
}

/**
 * Collects the parts of each example by the id at the start of their names, in the order in which the examples first
 * occur: `{id}`, `{id}.inputs`, `{id}.outputs`, `{id}.attachment.{name}`, `{id}.attachments_operations`.
 * Attachments are stored as they arrive.
 */
export async function collectParts(parts: AsyncIterable<Part>, options: CollectOptions): Promise<ExampleParts[]> {
  const { problems, attachments, maxAttachmentBytes, maxJsonBytes } = options
  const examples = new Map<string, ExampleParts>()
  let jsonBytes = 0
  for await (const part of parts) {
    const id = /^[^.]{36}(\.|$)/.test(part.name) ? parseUuid(part.name.slice(0, 36)) : undefined
    if (id === undefined) {
      problems.add('INVALID_REQUEST', [shorten(part.name)], 'the name of this part does not begin with a uuid')
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
      const message = `has ${part.bytes.length} bytes, more than the limit of ${maxAttachmentBytes}`
      problems.add('PAYLOAD_TOO_LARGE', [id, shorten(field)], message)
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

function collectText(example: ExampleParts, field: string, { bytes }: Part, problems: ExampleProblems): void {
  const text = Object.hasOwn(TEXTS, field) ? TEXTS[field] : undefined
  const refuse = (message: string) => problems.add('INVALID_REQUEST', [example.id, shorten(field)], message)
  if (text === undefined) refuse('this part names no field of an example')
  // Decoding would silently add replacement characters to user data.
  else if (!isUtf8(bytes)) refuse('this part is not valid UTF-8')
  else if (example[text] !== undefined) {
    problems.add('CONFLICT', [example.id, shorten(field)], 'this part occurs twice: an id stands for one example')
  } else example[text] = bytes.toString('utf8')
}

function tooMuchJson(maxJsonBytes: number): ApiError {
  return new ApiError(
    'PAYLOAD_TOO_LARGE',
    `The examples of one request exceed ${maxJsonBytes} bytes of JSON; send them in several, or raise TOUCHSTONE_MAX_BODY_BYTES.`,
  )
}

const shorten = (name: string) => name.slice(0, 200)

/** The parsed parts of one example, with raw JSON payloads. */
export interface ReadParts {
  readonly main: ExamplePart
  readonly inputs: string | undefined
  readonly outputs: string | undefined
  readonly metadata: string | undefined
  readonly operations: AttachmentsOperations | undefined
}

/** Parses the JSON parts of an example. Adds their problems to the list and leaves invalid parts out. */
export function readParts(
  { id, main, inputs, outputs, operations }: ExampleParts,
  problems: ExampleProblems,
): ReadParts {
  if (main === undefined) problems.add('INVALID_REQUEST', [id], 'the part named by the id alone is missing')
  const read = parsePart(ExamplePart, main ?? '{}', [id], problems)
  return {
    main: read ?? {},
    inputs: objectText(inputs, [id, 'inputs'], problems),
    outputs: objectText(outputs, [id, 'outputs'], problems),
    metadata: read?.metadata == null ? undefined : splitMembers(main ?? '{}').get('metadata'),
    operations:
      operations === undefined
        ? undefined
        : parsePart(AttachmentsOperations, operations, [id, 'attachments_operations'], problems),
  }
}

/** Null counts as absent. */
function objectText(text: string | undefined, where: readonly string[], problems: ExampleProblems): string | undefined {
  if (text === undefined || !isJson(text, where, problems) || text.trim() === 'null') return undefined
  if (isObjectText(text)) return text
  problems.add('INVALID_REQUEST', where, 'is not a JSON object')
  return undefined
}

function parsePart<Shape extends z.ZodType>(
  shape: Shape,
  text: string,
  where: readonly string[],
  problems: ExampleProblems,
): z.output<Shape> | undefined {
  if (!isJson(text, where, problems)) return undefined
  const result = shape.safeParse(JSON.parse(text))
  if (result.success) return result.data
  for (const { path, message } of result.error.issues) {
    problems.add('INVALID_REQUEST', [...where, ...path.map(String)], message)
  }
  return undefined
}

function isJson(text: string, where: readonly string[], problems: ExampleProblems): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    problems.add('INVALID_REQUEST', where, `is not valid JSON at position ${findJsonProblem(text) ?? text.length}`)
    return false
  }
}

/** Files written concurrently; each waits for the disk. */
const AT_ONCE = 4

/** Stores the bytes of attachments durably while others still arrive, before any row references them. */
export class AttachmentStore {
  private readonly underWay = new Set<Promise<void>>()
  private failed: { readonly error: unknown } | undefined

  /** @param release  called with the number of bytes that are no longer in memory */
  constructor(
    private readonly deps: Pick<Deps, 'blobs'>,
    private readonly release: (bytes: number) => void,
  ) {}

  /** Settles when the next attachment may start; calls `done` when the bytes are durable. */
  async put(name: string, part: Part, done: (stored: StoredAttachment) => void): Promise<void> {
    while (this.underWay.size >= AT_ONCE) await Promise.race(this.underWay)
    this.throwIfFailed()
    const work = this.store(name, part, done).catch((error: unknown) => {
      this.failed ??= { error }
    })
    this.underWay.add(work)
    void work.then(() => this.underWay.delete(work))
  }

  /** Settles when all attachments are durable. */
  async settle(): Promise<void> {
    await Promise.all(this.underWay)
    this.throwIfFailed()
  }

  private async store(name: string, { contentType, bytes }: Part, done: (stored: StoredAttachment) => void) {
    const hash = await this.deps.blobs.put(bytes)
    done({ name, mime_type: contentType || 'application/octet-stream', hash, size: bytes.length })
    this.release(bytes.length)
  }

  private throwIfFailed(): void {
    if (this.failed !== undefined) throw this.failed.error
  }
}
