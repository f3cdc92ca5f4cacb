import type { Client } from '../client.ts'
import type { EvaluationResult } from '../resources/feedback.ts'
import type { Example, KVMap, Run, TracerSession } from '../schemas.ts'
import { inContext } from '../tracing/context.ts'
import { type RunTree, silentRunTree } from '../tracing/run-tree.ts'
import { traceable } from '../tracing/traceable/traceable.ts'
import { type AnyFunction, MARKER, ROOT } from '../tracing/traceable/types.ts'
import type { Outgoing } from './outgoing.ts'
import type { EvaluatorArgs, EvaluatorT } from './types.ts'

/** What every evaluator of an experiment shares. */
export interface Bench {
  client: Client
  experiment: TracerSession
  /** Where evaluators' runs go; `undefined` records none. */
  project: string | undefined
}

/** The same for those whose results become feedback. */
export interface JudgingBench extends Bench {
  /** Absent where feedback stays local. */
  outgoing: Outgoing | undefined
  /** Told of feedback that could not be given. */
  onError(evaluator: string, exampleId: string | undefined, error: unknown): void
}

const ANONYMOUS = 'evaluator'
const numbered = new WeakMap<object, string>()

/** Tells evaluators without a name apart by their place, so that each keeps its own when an experiment is resumed. */
export function numberAnonymous(evaluators: readonly object[]): void {
  const anonymous = evaluators.filter((evaluator) => ownNameOf(evaluator) === undefined)
  for (const [at, evaluator] of anonymous.entries()) {
    numbered.set(evaluator, at === 0 ? ANONYMOUS : `${ANONYMOUS} ${at + 1}`)
  }
}

/** The name that its run, its results without a key and complaints about it carry. */
export function nameOfEvaluator(evaluator: object): string {
  return ownNameOf(evaluator) ?? numbered.get(evaluator) ?? ANONYMOUS
}

interface Named {
  name?: unknown
  evaluationName?: unknown
  /** Of what `traceable` made. */
  [MARKER]?: { name?: unknown }
}

function ownNameOf(evaluator: object): string | undefined {
  const { name, evaluationName, [MARKER]: traced } = evaluator as Named
  for (const given of [traced?.name, name, evaluationName]) if (typeof given === 'string' && given !== '') return given
  const constructed = typeof evaluator === 'function' ? undefined : evaluator.constructor?.name
  return constructed && constructed !== 'Object' ? constructed : undefined
}

/** The feedback keys it is known to give before it was asked: those it declares, else its name. */
export function keysOfEvaluator(evaluator: EvaluatorT): readonly string[] {
  const { keys } = evaluator as { keys?: unknown }
  return Array.isArray(keys) && keys.length > 0 ? keys.map(String) : [nameOfEvaluator(evaluator)]
}

/**
 * Has one run judged, records the evaluator's own run, and sends its results off as feedback.
 *
 * @returns the results as the evaluator meant them: scores are not rounded
 */
export async function judge(
  evaluator: EvaluatorT,
  run: Run,
  example: Example,
  bench: JudgingBench,
): Promise<EvaluationResult[]> {
  const name = nameOfEvaluator(evaluator)
  const args = argsOf(run, example)
  const shown = { inputs: args.inputs, outputs: args.outputs, referenceOutputs: args.referenceOutputs }
  const { value, runId } = await traced(
    name,
    (id) => ask(evaluator, args, run, example, id),
    shown,
    { example_id: example.id, target_run_id: run.id },
    bench,
    example.id,
  )
  const results = resultsOf(value, name)
  for (const result of results) {
    const feedback = feedbackOnRun(result, name, run, runId, bench)
    await bench.outgoing?.add(feedback, (error) => bench.onError(name, example.id, error))
  }
  return results
}

function argsOf(run: Run, example: Example): EvaluatorArgs {
  return {
    // Evaluators of old read the run's own fields off their one argument.
    ...run,
    run,
    example,
    inputs: example.inputs,
    outputs: run.outputs ?? undefined,
    referenceOutputs: example.outputs ?? undefined,
    attachments: example.attachments,
  } as EvaluatorArgs
}

function ask(evaluator: EvaluatorT, args: EvaluatorArgs, run: Run, example: Example, runId?: string): unknown {
  if ('evaluateRun' in evaluator) return evaluator.evaluateRun(run, example, runId === undefined ? {} : { runId })
  return (evaluator as AnyFunction)(args, example)
}

/** Runs a piece of judging as a root run of its own, or silently. */
export async function traced(
  name: string,
  task: (runId?: string) => unknown,
  inputs: KVMap,
  metadata: KVMap,
  { client, experiment, project }: Bench,
  exampleId?: string,
): Promise<{ value: unknown; runId: string | undefined }> {
  if (project === undefined) return { value: await inContext(silentRunTree(), () => task()), runId: undefined }
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

/** @throws for anything but an object, a list of objects or `{ results }` */
export function resultsOf(value: unknown, name: string): EvaluationResult[] {
  if (typeof value !== 'object' || value === null) throw new Error('Evaluator function must return an object.')
  const all: unknown = 'results' in value ? value.results : value
  return (Array.isArray(all) ? all : [all]).map((result: unknown) => {
    if (typeof result !== 'object' || result === null) throw new Error('Evaluator function must return an object.')
    const { key } = result as Partial<EvaluationResult>
    return { ...result, key: key ? String(key) : name }
  })
}

function feedbackOnRun(result: EvaluationResult, name: string, run: Run, runId: string | undefined, bench: Bench) {
  const judged = result.targetRunId ?? run.id
  return {
    ...feedbackOf(result, name, runId, bench),
    runId: judged,
    sessionId: bench.experiment.id,
    traceId: judged === run.id ? run.trace_id : undefined,
  }
}

/** What feedback on runs and on the experiment have in common. */
export function feedbackOf(result: EvaluationResult, name: string, runId: string | undefined, { project }: Bench) {
  const { key, score, value, comment, correction, evaluatorInfo, feedbackConfig, sourceRunId } = result
  return {
    key,
    score,
    value,
    comment,
    correction,
    feedbackConfig,
    // By this name a resumed experiment knows who has judged already.
    sourceInfo: { ...evaluatorInfo, evaluator: name },
    feedbackSourceType: 'model' as const,
    sourceRunId: project === undefined ? undefined : (sourceRunId ?? runId),
  }
}
