import {
  ApiError,
  type BulkAnswer,
  type BulkJob,
  type BulkSampleRun,
  type BulkStart,
  type CsvReader,
  MAX_REPRICED_RUNS,
  type RepriceAnswer,
  type RepriceStart,
  type RunConditions,
  type RunExportFormat,
  timeOfEpochMs,
} from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Caller, Reader } from '../../http/serve.ts'
import type { Job } from '../../jobs/open-jobs.ts'
import { printedTime, sql } from '../../storage/analytics/sql.ts'
import type { JobRow } from '../../storage/relational/tables/lifecycle.ts'
import { columns, count, list, text } from '../../storage/rows.ts'
import { getQueue } from '../annotation-queues/index.ts'
import { getDataset } from '../datasets/index.ts'
import { type RunViewDeps, readRunViews, whereRuns } from '../runs/index.ts'
import { assertKnownFields, signDownload } from './export-runs.ts'
import { estimateCosts, type PricedSelection, type RepriceDeps } from './repricing/index.ts'
import { countExampleIds, hasOpenCostJob, insertJob, markUndone, selectJob, sumCosts, updateOpenJob } from './store.ts'

/** Payload of the background job. */
export interface JobPart {
  readonly jobId: string
  readonly tenantId: string
}

export type StartDeps = Pick<Deps, 'relational' | 'analytics' | 'clock' | 'ids' | 'config' | 'caches'> &
  PresentDeps & { readonly work: Job<JobPart> }

/**
 * Counts the runs of a bulk action, returns a sample, and starts the job unless it is a dry run.
 *
 * @throws ApiError NOT_FOUND for the dataset or queue; CONFLICT when there are more runs than the caller expects;
 *   INVALID_REQUEST, FilterError
 */
export async function startBulk(deps: StartDeps, caller: Caller, start: BulkStart): Promise<BulkAnswer> {
  const { db } = deps.relational
  const asOf = start.as_of ?? timeOfEpochMs(deps.clock())
  const request = toJobRequest(start, asOf, caller)
  assertKnownFields(request.select)
  if (request.datasetId !== null) await getDataset(deps, caller.tenantId, request.datasetId)
  if (request.queueId !== null) await getQueue(db, caller.tenantId, request.queueId)
  const counted = await countRuns(deps, caller.tenantId, request.conditions, start.action === 'add_to_dataset')
  const answer = { ...counted, as_of: asOf }
  if (start.dry_run) return { ...answer, job: null }

  const total = start.action === 'delete' ? counted.traces : counted.runs
  assertExpectedTotal(total, start.expected_total)
  const job = await insertAndSend(deps, caller, start.action, total, request)
  return { ...answer, job: await presentJob(deps, caller, job) }
}

/**
 * Estimates what pricing stored runs again changes, and starts the job unless it is a dry run.
 *
 * @throws ApiError CONFLICT when there are more runs than the caller expects, or costs are being changed already;
 *   INVALID_REQUEST when there are too many
 */
export async function startRepricing(
  deps: StartDeps & RepriceDeps,
  caller: Caller,
  start: RepriceStart,
): Promise<RepriceAnswer> {
  const { answer, selection } = await estimateCosts(deps, caller.tenantId, start)
  if (start.dry_run) return { ...answer, job: null }
  const { run_count: total } = answer
  assertExpectedTotal(total, start.expected_total)
  if (total > MAX_REPRICED_RUNS) {
    throw new ApiError(
      'INVALID_REQUEST',
      `${total} runs are more than one job prices again (${MAX_REPRICED_RUNS}). Choose a shorter time range or fewer models.`,
    )
  }
  const job = await insertAndSend(deps, caller, 'reprice', total, { ...emptyRequest(caller), costsOf: selection })
  return { ...answer, job: await presentJob(deps, caller, job) }
}

function assertExpectedTotal(total: number, expected: number | null | undefined): void {
  if (expected == null || total <= expected) return
  throw new ApiError('CONFLICT', `There are now ${total}, not ${expected}. Check the selection and try again.`)
}

/**
 * Starts a job that deletes the examples that another job created, or restores the costs that it changed.
 *
 * @throws ApiError NOT_FOUND, CONFLICT
 */
