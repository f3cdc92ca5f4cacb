import { createHash } from 'node:crypto'
import { ApiError, type ExperimentUpload, type IngestReceipt, type UploadedResult } from '@touchstone/contract'
import { getMemberText, isArrayText, splitElements, splitMembers } from '@touchstone/formats/cut-json'
import { printObject } from '@touchstone/formats/write-object'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/serve.ts'
import { withTransaction } from '../../../storage/relational/port.ts'
import { createProject, type DeleteProjects, type ProjectRow } from '../../projects/index.ts'
import { createDataset, type DatasetRow, lockDataset, selectDataset, selectDatasetByName } from '../index.ts'
import { type GivenRow, storeGivenRows } from './match-rows.ts'

/** Writes runs and feedback through the ingest path. */
export type RecordRuns = (caller: Caller, given: RunsAndFeedback) => Promise<IngestReceipt>

export interface RunsAndFeedback {
  /** JSON texts of whole runs. */
  readonly runs: readonly { readonly kind: 'post'; readonly main: string }[]
  /** JSON texts, each with a name for its problems. */
  readonly feedback: readonly { readonly name: string; readonly text: string }[]
}

export type UploadExperimentDeps = Pick<Deps, 'relational' | 'clock' | 'ids' | 'caches'> & {
  readonly recordRuns: RecordRuns
  readonly deleteProjects: DeleteProjects
}

/**
 * Records an experiment that ran elsewhere. Dataset, examples and experiment are stored together or not at all. When
 * its runs cannot be stored, the experiment is deleted, so that the same request can be repeated.
 *
 * @param text  JSON text of the body, the source of raw JSON
 * @throws ApiError CONFLICT when the experiment's name is taken; INVALID_REQUEST for a dataset that was not created by
 * an
 *   upload
 */
export async function uploadExperiment(
  deps: UploadExperimentDeps,
  caller: Caller,
  { body, text }: { readonly body: ExperimentUpload; readonly text: string },
): Promise<{ readonly datasetId: string; readonly experiment: ProjectRow }> {
  const members = splitMembers(text)
  const results = splitElements(getMemberText(members, 'results'))
  const { dataset, experiment, exampleIds } = await deps.relational.transaction(async (tx) => {
    const inside = { ...deps, relational: withTransaction(deps.relational, tx) }
    const { id } = await getTargetDataset(inside, caller.tenantId, body)
    // Matches rows under the lock, so that no other request adds rows.
    const dataset = await lockDataset(inside, caller.tenantId, id)
    const exampleIds = await storeGivenRows(inside, caller.tenantId, dataset, toGivenRows(body, results))
    const experiment = await createExperiment(inside, caller.tenantId, dataset, body, members)
    return { dataset, experiment, exampleIds }
  })
  try {
    await recordResults(deps, caller, experiment, { body, results, exampleIds, members })
  } catch (error) {
    await deps.deleteProjects(caller.tenantId, [experiment.id], caller.actorName)
    throw error
  }
  return { datasetId: dataset.id, experiment }
}

/** Results per batch. */
const SLICE = 500

async function recordResults(
  deps: UploadExperimentDeps,
  caller: Caller,
  experiment: ProjectRow,
  given: {
    readonly body: ExperimentUpload
    readonly results: readonly string[]
    readonly exampleIds: readonly string[]
    readonly members: ReadonlyMap<string, string>
  },
): Promise<void> {
  const { body, results, exampleIds, members } = given
  for (let from = 0; from < results.length; from += SLICE) {
    const slice = body.results.slice(from, from + SLICE).flatMap((result, at) => {
      const [text, exampleId] = [results[from + at], exampleIds[from + at]]
      return text === undefined || exampleId === undefined ? [] : [{ text, result, exampleId, index: from + at }]
    })
    await recordOrThrow(deps, caller, toRunsWithFeedback(deps.ids, experiment.id, slice))
  }
  const summary = toSummaryFeedback(experiment.id, members.get('summary_experiment_scores'))
  if (summary.length > 0) await recordOrThrow(deps, caller, { runs: [], feedback: summary })
}

/** A partial experiment is an error. */
async function recordOrThrow(
  { recordRuns }: UploadExperimentDeps,
  caller: Caller,
  given: RunsAndFeedback,
): Promise<void> {
  const { errors } = await recordRuns(caller, given)
  const [first] = errors ?? []
  if (errors === undefined || first === undefined) return
  const problems = errors.map(({ run_id, error }) => ({ loc: ['results', run_id], msg: error, type: 'value_error' }))
  throw new ApiError('INVALID_REQUEST', `The results cannot be stored: ${first.error}`, { problems })
}

function toGivenRows(body: ExperimentUpload, results: readonly string[]): GivenRow[] {
  return body.results.map((result, at) => {
    const members = splitMembers(results[at] ?? '{}')
    return {
      id: result.row_id ?? undefined,
      inputs: getMemberText(members, 'inputs'),
      outputs: result.expected_outputs == null ? undefined : members.get('expected_outputs'),
    }
  })
}

