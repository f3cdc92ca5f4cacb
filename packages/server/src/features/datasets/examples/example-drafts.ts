import type { ExampleBulkUpdate, ExampleCreate, ExampleUpdate } from '@touchstone/contract'
import { isObjectText, splitMembers } from '@touchstone/formats/cut-json'
import { printObject } from '@touchstone/formats/write-object'
import type { Deps } from '../../../deps.ts'
import { mapInSlices } from '../../../time-slices.ts'
import { type StoredAttachment, selectRunAttachments, touchBlobs } from '../../attachments/index.ts'
import { type RunPayloads, readRunPayloads } from '../../runs/index.ts'
import type { CreateExample, UpdateExample } from './example-content.ts'
import type { ExampleProblems } from './problems.ts'

/** Top-level keys of a run's inputs and outputs; undefined for all. */
export interface RunKeys {
  readonly inputs?: readonly string[] | undefined
  readonly outputs?: readonly string[] | undefined
}

/** A new example and the parts to copy from its source run. */
export interface ExampleDraft {
  readonly id: string
  readonly change: Omit<CreateExample, 'inputs'> & { readonly inputs: string | undefined }
  readonly usesRunIo: boolean
  /** Keys of the run's inputs and outputs to copy. @default all */
  readonly takes?: RunKeys | undefined
  readonly runAttachments: readonly string[]
}

/**
 * Completes drafts with the copied parts of their source runs; these override given values.
 *
 * @param needsRuns  whether the dataset's transformations read source runs
 */
export async function completeDrafts(
  deps: Pick<Deps, 'analytics' | 'blobs'>,
  tenantId: string,
  drafts: readonly ExampleDraft[],
  problems: ExampleProblems,
  needsRuns: boolean,
): Promise<CreateExample[]> {
  const getRunId = ({ change }: ExampleDraft) => change.sourceRunId ?? undefined
  const takes = drafts.filter(usesSourceRun)
  const ids = (of: readonly ExampleDraft[]) => [...new Set(of.map(getRunId).filter((id) => id !== undefined))]
  const [runs, attachments] = await Promise.all([
    readRunPayloads(deps, tenantId, ids(needsRuns ? drafts : takes)),
    selectRunAttachments(deps, tenantId, ids(takes)),
  ])
  for (const [runId, ofRun] of attachments) {
    const gone = await touchBlobs(deps, ofRun)
    if (gone !== undefined) problems.add('NOT_FOUND', [runId, 'attachments', gone.name], 'was deleted')
  }
  return mapInSlices(drafts, (draft) => {
    const runId = getRunId(draft)
    const run = runId === undefined ? undefined : runs.get(runId)
    if (usesSourceRun(draft) && run === undefined) addMissing(draft, runId, problems)
    const ofRun = (runId === undefined ? undefined : attachments.get(runId)) ?? []
    return completeDraft(draft, run, ofRun, problems)
  })
}

function completeDraft(
  { id, change, usesRunIo, takes, runAttachments }: ExampleDraft,
  run: RunPayloads | undefined,
  ofRun: readonly StoredAttachment[],
  problems: ExampleProblems,
): CreateExample {
  const copied = usesRunIo ? ofRun : ofRun.filter(({ name }) => runAttachments.includes(name))
  const taken = usesRunIo && run !== undefined
  const inputs = taken ? (pickMembers(run.inputs, takes?.inputs) ?? '{}') : change.inputs
  if (inputs === undefined && !usesRunIo) {
    problems.add('INVALID_REQUEST', [id, 'inputs'], 'is missing, and use_source_run_io is not set')
  }
  return {
    ...change,
    inputs: inputs ?? '{}',
    outputs: taken ? pickMembers(run.outputs, takes?.outputs) : change.outputs,
    // The last one of equal names wins.
    attachments: [...(change.attachments ?? []), ...copied],
    sourceRun: run,
  }
}

const usesSourceRun = (draft: ExampleDraft) => draft.usesRunIo || draft.runAttachments.length > 0

function addMissing({ id }: ExampleDraft, runId: string | undefined, problems: ExampleProblems): void {
  if (runId === undefined) {
    problems.add('INVALID_REQUEST', [id, 'source_run_id'], 'is needed to take anything from the source run')
  } else problems.add('NOT_FOUND', [id, 'source_run_id'], `Run not found: ${runId}`)
}

/** The text of an object, or of its selected members, in its order and byte for byte. */
function pickMembers(text: string, wanted: readonly string[] | undefined): string | undefined {
  if (text === '' || !isObjectText(text)) return undefined
  if (wanted === undefined) return text
  return printObject(new Map([...splitMembers(text)].filter(([key]) => wanted.includes(key))))
}

/**
 * A new example from a request body.
 *
 * @param text  JSON text of `body`
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

/** An update from a request body. */
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
    expected: body.expected?.modified_at,
  }
}
