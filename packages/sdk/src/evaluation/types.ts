import type { Client } from '../client.ts'
import type { EvaluationResult, EvaluationResults } from '../resources/feedback.ts'
import type { Example, KVMap, Run, TracerSession } from '../schemas.ts'
import type { MARKER } from '../tracing/traceable/types.ts'
import type { FailCondition } from './fail-if.ts'

export type { EvaluationResult, EvaluationResults } from '../resources/feedback.ts'

// biome-ignore lint/suspicious/noExplicitAny: what examples hold, and targets take and return, is theirs to say
export type Any = any

/** What a target gets beside its inputs. */
export type TargetConfigT = KVMap & {
  /** Of the example, by name; given with `includeAttachments`. */
  attachments?: Example['attachments'] | undefined
}

/** What is evaluated: a function (traceable or not) of the inputs, something to `invoke`, or runs that exist already. */
export type StandardTargetT<Input = Any, Output = Any> =
  | ((inputs: Input, config?: TargetConfigT) => Output | Promise<Output>)
  | { invoke(inputs: Input, config?: TargetConfigT): Output | Promise<Output> }
  | AsyncIterable<Run>

/** Name or id of a dataset, or examples of one dataset. */
export type DataT = string | readonly Example[] | AsyncIterable<Example>

/** What an evaluator may return; an object without `key` gets the evaluator's name. */
export type EvaluatorResult =
  | (Omit<EvaluationResult, 'key'> & { key?: string | undefined })
  | readonly (Omit<EvaluationResult, 'key'> & { key?: string | undefined })[]
  | { results: readonly EvaluationResult[] }

export interface EvaluatorArgs {
  /** The run of the target; a live run tree when it was made just now. */
  run: Run
  example: Example
  /** An object, as are the next two; an evaluator may name the members it knows of. */
  inputs: Any
  /** `undefined` when the target failed. */
  outputs: Any
  /** `undefined` when the example has none. */
  referenceOutputs: Any
  attachments?: Example['attachments'] | undefined
}

/** Judges a run whole, the way older code wrote it. */
export interface RunEvaluator {
  evaluateRun(run: Run, example?: Example, options?: { runId?: string }): EvaluatorResult | Promise<EvaluatorResult>
}

type RowEvaluator = {
  // A method's parameters are checked in both directions, so that an evaluator may name the fields it reads. The first
  // argument has the fields of the run too: that is how evaluators of the form `(run, example)` are served.
  evaluator(
    args: EvaluatorArgs & Omit<Run, keyof EvaluatorArgs>,
    example?: Example,
  ): EvaluatorResult | Promise<EvaluatorResult>
}['evaluator']

/** What `traceable` made of an evaluator; by its mark, because its overloads would hide the parameters of all others. */
type TracedEvaluator = { readonly [MARKER]: object; readonly keys?: readonly string[] }

/** Judges one run. Its name is the key of results that have none; `keys` says which others it gives. */
export type EvaluatorT = (RowEvaluator & { readonly keys?: readonly string[] }) | RunEvaluator | TracedEvaluator

export interface SummaryEvaluatorArgs {
  runs: Run[]
  examples: Example[]
  inputs: Any[]
  outputs: Any[]
  referenceOutputs: Any[]
}

/**
 * Judges the experiment as a whole. One parameter makes it the object; a function of two gets `(runs, examples)`, which
 * is why the first has both types here.
 */
export type SummaryEvaluatorT = {
  evaluator(args: SummaryEvaluatorArgs & Run[], examples: Example[]): EvaluatorResult | Promise<EvaluatorResult>
}['evaluator']

/** One example, one run of the target over it, and what was thought of that. */
export interface ExperimentResultRow {
  run: Run
  example: Example
  evaluationResults: EvaluationResults
}

/** Whether to send what an experiment makes, or for which examples. One that throws keeps the example's run local. */
export type UploadRuns = boolean | ((example: Example) => boolean)

export interface EvaluateOptions {
  /** Optional for a target of existing runs, and when an experiment is resumed: then it is the experiment's dataset. */
  data?: DataT | undefined
  evaluators?: readonly EvaluatorT[] | undefined
  summaryEvaluators?: readonly SummaryEvaluatorT[] | undefined
  /** Of the experiment, and of each run of the target. */
  metadata?: KVMap | undefined
  /** The name is the prefix and eight random characters. @default three random words */
  experimentPrefix?: string | undefined
  description?: string | undefined
  /** Targets and evaluators at a time, together; 0 and 1 are one after the other. @default 0 */
  maxConcurrency?: number | undefined
  /** Targets at a time. With `evaluationConcurrency` given too, the two no longer share `maxConcurrency`. */
  targetConcurrency?: number | undefined
  evaluationConcurrency?: number | undefined
  /** @default a new client, configured by the environment */
  client?: Client | undefined
  /** How often the whole list of examples is gone through. @default 1 */
  numRepetitions?: number | undefined
  /** Gives the attachments of examples to the target, as `{ attachments }` in its second argument. @default false */
  includeAttachments?: boolean | undefined
  /** Records no runs of evaluators; their feedback then links to none. @default false */
  disableEvaluatorTracing?: boolean | undefined
  /**
   * What is sent to the server. `false` keeps everything here: there is no experiment, no run and no feedback. A function
   * is asked before each run of the target: examples it declines are run and judged here only; the experiment and its
   * summary feedback are sent all the same. For a function or traceable as the target.
   *
   * @default true
   */
  uploadRuns?: UploadRuns | undefined
  /** Project of the evaluators' runs. @default "evaluators" */
  evaluatorProject?: string | undefined
  /** An experiment to add to: itself, its name or its id. */
  experiment?: TracerSession | string | undefined
  /**
   * Goes on with an `experiment` that was interrupted: examples that have a finished run are not run again, evaluators
   * that have not judged such a run do so now. Runs that failed count as finished.
   *
   * @default false
   */
  resume?: boolean | undefined
  /** Rejects, after everything is recorded, when the target failed for any example. @default false */
  failOnError?: boolean | undefined
  /** Rejects, after everything is recorded, when one of these holds: `correctness.mean<0.8`. @see parseFailIf */
  failIf?: string | readonly string[] | undefined
  /** Experiment to compare with, for conditions such as `correctness.verdict=worse`. @default the dataset's baseline */
  baseline?: TracerSession | string | undefined
  /** `false` keeps standard error free of progress, table and link. @default true */
  progress?: boolean | undefined
  /** Called with each row when it is complete, in the order of completion. */
  onRow?: ((row: ExperimentResultRow) => void) | undefined
  /** Starts no further target or evaluator once aborted, and rejects; `resume` goes on later. */
  signal?: AbortSignal | undefined
}

/** The options, complete and checked. */
export interface Plan extends EvaluateOptions {
  client: Client
  conditions: FailCondition[]
  numRepetitions: number
  evaluators: readonly EvaluatorT[]
  summaryEvaluators: readonly SummaryEvaluatorT[]
  evaluatorProject: string
  uploadRuns: UploadRuns
}

/** Something that went wrong for one row without ending the experiment. */
export interface RowError {
  /** Absent for what judges the experiment as a whole. */
  exampleId: string | undefined
  /** The evaluator that failed; absent when it was the target. */
  evaluator: string | undefined
  error: unknown
}