async function getTargetDataset(
  deps: Pick<Deps, 'relational' | 'clock' | 'ids' | 'caches'>,
  tenantId: string,
  body: ExperimentUpload,
): Promise<DatasetRow> {
  const fields = await findTargetDataset(deps, tenantId, body)
  if (fields === undefined) {
    return createDataset(deps, tenantId, {
      id: body.dataset_id == null ? undefined : toOwnId(tenantId, body.dataset_id),
      name: body.dataset_name ?? body.experiment_name,
      description: body.dataset_description,
      externally_managed: true,
    })
  }
  if (fields.externally_managed) return fields
  const message = 'This dataset is managed by this server. Upload results to a dataset that was created by an upload.'
  throw new ApiError('INVALID_REQUEST', message)
}

async function findTargetDataset(
  deps: Pick<Deps, 'relational'>,
  tenantId: string,
  { dataset_id, dataset_name }: ExperimentUpload,
): Promise<DatasetRow | undefined> {
  const { db } = deps.relational
  if (dataset_id == null) return selectDatasetByName(db, tenantId, dataset_name ?? '')
  return (
    (await selectDataset(db, tenantId, dataset_id)) ??
    (await selectDataset(db, tenantId, toOwnId(tenantId, dataset_id)))
  )
}

/**
 * The id of a dataset that an upload creates for an unknown id. It differs from the given one, because another
 * workspace may
 * use that id, and the response must not reveal it. The next upload with the same id finds the dataset.
 */
function toOwnId(tenantId: string, givenId: string): string {
  const bytes = createHash('sha256').update(`upload-experiment ${tenantId} ${givenId}`).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6) // version 8: an application-specific rule
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')
}

function createExperiment(
  deps: Pick<Deps, 'relational' | 'clock' | 'ids' | 'caches'>,
  tenantId: string,
  dataset: DatasetRow,
  body: ExperimentUpload,
  members: ReadonlyMap<string, string>,
): Promise<ProjectRow> {
  const metadata = body.experiment_metadata == null ? '{}' : members.get('experiment_metadata')
  return createProject(
    deps,
    tenantId,
    {
      body: {
        name: body.experiment_name,
        description: body.experiment_description,
        reference_dataset_id: dataset.id,
        start_time: body.experiment_start_time,
        end_time: body.experiment_end_time,
      },
      extraText: `{"metadata":${metadata}}`,
    },
    false,
  )
}

interface Result {
  /** JSON text of `result`. */
  readonly text: string
  readonly result: UploadedResult
  readonly exampleId: string
  readonly index: number
}

/** A run for each result, with its scores. */
function toRunsWithFeedback(newId: () => string, projectId: string, results: readonly Result[]): RunsAndFeedback {
  const runs: RunsAndFeedback['runs'][number][] = []
  const feedback: RunsAndFeedback['feedback'][number][] = []
  for (const given of results) {
    const id = newId()
    runs.push({ kind: 'post', main: toRun(id, projectId, given) })
    const about = { run_id: id, trace_id: id, session_id: projectId, start_time: given.result.start_time }
    const scores = toFeedback(splitMembers(given.text).get('evaluation_scores'), about)
    feedback.push(...scores.map((text) => ({ name: String(given.index), text })))
  }
  return { runs, feedback }
}

/** Scores of the whole experiment. */
function toSummaryFeedback(projectId: string, scores: string | undefined): RunsAndFeedback['feedback'] {
  return toFeedback(scores, { session_id: projectId }).map((text) => ({ name: 'summary_experiment_scores', text }))
}

function toRun(id: string, projectId: string, { text, result, exampleId }: Result): string {
  const members = splitMembers(text)
  const fields = {
    id,
    trace_id: id,
    dotted_order: result.start_time.replaceAll(/[-:.]/g, '') + id,
    name: result.run_name || 'target',
    run_type: 'chain',
    session_id: projectId,
    reference_example_id: exampleId,
    start_time: result.start_time,
    end_time: result.end_time,
    error: result.error ?? null,
  }
  const run = splitMembers(JSON.stringify(fields))
  run.set('inputs', getMemberText(members, 'inputs'))
  if (result.actual_outputs != null) run.set('outputs', getMemberText(members, 'actual_outputs'))
  if (result.run_metadata != null) run.set('extra', `{"metadata":${members.get('run_metadata')}}`)
  return printObject(run)
}

/** Fields of a score; its run or experiment is added. */
const COPIED_FIELDS = [
  'key',
  'score',
  'value',
  'comment',
  'correction',
  'feedback_source',
  'feedback_config',
  'extra',
  'error',
  'created_at',
]

function toFeedback(scores: string | undefined, about: object): string[] {
  if (scores === undefined || !isArrayText(scores)) return []
  return splitElements(scores).map((text) => {
    const copied = [...splitMembers(text)].filter(([field]) => COPIED_FIELDS.includes(field))
    return printObject(new Map([...copied, ...splitMembers(JSON.stringify(about))]))
  })
}
