import type { Client } from '../client.ts'
import type { EvaluationResult, EvaluationResults } from '../resources/feedback.ts'
import type { Example, KVMap, Run, TracerSession } from '../schemas.ts'
import type { MARKER } from '../tracing/traceable/types.ts'
import type { FailCondition } from './fail-if.ts'

export type { EvaluationResult, EvaluationResults } from '../resources/feedback.ts'

// biome-ignore lint/suspicious/noExplicitAny: examples and targets may hold values of any type
export type Any = any

/** Second argument of a target. */
export type TargetConfigT = KVMap & {
  /** Attachments of the example by name; given with `includeAttachments`. */
  attachments?: Example['attachments'] | undefined
}

/** A function of the inputs (traceable or not), an object with `invoke`, or existing runs. */
export type StandardTargetT<Input = Any, Output = Any> =
  | ((inputs: Input, config?: TargetConfigT) => Output | Promise<Output>)
  | { invoke(inputs: Input, config?: TargetConfigT): Output | Promise<Output> }
  | AsyncIterable<Run>

/** Name or id of a dataset, or examples of one dataset. */
export type DataT = string | readonly Example[] | AsyncIterable<Example>

/** Return value of an evaluator. An object without `key` gets the evaluator's name. */
export type EvaluatorResult =
  | (Omit<EvaluationResult, 'key'> & { key?: string | undefined })
  | readonly (Omit<EvaluationResult, 'key'> & { key?: string | undefined })[]
  | { results: readonly EvaluationResult[] }

export interface EvaluatorArgs {
  /** The run of the target; a live run tree when the target has just run. */
  run: Run
  example: Example
  /** Inputs, outputs and reference outputs are objects; the type lets evaluators name the members they use. */
  inputs: Any
  /** `undefined` when the target failed. */
  outputs: Any
  /** `undefined` when the example has none. */
  referenceOutputs: Any
  attachments?: Example['attachments'] | undefined
}

/** An evaluator object, as in older code. */
export interface RunEvaluator {
  evaluateRun(run: Run, example?: Example, options?: { runId?: string }): EvaluatorResult | Promise<EvaluatorResult>
}

type RowEvaluator = {
  // Method parameters are checked bivariantly, so that an evaluator may declare only the fields it reads. The first
  // argument also has the fields of the run, for evaluators of the form `(run, example)`.
  evaluator(
    args: EvaluatorArgs & Omit<Run, keyof EvaluatorArgs>,
    example?: Example,
  ): EvaluatorResult | Promise<EvaluatorResult>
}['evaluator']

/**
 * An evaluator made by `traceable`. Identified by its marker, because its overloads would hide the parameters of
 * all others.
 */
type TracedEvaluator = { readonly [MARKER]: object; readonly keys?: readonly string[] }

/** Scores one run. Its name is the key of results without a key; `keys` declares other keys. */
export type EvaluatorT = (RowEvaluator & { readonly keys?: readonly string[] }) | RunEvaluator | TracedEvaluator

export interface SummaryEvaluatorArgs {
  runs: Run[]
  examples: Example[]
  inputs: Any[]
  outputs: Any[]
  referenceOutputs: Any[]
}

/**
 * Scores the whole experiment. A function with one parameter receives the object, a function with two receives
 * `(runs, examples)`. The first parameter therefore has both types.
 */
export type SummaryEvaluatorT = {
  evaluator(args: SummaryEvaluatorArgs & Run[], examples: Example[]): EvaluatorResult | Promise<EvaluatorResult>
}['evaluator']

/** One example, the target's run on it, and its evaluation results. */
export interface ExperimentResultRow {
  run: Run
  example: Example
  evaluationResults: EvaluationResults
}

/**
 * Whether to upload the runs of an experiment, or for which examples. If the function throws, the example's run
 * stays local.
 */
export type UploadRuns = boolean | ((example: Example) => boolean)

export interface EvaluateOptions {
  /** Optional for existing runs, and when an experiment is resumed: the default is the experiment's dataset. */
  data?: DataT | undefined
  evaluators?: readonly EvaluatorT[] | undefined
  summaryEvaluators?: readonly SummaryEvaluatorT[] | undefined
  /** Metadata of the experiment and of each target run. */
  metadata?: KVMap | undefined
  /** The name is the prefix plus eight random characters. @default adjective, noun and number */
  experimentPrefix?: string | undefined
  description?: string | undefined
  /** Concurrent targets and evaluators together; 0 and 1 mean sequential. @default 0 */
  maxConcurrency?: number | undefined
  /** Concurrent targets. If `evaluationConcurrency` is given too, the two no longer share `maxConcurrency`. */
  targetConcurrency?: number | undefined
  evaluationConcurrency?: number | undefined
  /** @default a new client, configured by the environment */
  client?: Client | undefined
  /** How often each example is run. @default 1 */
  numRepetitions?: number | undefined
  /** Passes the attachments of examples to the target, as `{ attachments }` in its second argument. @default false */
  includeAttachments?: boolean | undefined
  /** Records no runs of evaluators; their feedback then has no source run. @default false */
  disableEvaluatorTracing?: boolean | undefined
  /**
   * What to send to the server. `false` keeps everything local: no experiment, no runs, no feedback. A function is
   * called before each run of the target: examples for which it returns false are run and scored locally, while the
   * experiment and its summary feedback are still sent. Only for a function or traceable as the target.
   *
   * @default true
   */
  uploadRuns?: UploadRuns | undefined
  /** Project for the evaluators' runs. @default "evaluators" */
  evaluatorProject?: string | undefined
  /** An existing experiment to extend: itself, its name or its id. */
  experiment?: TracerSession | string | undefined
  /**
   * Continues an interrupted `experiment`: examples with a finished run are not run again, and evaluators that have not
   * scored such a run do so now. Failed runs count as finished.
   *
   * @default false
   */
  resume?: boolean | undefined
  /** Rejects after everything is recorded, when the target failed for any example. @default false */
  failOnError?: boolean | undefined
  /**
   * Rejects after everything is recorded, when one of these conditions holds, e.g. `correctness.mean<0.8`.
   *
   * @see parseFailIf
   */
  failIf?: string | readonly string[] | undefined
  /** Experiment to compare with, for conditions such as `correctness.verdict=worse`. @default the dataset's baseline */
  baseline?: TracerSession | string | undefined
  /** `false` prints no progress, table or link to standard error. @default true */
  progress?: boolean | undefined
  /** Called with each completed row, in the order of completion. */
  onRow?: ((row: ExperimentResultRow) => void) | undefined
  /** Once aborted, no further target or evaluator starts and the promise rejects; `resume` continues later. */
  signal?: AbortSignal | undefined
}

/** The options after validation, with defaults. */
export interface Plan extends EvaluateOptions {
  client: Client
  conditions: FailCondition[]
  numRepetitions: number
  evaluators: readonly EvaluatorT[]
  summaryEvaluators: readonly SummaryEvaluatorT[]
  evaluatorProject: string
  uploadRuns: UploadRuns
}

/** An error in one row that did not end the experiment. */
export interface RowError {
  /** Absent for summary evaluators. */
  exampleId: string | undefined
  /** The evaluator that failed; absent when the target failed. */
  evaluator: string | undefined
  error: unknown
}