export async function undoJob(deps: StartDeps, caller: Caller, id: string): Promise<JobRow> {
  const { db } = deps.relational
  const job = await selectJob(db, caller.tenantId, id)
  if (job === undefined) throw new ApiError('NOT_FOUND', 'Job not found')
  const action = UNDOS[job.action]
  if (action === undefined || job.ended_at === null) {
    throw new ApiError('CONFLICT', 'Only a finished job that added examples or changed costs can be undone.')
  }
  const total = action === 'undo' ? await countExampleIds(db, id) : (await sumCosts(db, id)).changed
  return insertAndSend(deps, caller, action, total, { ...readJobRequest(job), undoes: id })
}

/** What takes back what a job did. */
const UNDOS: Partial<Record<JobRow['action'], JobRow['action']>> = { add_to_dataset: 'undo', reprice: 'restore_costs' }

/** Inserts the job and sends it to the queue in one transaction. @throws ApiError CONFLICT */
function insertAndSend(
  { relational, ids, clock, work }: StartDeps,
  { tenantId, actorName }: Caller,
  action: JobRow['action'],
  total: number,
  request: JobRequest,
): Promise<JobRow> {
  const changesCosts = action === 'reprice' || action === 'restore_costs'
  // No other job has to end first, and none waits for it.
  const isEmpty = changesCosts && total === 0
  const now = timeOfEpochMs(clock())
  return relational.transaction(async (tx) => {
    if (changesCosts && !isEmpty && (await hasOpenCostJob(tx, tenantId))) {
      throw new ApiError(
        'CONFLICT',
        'Costs of this workspace are being changed by another job. Wait until it has ended.',
      )
    }
    if (request.undoes !== null && !(await markUndone(tx, tenantId, request.undoes, true))) {
      throw new ApiError('CONFLICT', 'This job is already undone.')
    }
    const job = await insertJob(tx, {
      id: ids(),
      tenant_id: tenantId,
      action,
      request: JSON.stringify(request),
      status: isEmpty ? 'done' : 'waiting',
      total,
      created_at: now,
      ...(isEmpty && { ended_at: now }),
      created_by_name: actorName ?? null,
    })
    if (!isEmpty) await work.send({ jobId: job.id, tenantId }, { tx })
    return job
  })
}

/** Ends a job that is not done. If it is an undo, the other job can be undone again: a repeated undo continues it. */
export function stopJob(
  { relational, clock }: Pick<Deps, 'relational' | 'clock'>,
  id: string,
  end: { readonly status: 'cancelled' } | { readonly status: 'failed'; readonly error: string },
): Promise<void> {
  return relational.transaction(async (tx) => {
    const job = await updateOpenJob(tx, id, { ...end, ended_at: timeOfEpochMs(clock()) })
    const undoes = job && readJobRequest(job).undoes
    if (undoes) await markUndone(tx, job.tenant_id, undoes, false)
  })
}

const SAMPLE_RUNS = 5
const SAMPLE_FIELDS = new Set(['inputs_preview', 'outputs_preview'])

/**
 * The number of runs that satisfy the conditions and a sample of the newest, to confirm a bulk action.
 *
 * @param withKeys  whether to return the payload keys of the sample
 */
async function countRuns(
  deps: RunViewDeps,
  tenantId: string,
  conditions: RunConditions,
  withKeys: boolean,
): Promise<Pick<BulkAnswer, 'runs' | 'traces' | 'sample'>> {
  const where = whereRuns(tenantId, conditions)
  const page = { ...conditions, limit: SAMPLE_RUNS, order: 'desc' as const }
  const [[counts], { views }] = await Promise.all([
    deps.analytics.query(
      sql`select count() as runs, uniqExact(trace_id) as traces from runs final where ${where}`,
      columns({ runs: count, traces: count }),
    ),
    readRunViews(deps, tenantId, where, SAMPLE_FIELDS, page),
  ])
  const ids = views.map(({ row }) => row.id)
  const keys = withKeys && ids.length > 0 ? await selectPayloadKeys(deps, tenantId, conditions, ids) : undefined
  const sample = views.map(({ row }): BulkSampleRun => {
    const { id, trace_id, name, run_type, status, inputs_preview, outputs_preview } = row
    return {
      id,
      trace_id,
      name,
      run_type,
      status,
      start_time: printedTime(row.start_time),
      inputs_preview: inputs_preview || null,
      outputs_preview: outputs_preview || null,
      ...keys?.get(id),
    }
  })
  return { runs: counts?.runs ?? 0, traces: counts?.traces ?? 0, sample }
}

type Keys = Required<Pick<BulkSampleRun, 'input_keys' | 'output_keys'>>

