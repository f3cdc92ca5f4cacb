import { createHash } from 'node:crypto'
import { ApiError, type ExperimentUpload, type IngestReceipt, type UploadedResult } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/serve.ts'
import { isArrayText, splitElements, splitMembers } from '../../../json/cut-json.ts'
import { printObject } from '../../../json/write-object.ts'
import { withTransaction } from '../../../storage/relational/port.ts'
import { createProject, type DeleteProjects, type ProjectRow } from '../../projects/index.ts'
import { createDataset, type DatasetRow, lockDataset, selectDataset, selectDatasetByName } from '../index.ts'
import { type GivenRow, storeGivenRows } from './match-rows.ts'

/** The way into the column store that runs and feedback take, wherever they come from. */
export type RecordRuns = (caller: Caller, given: RunsAndFeedback) => Promise<IngestReceipt>

export interface RunsAndFeedback {
  /** JSON texts of whole runs. */
  readonly runs: readonly { readonly kind: 'post'; readonly main: string }[]
  /** JSON texts, each under a name for what may be wrong with it. */
  readonly feedback: readonly { readonly name: string; readonly text: string }[]
}

export type UploadExperimentDeps = Pick<Deps, 'relational' | 'clock' | 'ids' | 'caches'> & {
  readonly recordRuns: RecordRuns
  readonly deleteProjects: DeleteProjects
}

/**
 * Records an experiment that ran elsewhere. Dataset, examples and experiment are stored together or not at all; when its
 * runs cannot be stored, the experiment is taken back, so that the same request can be sent again.
 *
 * @param text  JSON text of the body, out of which users' data is cut
 * @throws ApiError CONFLICT when the experiment's name is taken; INVALID_REQUEST for a dataset that was not uploaded so
 */
export async function uploadExperiment(
  deps: UploadExperimentDeps,
  caller: Caller,
  { body, text }: { readonly body: ExperimentUpload; readonly text: string },
): Promise<{ readonly datasetId: string; readonly experiment: ProjectRow }> {
  const members = splitMembers(text)
  const results = splitElements(members.get('results')!)
  const { dataset, experiment, exampleIds } = await deps.relational.transaction(async (tx) => {
    const inside = { ...deps, relational: withTransaction(deps.relational, tx) }
    const { id } = await getTargetDataset(inside, caller.tenantId, body)
    // Rows are matched while nobody else adds any.
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

/** Results that are stored at once. */
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
    const slice = results.slice(from, from + SLICE).map((text, at) => {
      return { text, result: body.results[from + at]!, exampleId: exampleIds[from + at]!, index: from + at }
    })
    await recordOrThrow(deps, caller, toRunsWithFeedback(deps.ids, experiment.id, slice))
  }
  const summary = toSummaryFeedback(experiment.id, members.get('summary_experiment_scores'))
  if (summary.length > 0) await recordOrThrow(deps, caller, { runs: [], feedback: summary })
}

/** Part of an experiment is none. */
async function recordOrThrow(
  { recordRuns }: UploadExperimentDeps,
  caller: Caller,
  given: RunsAndFeedback,
): Promise<void> {
  const { errors } = await recordRuns(caller, given)
  if (!errors?.length) return
  const problems = errors.map(({ run_id, error }) => ({ loc: ['results', run_id], msg: error, type: 'value_error' }))
  throw new ApiError('INVALID_REQUEST', `The results cannot be stored: ${errors[0]!.error}`, { problems })
}

function toGivenRows(body: ExperimentUpload, results: readonly string[]): GivenRow[] {
  return body.results.map((result, at) => {
    const members = splitMembers(results[at]!)
    return {
      id: result.row_id ?? undefined,
      inputs: members.get('inputs')!,
      outputs: result.expected_outputs == null ? undefined : members.get('expected_outputs'),
    }
  })
}

async function getTargetDataset(
  deps: Pick<Deps, 'relational' | 'clock' | 'ids' | 'caches'>,
  tenantId: string,
  body: ExperimentUpload,
): Promise<DatasetRow> {
  const known = await findTargetDataset(deps, tenantId, body)
  if (known === undefined) {
    return createDataset(deps, tenantId, {
      id: body.dataset_id == null ? undefined : toOwnId(tenantId, body.dataset_id),
      name: body.dataset_name ?? body.experiment_name,
      description: body.dataset_description,
      externally_managed: true,
    })
  }
  if (known.externally_managed) return known
  const says = 'The dataset is managed here: results from elsewhere go to a dataset that was made by such an upload.'
  throw new ApiError('INVALID_REQUEST', says)
}

async function findTargetDataset(
  deps: Pick<Deps, 'relational'>,
  tenantId: string,
  { dataset_id, dataset_name }: ExperimentUpload,
): Promise<DatasetRow | undefined> {
  const { db } = deps.relational
  if (dataset_id == null) return selectDatasetByName(db, tenantId, dataset_name!)
  return (
    (await selectDataset(db, tenantId, dataset_id)) ??
    (await selectDataset(db, tenantId, toOwnId(tenantId, dataset_id)))
  )
}

/**
 * The id of the dataset that an upload creates under an id that the workspace does not have. It is never the given one:
 * another workspace may have that, and nobody should learn whether it does. The next upload with the same id finds it.
 */
function toOwnId(tenantId: string, givenId: string): string {
  const bytes = createHash('sha256').update(`upload-experiment ${tenantId} ${givenId}`).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x80 // version 8: made by a rule of our own
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
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
  /** JSON text that `result` was read from. */
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

/** Scores on the experiment as a whole. */
function toSummaryFeedback(projectId: string, scores: string | undefined): RunsAndFeedback['feedback'] {
  return toFeedback(scores, { session_id: projectId }).map((text) => ({ name: 'summary_experiment_scores', text }))
}

function toRun(id: string, projectId: string, { text, result, exampleId }: Result): string {
  const members = splitMembers(text)
  const known = {
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
  const run = splitMembers(JSON.stringify(known))
  run.set('inputs', members.get('inputs')!)
  if (result.actual_outputs != null) run.set('outputs', members.get('actual_outputs')!)
  if (result.run_metadata != null) run.set('extra', `{"metadata":${members.get('run_metadata')}}`)
  return printObject(run)
}

/** What a score may say; where it belongs is known already. */
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
    const said = [...splitMembers(text)].filter(([field]) => COPIED_FIELDS.includes(field))
    return printObject(new Map([...said, ...splitMembers(JSON.stringify(about))]))
  })
}
