import type { Client } from '../client.ts'
import type { EvaluationResult } from '../resources/feedback.ts'
import type { Example, KVMap, Run, TracerSession } from '../schemas.ts'
import { runInContext } from '../tracing/context.ts'
import { createSilentRunTree, type RunTree } from '../tracing/run-tree.ts'
import { traceable } from '../tracing/traceable/traceable.ts'
import { type AnyFunction, MARKER, ROOT } from '../tracing/traceable/types.ts'
import type { FeedbackQueue } from './feedback-queue.ts'
import type {
  EvaluatorArgs,
  EvaluatorT,
  ExperimentResultRow,
  SummaryEvaluatorArgs,
  SummaryEvaluatorT,
} from './types.ts'

/** Context shared by all evaluators of an experiment. */
export interface TracingContext {
  client: Client
  experiment: TracerSession
  /** Project for the evaluators' runs; `undefined` records none. */
  project: string | undefined
}

/** Context of evaluators whose results become feedback. */
export interface EvaluatorContext extends TracingContext {
  /** Absent when feedback stays local. */
  feedbackQueue: FeedbackQueue | undefined
  /** Called when feedback could not be stored. */
  onError(evaluator: string, exampleId: string | undefined, error: unknown): void
}

const ANONYMOUS = 'evaluator'
const numbered = new WeakMap<object, string>()

/** Numbers evaluators without a name by position, so that each keeps its name when an experiment is resumed. */
export function numberAnonymous(evaluators: readonly object[]): void {
  const anonymous = evaluators.filter((evaluator) => findOwnName(evaluator) === undefined)
  for (const [at, evaluator] of anonymous.entries()) {
    numbered.set(evaluator, at === 0 ? ANONYMOUS : `${ANONYMOUS} ${at + 1}`)
  }
}

/** Name of the evaluator's run, of its results without a key, and in error messages. */
export function getEvaluatorName(evaluator: object): string {
  return findOwnName(evaluator) ?? numbered.get(evaluator) ?? ANONYMOUS
}

interface Named {
  name?: unknown
  evaluationName?: unknown
  /** Set on functions made by `traceable`. */
  [MARKER]?: { name?: unknown }
}

function findOwnName(evaluator: object): string | undefined {
  const { name, evaluationName, [MARKER]: traced } = evaluator as Named
  for (const given of [traced?.name, name, evaluationName]) if (typeof given === 'string' && given !== '') return given
  const constructed = typeof evaluator === 'function' ? undefined : evaluator.constructor?.name
  return constructed && constructed !== 'Object' ? constructed : undefined
}

/** Feedback keys that can be known before the call: the declared `keys`, or else the name. */
export function getEvaluatorKeys(evaluator: EvaluatorT): readonly string[] {
  const { keys } = evaluator as { keys?: unknown }
  return Array.isArray(keys) && keys.length > 0 ? keys.map(String) : [getEvaluatorName(evaluator)]
}

/**
 * Runs one evaluator on one run, records the evaluator's own run, and queues its results as feedback.
 *
 * @returns the results as the evaluator returned them: scores are not rounded
 */
export async function runEvaluator(
  evaluator: EvaluatorT,
  run: Run,
  example: Example,
  context: EvaluatorContext,
): Promise<EvaluationResult[]> {
  const name = getEvaluatorName(evaluator)
  const args = toEvaluatorArgs(run, example)
  const tracedInputs = { inputs: args.inputs, outputs: args.outputs, referenceOutputs: args.referenceOutputs }
  const { value, runId } = await traceEvaluation(
    name,
    (id) => callEvaluator(evaluator, args, run, example, id),
    tracedInputs,
    { example_id: example.id, target_run_id: run.id },
    context,
    example.id,
  )
  const results = toResults(value, name)
  for (const result of results) {
    const feedback = toRunFeedback(result, name, run, runId, context)
    await context.feedbackQueue?.add(feedback, (error) => context.onError(name, example.id, error))
  }
  return results
}

function toEvaluatorArgs(run: Run, example: Example): EvaluatorArgs {
  return {
    // Older evaluators read the fields of the run from their single argument.
    ...run,
    run,
    example,
    inputs: example.inputs,
    outputs: run.outputs ?? undefined,
    referenceOutputs: example.outputs ?? undefined,
    attachments: example.attachments,
  } as EvaluatorArgs
}

function callEvaluator(
  evaluator: EvaluatorT,
  args: EvaluatorArgs,
  run: Run,
  example: Example,
  runId?: string,
): unknown {
  if ('evaluateRun' in evaluator) return evaluator.evaluateRun(run, example, runId === undefined ? {} : { runId })
  return (evaluator as AnyFunction)(args, example)
}