async function selectPayloadKeys(
  deps: RunViewDeps,
  tenantId: string,
  conditions: RunConditions,
  ids: string[],
): Promise<Map<string, Keys>> {
  const rows = await deps.analytics.query(
    sql`
      select toString(id) as id, JSONExtractKeys(inputs) as input_keys, JSONExtractKeys(outputs) as output_keys
      from runs final where ${whereRuns(tenantId, { ...conditions, id: ids })}`,
    columns({ id: text, input_keys: list(text), output_keys: list(text) }),
  )
  return new Map(
    rows.map(({ id, input_keys, output_keys }) => [id, { input_keys: [...input_keys], output_keys: [...output_keys] }]),
  )
}

/** The request of a job, as stored with it. */
export interface JobRequest {
  readonly conditions: RunConditions
  readonly datasetId: string | null
  readonly split: string | null
  /** Top-level keys that examples copy from their runs; null, or undefined in old jobs, means all. */
  readonly inputKeys?: readonly string[] | null
  readonly outputKeys?: readonly string[] | null
  readonly queueId: string | null
  readonly format: RunExportFormat
  /** For CSV exports; undefined in old jobs. */
  readonly csvReader?: CsvReader | null
  readonly select: readonly string[] | null
  /** For an undo: the job whose examples are deleted. */
  readonly undoes: string | null
  /** Of `reprice` and `restore_costs`: the selected runs. */
  readonly costsOf?: PricedSelection
  /** Who started it, and therefore what it may read; undefined in old jobs. */
  readonly reader?: Pick<Reader, 'kind' | 'actorId' | 'role'>
}

/** @param asOf  runs that started later are excluded */
function toJobRequest(start: BulkStart, asOf: string, { kind, actorId, role }: Caller): JobRequest {
  const { action: _action, dry_run: _dry, as_of: _asOf, expected_total: _total, ...rest } = start
  const { dataset_id, split, input_keys, output_keys, queue_id, format, for: csvReader, select, ...conditions } = rest
  const end_time = conditions.end_time && conditions.end_time < asOf ? conditions.end_time : asOf
  return {
    conditions: { ...conditions, end_time },
    datasetId: dataset_id ?? null,
    split: split ?? null,
    inputKeys: input_keys ?? null,
    outputKeys: output_keys ?? null,
    queueId: queue_id ?? null,
    format: format ?? 'jsonl',
    csvReader: csvReader ?? null,
    select: select ?? null,
    undoes: null,
    reader: { kind, actorId, role },
  }
}

/** For an action with a selection of its own. */
function emptyRequest({ kind, actorId, role }: Caller): JobRequest {
  const target = { datasetId: null, split: null, queueId: null, format: 'jsonl', select: null, undoes: null } as const
  return { ...target, conditions: {}, reader: { kind, actorId, role } }
}

export function readJobRequest({ request }: Pick<JobRow, 'request'>): JobRequest {
  return JSON.parse(request) as JobRequest
}

export type PresentDeps = Pick<Deps, 'relational' | 'clock'> & {
  /** Defined while scores of other people are hidden from the caller. */
  readonly readHiddenScores: () => Promise<string | undefined>
}

/** A job without a link to the file of another person while scores are hidden from the caller: the file may have them. */
export async function presentJob(deps: PresentDeps, caller: Caller, row: JobRow): Promise<BulkJob> {
  const { datasetId, queueId, format, reader } = readJobRequest(row)
  const isFile = row.action === 'export' && row.status === 'done' && row.bytes !== null
  const isOwn = reader?.actorId !== undefined && reader.actorId === caller.actorId
  const costs = row.action === 'reprice' ? await sumCosts(deps.relational.db, row.id) : null
  const mayDownload = isFile && (isOwn || (await deps.readHiddenScores()) === undefined)
  return {
    id: row.id,
    action: row.action,
    status: row.status,
    total: row.total,
    done: row.done,
    failed: row.failed,
    error: row.error,
    dataset_id: datasetId,
    queue_id: queueId,
    format: row.action === 'export' ? format : null,
    download_url: mayDownload ? await signDownload(deps, row, format) : null,
    bytes: isFile ? row.bytes : null,
    costs,
    can_undo: row.ended_at !== null && !row.is_undone && hasSomethingToUndo(row, costs),
    created_at: row.created_at,
    created_by_name: row.created_by_name,
    started_at: row.started_at,
    ended_at: row.ended_at,
  }
}

function hasSomethingToUndo({ action, done, failed }: JobRow, costs: BulkJob['costs']): boolean {
  return action === 'reprice' ? (costs?.changed ?? 0) > 0 : action === 'add_to_dataset' && done > failed
}
