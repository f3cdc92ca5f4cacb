import type { ExampleBulkUpdate, ExampleCreate, ExampleUpdate } from '@touchstone/contract'
import { splitMembers } from '../../../json/cut-json.ts'
import type { UpdateExample } from './example-content.ts'
import type { ExampleDraft } from './source-runs.ts'

/**
 * A new example from the JSON that creates it.
 *
 * @param text  that `body` was read from
 */
export function toDraft(id: string, body: ExampleCreate, text: string): ExampleDraft {
  const texts = splitMembers(text)
  const of = (field: 'inputs' | 'outputs' | 'metadata') => (body[field] == null ? undefined : texts.get(field))
  return {
    id,
    change: {
      do: 'create',
      id,
      inputs: of('inputs'),
      outputs: of('outputs'),
      metadata: of('metadata'),
      split: body.split,
      createdAt: body.created_at,
      sourceRunId: body.source_run_id,
    },
    usesRunIo: body.use_source_run_io ?? false,
    runAttachments: body.use_source_run_attachments ?? [],
  }
}

/** An update from the JSON that asks for it. */
export function toUpdate(id: string, body: ExampleUpdate | ExampleBulkUpdate, text: string): UpdateExample {
  const texts = splitMembers(text)
  const of = (field: 'inputs' | 'outputs' | 'metadata') => (body[field] == null ? undefined : texts.get(field))
  return {
    do: 'update',
    id,
    inputs: of('inputs'),
    outputs: of('outputs'),
    metadata: of('metadata'),
    split: body.split,
    operations: body.attachments_operations,
    overwrite: body.overwrite,
  }
}
