import type { Example, Run } from '../schemas.ts'
import type { TracingClientInterface } from '../tracing/tracing-client.ts'
import {
  type ComparativeEvaluateOptions,
  type ComparativeTargetT,
  type ComparisonEvaluationResults,
  evaluateComparative,
} from './evaluate-comparative.ts'
import { type JudgingBench, judge, nameOfEvaluator } from './evaluator.ts'
import { ExperimentFailedError } from './experiment-failed-error.ts'
import { ExperimentResults } from './experiment-results.ts'
import { checkGate } from './gate.ts'
import { type OpenExperiment, openExistingRuns, openExperiment, type Task } from './open-experiment.ts'
import { Outgoing } from './outgoing.ts'
import { planOf } from './plan.ts'
import { forEach, poolsOf } from './pools.ts'
import { Progress } from './progress.ts'
import { resultsTable } from './results-table.ts'
import { hasJudged } from './resume.ts'
import { runSummaryEvaluators } from './run-summary-evaluators.ts'
import { type CallableTarget, runTarget } from './run-target.ts'
import type { Any, EvaluateOptions, ExperimentResultRow, Plan, RowError, StandardTargetT } from './types.ts'

export type TargetT<Input = Any, Output = Any> = StandardTargetT<Input, Output> | ComparativeTargetT

/**
 * Runs a target over the examples of a dataset, has evaluators judge what came out, and records both as an experiment.
 *
 * A target or an evaluator that throws does not end the experiment: it is told on standard error and in `errors`. With
 * two or more experiments as the target, evaluators compare those with each other instead.
 *
 * @returns when everything is recorded
 * @throws ExperimentFailedError when `failIf` or `failOnError` says that the result is not good enough
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
  const plan = planOf(options)
  const pools = poolsOf(plan)
  const open = isRuns(target) ? await openExistingRuns(plan, target) : await openExperiment(plan)
  const progress = new Progress(plan.progress ?? true)
  progress.say(`Starting evaluation of experiment: ${open.experiment.name}`)
  if (open.url) progress.say(`View results at ${open.url}`)
  const errors: RowError[] = []
  const callable = isRuns(target) ? undefined : target
  const ground: Ground = { plan, open, pools, progress, target: callable, errors, outgoing: new Outgoing(plan.client) }

  const rows = await completeRows(ground)
  const summary = await runSummaryEvaluators(plan.summaryEvaluators, rows, benchOf(ground, plan.uploadRuns !== false))
  if (!isRuns(target) && plan.uploadRuns !== false)
    await plan.client.updateProject(open.experiment.id, { metadata: open.metadata })
  await settle(ground)

  const results = new ExperimentResults({
    experimentName: open.experiment.name,
    experimentId: open.experiment.id,
    experimentUrl: open.url,
    results: rows,
    summaryResults: { results: summary },
    errors,
  })
  conclude(results, progress)
  const failures = await checkGate(plan, open, errors)
  if (failures.length > 0) throw new ExperimentFailedError(results, failures)
  return results
}

interface Ground {
  plan: Plan
  open: OpenExperiment
  pools: ReturnType<typeof poolsOf>
  progress: Progress
  /** Absent when the runs exist already. */
  target: CallableTarget | undefined
  errors: RowError[]
  outgoing: Outgoing
}

/** Waits until everything recorded so far is with the server. */
async function settle({ plan, outgoing }: Ground): Promise<void> {
  await Promise.all([outgoing.drain(), plan.client.flush()])
}

async function completeRows(ground: Ground): Promise<ExperimentResultRow[]> {
  const { plan, open, pools, progress } = ground
  const rows: ExperimentResultRow[] = []
  progress.begin(open.tasks.length)
  try {
    await forEach(open.tasks, pools.rows, async (task, index) => {
      let hasFailed = false
      const row = await completeRow(task, ground, (failure) => {
        hasFailed = true
        tell(ground, failure)
      })
      rows[index] = row
      progress.advance(hasFailed)
      plan.onRow?.(row)
    })
  } catch (error) {
    // What was done so far is what a resumed experiment builds on.
    await settle(ground)
    throw error
  } finally {
    progress.end()
  }
  return rows
}

