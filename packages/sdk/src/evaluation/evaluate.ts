import { Client } from '../client.ts'
import type { Example, Run, TracerSession } from '../schemas.ts'
import type { TracingClientInterface } from '../tracing/tracing-client.ts'
import {
  type ComparativeEvaluateOptions,
  type ComparativeTargetT,
  type ComparisonEvaluationResults,
  evaluateComparative,
} from './evaluate-comparative.ts'
import {
  type EvaluatorContext,
  getEvaluatorName,
  numberAnonymous,
  runEvaluator,
  runSummaryEvaluators,
} from './evaluator.ts'
import { ExperimentFailedError, ExperimentResults } from './experiment-results.ts'
import { parseFailIf } from './fail-if.ts'
import { FeedbackQueue } from './feedback-queue.ts'
import { openExistingRuns, openExperiment, type Task } from './open-experiment.ts'
import { createPools, forEach, type Pools } from './pools.ts'
import { Progress } from './progress.ts'
import { formatResultsTable } from './results-table.ts'
import { hasResultOf } from './resume.ts'
import { type CallableTarget, runTarget } from './run-target.ts'
import { checkThresholds } from './threshold.ts'
import type { Any, EvaluateOptions, ExperimentResultRow, Plan, RowError, StandardTargetT, UploadRuns } from './types.ts'

export type TargetT<Input = Any, Output = Any> = StandardTargetT<Input, Output> | ComparativeTargetT

/**
 * Runs a target over the examples of a dataset, runs evaluators on the outputs, and records both as an experiment.
 *
 * A target or evaluator that throws does not end the experiment: the error is printed to standard error and added to
 * `errors`. With two or more experiments as the target, the evaluators compare the experiments with each other.
 *
 * @returns when everything is recorded
 * @throws ExperimentFailedError when a `failIf` condition holds, or a target failed and `failOnError` is set
 */
export function evaluate(
  target: ComparativeTargetT,
  options: ComparativeEvaluateOptions,
): Promise<ComparisonEvaluationResults>
export function evaluate(target: StandardTargetT, options: EvaluateOptions): Promise<ExperimentResults>
export async function evaluate(
  target: TargetT,
  options: EvaluateOptions | ComparativeEvaluateOptions,
): Promise<ExperimentResults | ComparisonEvaluationResults> {
  const isNew = !Array.isArray(target) && !isRuns(target as StandardTargetT)
  if (!isNew && ((options as EvaluateOptions).uploadRuns ?? true) !== true) {
    throw new Error('uploadRuns is supported only when evaluating a new target.')
  }
  if (Array.isArray(target)) return await evaluateComparative(target, options as ComparativeEvaluateOptions)
  return await evaluateTarget(target as StandardTargetT, options as EvaluateOptions)
}

async function evaluateTarget(target: StandardTargetT, options: EvaluateOptions): Promise<ExperimentResults> {
  const plan = toPlan(options)
  const pools = createPools(plan)
  const open = isRuns(target) ? await openExistingRuns(plan, target) : await openExperiment(plan)
  const { experiment, url } = open
  const progress = new Progress(plan.progress ?? true)
  progress.print(`Starting evaluation of experiment: ${experiment.name}`)
  if (url) progress.print(`View results at ${url}`)

  const errors: RowError[] = []
  const feedbackQueue = new FeedbackQueue(plan.client)
  const context: ExperimentContext = {
    plan,
    experiment,
    pools,
    feedbackQueue,
    onError: (failure) => {
      errors.push(failure)
      progress.print(formatRowError(failure))
    },
  }
  const rows = await completeRows(open.tasks, isRuns(target) ? undefined : target, context, progress)
  const isUploaded = plan.uploadRuns !== false
  const summary = await runSummaryEvaluators(plan.summaryEvaluators, rows, toEvaluatorContext(context, isUploaded))
  if (!isRuns(target) && isUploaded) await plan.client.updateProject(experiment.id, { metadata: open.metadata })
  await sendPending(plan.client, feedbackQueue)

  const results = new ExperimentResults({
    experimentName: experiment.name,
    experimentId: experiment.id,
    experimentUrl: url,
    results: rows,
    summaryResults: { results: summary },
    errors,
  })
  printResults(results, progress)
  const failures = await checkThresholds(plan, open, errors)
  if (failures.length > 0) throw new ExperimentFailedError(results, failures)
  return results
}

/** Context shared by all rows of an experiment. */
interface ExperimentContext {
  plan: Plan
  experiment: TracerSession
  pools: Pools
  feedbackQueue: FeedbackQueue
  onError(failure: RowError): void
}

interface RowContext extends ExperimentContext {
  /** Whether the row's run and feedback go to the server. */
  isUploaded: boolean
  /** Also counts the row as failed. */
  onRowError(failure: RowError): void
}

/** Waits until everything recorded so far is stored on the server. */
async function sendPending(client: Client, feedbackQueue: FeedbackQueue): Promise<void> {
  await Promise.all([feedbackQueue.drain(), client.flush()])
}

