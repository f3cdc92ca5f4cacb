import { ATTACHMENT_PREFIX, type Example, type ExampleAttachmentUrl } from '@touchstone/contract'
import { splitMembers } from '../../../json/cut-json.ts'
import { addRawMembers, printObject } from '../../../json/write-object.ts'
import type { StoredAttachment } from '../../attachments/index.ts'
import { withSplits } from './example-content.ts'
import type { ExampleRow } from './read-examples.ts'

/** Absolute URL from which an attachment is read without a key. */
export type ToUrl = (attachment: StoredAttachment, exampleId: string) => string

/** Some fields of an example as JSON text, the id always; names that no field has are ignored. */
export function presentFields(row: ExampleRow, fields: ReadonlySet<string>, urlOf?: ToUrl): string {
  const members = splitMembers(presentExample(row, urlOf))
  return printObject(new Map([...members].filter(([name]) => name === 'id' || fields.has(name))))
}

/** An example as JSON text; inputs, outputs and metadata are spliced in as they came. */
export function presentExample(row: ExampleRow, urlOf?: ToUrl): string {
  const example: Omit<Example, 'inputs' | 'outputs' | 'metadata' | 'attachment_urls'> = {
    id: row.id,
    dataset_id: row.dataset_id,
    name: `#${String(row.number).padStart(4, '0')} @ ${row.dataset_name}`,
    created_at: row.created_at,
    modified_at: row.as_of.toISOString(),
    source_run_id: row.source_run_id,
  }
  const metadata = withSplits(row.metadata, row.splits)
  const raw = { inputs: row.inputs, outputs: row.outputs, metadata }
  return addRawMembers(example, urlOf === undefined ? raw : { ...raw, attachment_urls: presentUrls(row, urlOf) })
}

/** As text, member by member: somebody may call an attachment `__proto__`. */
function presentUrls({ id, attachments }: ExampleRow, urlOf: ToUrl): string {
  const members = attachments.map((attachment) => {
    const { name, mime_type } = attachment
    const url: ExampleAttachmentUrl = {
      presigned_url: urlOf(attachment, id),
      s3_url: `examples/${id}/${name}`,
      mime_type,
    }
    return `${JSON.stringify(ATTACHMENT_PREFIX + name)}:${JSON.stringify(url)}`
  })
  return `{${members.join(',')}}`
}
