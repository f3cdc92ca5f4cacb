import type { Deps } from '../../../deps.ts'
import { isObjectText, splitMembers } from '../../../json/cut-json.ts'
import { printObject } from '../../../json/write-object.ts'
import { mapInSlices } from '../../../time-slices.ts'
import { type StoredAttachment, selectRunAttachments, touchBlobs } from '../../attachments/index.ts'
import { type RunPayloads, readRunPayloads } from '../../runs/index.ts'
import type { CreateExample } from './example-content.ts'
import type { ExampleProblems } from './problems.ts'

/** Keys at the top of a run's inputs and outputs; undefined for all. */
export interface RunKeys {
  readonly inputs?: readonly string[] | undefined
  readonly outputs?: readonly string[] | undefined
}

/** An example to be created, and what of its source run it takes. */
export interface ExampleDraft {
  readonly id: string
  readonly change: Omit<CreateExample, 'inputs'> & { readonly inputs: string | undefined }
  readonly usesRunIo: boolean
  /** Keys of the run's inputs and outputs that are taken. @default all */
  readonly takes?: RunKeys | undefined
  readonly runAttachments: readonly string[]
}

/**
 * Completes drafts with what they take from their source runs; the run wins over what was given beside it.
 *
 * @param needsRuns  whether the dataset's transformations look at source runs
 */
export async function completeDrafts(
  deps: Pick<Deps, 'analytics' | 'blobs'>,
  tenantId: string,
  drafts: readonly ExampleDraft[],
  problems: ExampleProblems,
  needsRuns: boolean,
): Promise<CreateExample[]> {
  const idOf = ({ change }: ExampleDraft) => change.sourceRunId ?? undefined
  const takes = drafts.filter(takesFromRun)
  const ids = (of: readonly ExampleDraft[]) => [...new Set(of.map(idOf).filter((id) => id !== undefined))]
  const [runs, attachments] = await Promise.all([
    readRunPayloads(deps, tenantId, ids(needsRuns ? drafts : takes)),
    selectRunAttachments(deps, tenantId, ids(takes)),
  ])
  for (const [runId, ofRun] of attachments) {
    const gone = await touchBlobs(deps, ofRun)
    if (gone !== undefined) problems.add('NOT_FOUND', [runId, 'attachments', gone.name], 'was deleted')
  }
  return mapInSlices(drafts, (draft) => {
    const runId = idOf(draft)
    const run = runId === undefined ? undefined : runs.get(runId)
    if (takesFromRun(draft) && run === undefined) addMissing(draft, runId, problems)
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
    // Of two with one name the later counts.
    attachments: [...(change.attachments ?? []), ...copied],
    sourceRun: run,
  }
}

const takesFromRun = (draft: ExampleDraft) => draft.usesRunIo || draft.runAttachments.length > 0

function addMissing({ id }: ExampleDraft, runId: string | undefined, problems: ExampleProblems): void {
  if (runId === undefined) {
    problems.add('INVALID_REQUEST', [id, 'source_run_id'], 'is needed to take anything from the source run')
  } else problems.add('NOT_FOUND', [id, 'source_run_id'], `Run not found: ${runId}`)
}

/** The text of an object, or of those of its members that are wanted, in its own order and byte for byte. */
function pickMembers(text: string, wanted: readonly string[] | undefined): string | undefined {
  if (text === '' || !isObjectText(text)) return undefined
  if (wanted === undefined) return text
  return printObject(new Map([...splitMembers(text)].filter(([key]) => wanted.includes(key))))
}