/** Traces the task as a root run of its own, or runs it without tracing when `project` is `undefined`. */
export async function traceEvaluation(
  name: string,
  task: (runId?: string) => unknown,
  inputs: KVMap,
  metadata: KVMap,
  { client, experiment, project }: TracingContext,
  exampleId?: string,
): Promise<{ value: unknown; runId: string | undefined }> {
  if (project === undefined) return { value: await runInContext(createSilentRunTree(), () => task()), runId: undefined }
  let runId: string | undefined
  const call = traceable(
    async (runTree: RunTree) => {
      runId = runTree.id
      return await task(runId)
    },
    {
      name,
      client,
      project_name: project,
      tracingEnabled: true,
      reference_example_id: exampleId,
      metadata: { ...metadata, experiment: experiment.name, experiment_id: experiment.id },
      processInputs: () => inputs,
    },
  )
  return { value: await call(ROOT), runId }
}

/** @throws Error unless the value is an object, a list of objects, or `{ results }` */
export function toResults(value: unknown, name: string): EvaluationResult[] {
  if (typeof value !== 'object' || value === null) throw new Error('Evaluator function must return an object.')
  const all: unknown = 'results' in value ? value.results : value
  return (Array.isArray(all) ? all : [all]).map((result: unknown) => {
    if (typeof result !== 'object' || result === null) throw new Error('Evaluator function must return an object.')
    const { key } = result as Partial<EvaluationResult>
    return { ...result, key: key ? String(key) : name }
  })
}

function toRunFeedback(
  result: EvaluationResult,
  name: string,
  run: Run,
  runId: string | undefined,
  context: TracingContext,
) {
  const targetRunId = result.targetRunId ?? run.id
  return {
    ...toFeedback(result, name, runId, context),
    runId: targetRunId,
    sessionId: context.experiment.id,
    traceId: targetRunId === run.id ? run.trace_id : undefined,
  }
}

/** Fields that feedback on a run and on an experiment share. */
export function toFeedback(
  result: EvaluationResult,
  name: string,
  runId: string | undefined,
  { project }: TracingContext,
) {
  const { key, score, value, comment, correction, evaluatorInfo, feedbackConfig, sourceRunId } = result
  return {
    key,
    score,
    value,
    comment,
    correction,
    feedbackConfig,
    // A resumed experiment finds the evaluators that have already run by this name.
    sourceInfo: { ...evaluatorInfo, evaluator: name },
    feedbackSourceType: 'model' as const,
    sourceRunId: project === undefined ? undefined : (sourceRunId ?? runId),
  }
}

/** Runs evaluators over the whole experiment. A failure is reported and skipped. */
export async function runSummaryEvaluators(
  evaluators: readonly SummaryEvaluatorT[],
  rows: readonly ExperimentResultRow[],
  context: EvaluatorContext,
): Promise<EvaluationResult[]> {
  const args = toSummaryArgs(rows)
  const all: EvaluationResult[] = []
  for (const evaluator of evaluators) {
    const name = getEvaluatorName(evaluator)
    try {
      all.push(...(await runSummaryEvaluator(evaluator, name, args, context)))
    } catch (error) {
      context.onError(name, undefined, error)
    }
  }
  return all
}

async function runSummaryEvaluator(
  evaluator: SummaryEvaluatorT,
  name: string,
  args: SummaryEvaluatorArgs,
  context: EvaluatorContext,
) {
  // All runs and examples are stored already, so their number is enough.
  const tracedInputs = {
    runs: `Runs[] (Length=${args.runs.length})`,
    examples: `Examples[] (Length=${args.examples.length})`,
  }
  const { value, runId } = await traceEvaluation(
    name,
    () => callSummaryEvaluator(evaluator, args),
    tracedInputs,
    {},
    context,
  )
  const results = toResults(value, name)
  for (const result of results) {
    const feedback = { ...toFeedback(result, name, runId, context), projectId: context.experiment.id }
    await context.feedbackQueue?.add(feedback, (error) => context.onError(name, undefined, error))
  }
  return results
}

function callSummaryEvaluator(evaluator: SummaryEvaluatorT, args: SummaryEvaluatorArgs): unknown {
  const call = evaluator as (...args: unknown[]) => unknown
  return evaluator.length === 1 ? call(args) : call(args.runs, args.examples)
}

function toSummaryArgs(rows: readonly ExperimentResultRow[]): SummaryEvaluatorArgs {
  return {
    runs: rows.map(({ run }) => run),
    examples: rows.map(({ example }) => example),
    inputs: rows.map(({ example }) => example.inputs),
    outputs: rows.map(({ run }) => run.outputs ?? {}),
    referenceOutputs: rows.map(({ example }) => example.outputs ?? {}),
  }
}
