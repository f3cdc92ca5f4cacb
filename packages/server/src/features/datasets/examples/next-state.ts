import { BASE_SPLIT, MAX_EXAMPLE_BYTES } from '@touchstone/contract'
import type { StoredAttachment } from '../../attachments/index.ts'
import type { Payloads, Prepare, SourceRun } from '../schemas/index.ts'
import { byName, nextAttachments } from './attachments.ts'
import type { CreateExample, UpdateExample } from './change.ts'
import { cutSplit } from './metadata.ts'
import type { Problems } from './problems.ts'
import { readSplits } from './splits.ts'

/** What an example holds; JSON as text, metadata without `dataset_split`. */
export interface ExampleContent {
  readonly inputs: string
  readonly outputs: string | null
  readonly metadata: string
  readonly splits: readonly string[]
  readonly source_run_id: string | null
  readonly attachments: readonly StoredAttachment[]
}

interface Checks {
  readonly prepare: Prepare
  readonly problems: Problems
}

/** What a new example holds. What is wrong with it goes to the problems. */
export function newContent(id: string, change: CreateExample, checks: Checks): ExampleContent {
  const { metadata, splits } = readMetadata(id, change.metadata ?? '{}', change.split, [BASE_SPLIT], checks)
  const given = { inputs: change.inputs, outputs: change.outputs ?? null }
  const content = {
    ...checkPayloads(id, given, checks, change.sourceRun),
    metadata,
    splits,
    source_run_id: change.sourceRunId ?? null,
    attachments: byName(change.attachments ?? []),
  }
  checkSize(id, content, checks)
  return content
}

/** What an example holds after an update. What is wrong with it goes to the problems. */
export function updatedContent(before: ExampleContent, change: UpdateExample, checks: Checks): ExampleContent {
  const { id, overwrite } = change
  const given = {
    inputs: change.inputs ?? (overwrite ? '{}' : before.inputs),
    outputs: change.outputs ?? (overwrite ? null : before.outputs),
  }
  const text = change.metadata ?? (overwrite ? '{}' : before.metadata)
  const { metadata, splits } = readMetadata(id, text, change.split, before.splits, checks)
  const attachments = nextAttachments(before.attachments, change.attachments, change.operations)
  if ('wrong' in attachments) {
    checks.problems.add('INVALID_REQUEST', [id, 'attachments_operations'], attachments.wrong)
  }
  const isSame = given.inputs === before.inputs && given.outputs === before.outputs
  const content = {
    ...(isSame ? given : checkPayloads(id, given, checks)),
    metadata,
    splits,
    source_run_id: before.source_run_id,
    attachments: 'wrong' in attachments ? [] : attachments,
  }
  checkSize(id, content, checks)
  return content
}

function checkPayloads(id: string, given: Payloads, { prepare, problems }: Checks, run?: SourceRun): Payloads {
  const { violations, ...payloads } = prepare(given, run)
  for (const { path, message } of violations) {
    problems.add('INVALID_REQUEST', [id, ...path.split('/').filter((step) => step !== '')], message)
  }
  return payloads
}

/** `split` wins over `dataset_split`, which wins over what there was. */
function readMetadata(
  id: string,
  text: string,
  split: unknown,
  before: readonly string[],
  { problems }: Checks,
): { readonly metadata: string; readonly splits: readonly string[] } {
  const { text: metadata, split: inMetadata } = cutSplit(text)
  const wanted = split ?? inMetadata
  if (wanted === undefined) return { metadata, splits: before }
  const splits = readSplits(wanted)
  if (Array.isArray(splits)) return { metadata, splits }
  problems.add('INVALID_REQUEST', split == null ? [id, 'metadata', 'dataset_split'] : [id, 'split'], splits.wrong)
  return { metadata, splits: before }
}

function checkSize(id: string, { inputs, outputs, metadata }: ExampleContent, { problems }: Checks): void {
  const bytes = Buffer.byteLength(inputs) + Buffer.byteLength(outputs ?? '') + Buffer.byteLength(metadata)
  if (bytes <= MAX_EXAMPLE_BYTES) return
  problems.add('PAYLOAD_TOO_LARGE', [id], `has ${bytes} bytes of JSON, more than the limit of ${MAX_EXAMPLE_BYTES}`)
}