type OnError = (failure: RowError) => void

async function completeRow(task: Task, ground: Ground, onError: OnError): Promise<ExperimentResultRow> {
  const { plan, pools } = ground
  const { example, finished } = task
  // What is finished is with the server already.
  const isSent = finished !== undefined || isUploaded(ground, example)
  const run = finished?.run ?? (await pools.target(() => newRun(task, ground, isSent, onError)))
  const missing = finished ? plan.evaluators.filter((evaluator) => !hasJudged(evaluator, finished)) : plan.evaluators
  const verdicts = await Promise.all(
    missing.map((evaluator) =>
      pools.evaluation(async () => {
        plan.signal?.throwIfAborted()
        try {
          return await judge(evaluator, run, example, benchOf(ground, isSent))
        } catch (error) {
          onError({ exampleId: example.id, evaluator: nameOfEvaluator(evaluator), error })
          return []
        }
      }),
    ),
  )
  return { run, example, evaluationResults: { results: [...(finished?.results ?? []), ...verdicts.flat()] } }
}

async function newRun({ example }: Task, ground: Ground, isSent: boolean, onError: OnError): Promise<Run> {
  const { plan, open, target } = ground
  plan.signal?.throwIfAborted()
  const { run, ...failure } = await runTarget(target!, example, {
    client: isSent ? plan.client : LOCAL,
    experiment: open.experiment,
    metadata: { ...plan.metadata, num_repetitions: plan.numRepetitions },
    includeAttachments: plan.includeAttachments ?? false,
  })
  if ('error' in failure) onError({ exampleId: example.id, evaluator: undefined, error: failure.error })
  // The live run tree has what an evaluator reads of a run, and keeps what the target left on it.
  return run as unknown as Run
}

/** Takes runs and keeps nothing: what reads them here reads the run tree. */
const LOCAL: TracingClientInterface = { createRun: async () => {}, updateRun: async () => {} }

function isUploaded({ plan, progress }: Ground, example: Example): boolean {
  const { uploadRuns } = plan
  if (typeof uploadRuns === 'boolean') return uploadRuns
  try {
    return uploadRuns(example)
  } catch (error) {
    progress.say(`uploadRuns failed for example ${example.id}, so its run stays local: ${error}`)
    return false
  }
}

/** @param isSent  whether feedback and the evaluators' own runs go to the server */
function benchOf(ground: Ground, isSent: boolean): JudgingBench {
  const { plan, open } = ground
  const outgoing = isSent ? ground.outgoing : undefined
  const project = plan.disableEvaluatorTracing || !isSent ? undefined : plan.evaluatorProject
  const onError = (evaluator: string, exampleId: string | undefined, error: unknown) =>
    tell(ground, { exampleId, evaluator, error })
  return { client: plan.client, experiment: open.experiment, project, outgoing, onError }
}

function tell({ errors, progress }: Ground, failure: RowError): void {
  errors.push(failure)
  const { evaluator, exampleId, error } = failure
  const who = evaluator === undefined ? 'target function' : `evaluator ${evaluator}`
  const where = exampleId === undefined ? '' : ` on example ${exampleId}`
  progress.say(`Error running ${who}${where}: ${error}`)
}

function conclude(results: ExperimentResults, progress: Progress): void {
  const given = results.results.flatMap(({ evaluationResults }) => evaluationResults.results)
  const table = resultsTable(given, results.summaryResults.results)
  if (table) progress.say(table)
  if (results.experimentUrl) progress.say(`View results at ${results.experimentUrl}`)
}

function isRuns(target: StandardTargetT): target is AsyncIterable<Run> {
  return typeof target === 'object' && Symbol.asyncIterator in target
}