/** @param target absent when the runs exist already */
async function completeRows(
  tasks: readonly Task[],
  target: CallableTarget | undefined,
  context: ExperimentContext,
  progress: Progress,
): Promise<ExperimentResultRow[]> {
  const { plan, pools, feedbackQueue } = context
  const rows: ExperimentResultRow[] = []
  progress.begin(tasks.length)
  try {
    await forEach(tasks, pools.rows, async (task, index) => {
      let hasFailed = false
      const onRowError = (failure: RowError) => {
        hasFailed = true
        context.onError(failure)
      }
      // A finished run is stored on the server already.
      const isUploaded = task.finished !== undefined || shouldUpload(plan.uploadRuns, task.example, progress)
      const row = await completeRow(task, target, { ...context, isUploaded, onRowError })
      rows[index] = row
      progress.advance(hasFailed)
      plan.onRow?.(row)
    })
  } catch (error) {
    // A resumed experiment continues from what was recorded so far.
    await sendPending(plan.client, feedbackQueue)
    throw error
  } finally {
    progress.end()
  }
  return rows
}

async function completeRow(
  { example, finished }: Task,
  target: CallableTarget | undefined,
  context: RowContext,
): Promise<ExperimentResultRow> {
  const { plan, pools, isUploaded, onRowError } = context
  const run = finished?.run ?? (await pools.target(() => createRun(target, example, context)))
  const missing = finished ? plan.evaluators.filter((evaluator) => !hasResultOf(evaluator, finished)) : plan.evaluators
  const results = await Promise.all(
    missing.map((evaluator) =>
      pools.evaluation(async () => {
        plan.signal?.throwIfAborted()
        try {
          return await runEvaluator(evaluator, run, example, toEvaluatorContext(context, isUploaded))
        } catch (error) {
          onRowError({ exampleId: example.id, evaluator: getEvaluatorName(evaluator), error })
          return []
        }
      }),
    ),
  )
  return { run, example, evaluationResults: { results: [...(finished?.results ?? []), ...results.flat()] } }
}

async function createRun(
  target: CallableTarget | undefined,
  example: Example,
  { plan, experiment, isUploaded, onRowError }: RowContext,
): Promise<Run> {
  plan.signal?.throwIfAborted()
  if (!target) throw new Error(`Example ${example.id} has no run, and there is no target to run.`)
  const { run, ...failure } = await runTarget(target, example, {
    client: isUploaded ? plan.client : LOCAL_CLIENT,
    experiment,
    metadata: { ...plan.metadata, num_repetitions: plan.numRepetitions },
    includeAttachments: plan.includeAttachments ?? false,
  })
  if ('error' in failure) onRowError({ exampleId: example.id, evaluator: undefined, error: failure.error })
  // The live run tree has all fields that evaluators read, and keeps values that the target attached to it.
  return run as unknown as Run
}

/** Records nothing. Evaluators of a local run read the run tree directly. */
const LOCAL_CLIENT: TracingClientInterface = { createRun: async () => {}, updateRun: async () => {} }

function shouldUpload(uploadRuns: UploadRuns, example: Example, progress: Progress): boolean {
  if (typeof uploadRuns === 'boolean') return uploadRuns
  try {
    return uploadRuns(example)
  } catch (error) {
    progress.print(`uploadRuns failed for example ${example.id}, so its run stays local: ${error}`)
    return false
  }
}

/** @param isUploaded  whether feedback and the evaluators' own runs go to the server */
function toEvaluatorContext(context: ExperimentContext, isUploaded: boolean): EvaluatorContext {
  const { plan, experiment } = context
  return {
    client: plan.client,
    experiment,
    project: plan.disableEvaluatorTracing || !isUploaded ? undefined : plan.evaluatorProject,
    feedbackQueue: isUploaded ? context.feedbackQueue : undefined,
    // Not `onRowError`: the row may be complete before its feedback is sent.
    onError: (evaluator, exampleId, error) => context.onError({ exampleId, evaluator, error }),
  }
}

function formatRowError({ evaluator, exampleId, error }: RowError): string {
  const source = evaluator === undefined ? 'target function' : `evaluator ${evaluator}`
  const row = exampleId === undefined ? '' : ` on example ${exampleId}`
  return `Error running ${source}${row}: ${error}`
}

function printResults({ results, summaryResults, experimentUrl }: ExperimentResults, progress: Progress): void {
  const rowResults = results.flatMap(({ evaluationResults }) => evaluationResults.results)
  const table = formatResultsTable(rowResults, summaryResults.results)
  if (table) progress.print(table)
  if (experimentUrl) progress.print(`View results at ${experimentUrl}`)
}

function isRuns(target: StandardTargetT): target is AsyncIterable<Run> {
  return typeof target === 'object' && Symbol.asyncIterator in target
}

/** Fills in defaults. @throws Error for options that cannot work, before anything is sent */
function toPlan(options: EvaluateOptions): Plan {
  const { numRepetitions = 1, resume = false, experiment } = options
  if (!Number.isInteger(numRepetitions) || numRepetitions < 1) {
    throw new Error('numRepetitions must be a whole number of at least 1.')
  }
  if (resume && experiment === undefined)
    throw new Error('To resume, name the experiment: { experiment, resume: true }.')
  const { uploadRuns = true } = options
  if (uploadRuns === false && (experiment !== undefined || options.failIf !== undefined)) {
    throw new Error('uploadRuns: false makes no experiment, so it works neither with experiment nor with failIf.')
  }
  numberAnonymous([...(options.evaluators ?? []), ...(options.summaryEvaluators ?? [])])
  return {
    ...options,
    client: options.client ?? new Client(),
    conditions: [options.failIf ?? []].flat().map(parseFailIf),
    numRepetitions,
    evaluators: options.evaluators ?? [],
    summaryEvaluators: options.summaryEvaluators ?? [],
    uploadRuns,
    evaluatorProject: options.evaluatorProject ?? 'evaluators',
  }
}
