import type { ExperimentCells } from '@touchstone/sdk'

export type RunStatus = ExperimentCells['experiments'][number]['runs']['status'][number]

/** Columns over the runs of an experiment: the same index is the same run, ordered by start. `NaN` means "unknown". */
export interface RunColumns {
  readonly count: number
  readonly id: readonly string[]
  /** Index in `exampleIds`. */
  readonly example: Uint32Array
  /** Number of the repetition of the example, from 0. */
  readonly repetition: Uint16Array
  readonly status: readonly RunStatus[]
  /** Index in `errors` of the comparison; -1 without an error. */
  readonly error: Int32Array
  readonly startedAt: readonly string[]
  readonly latencyMs: Float64Array
  /** Of the whole trace. */
  readonly tokens: Float64Array
  /** Of the whole trace, in US dollars. */
  readonly cost: Float64Array
  /** The part of the cost that was reported by the client; `NaN` where all of it was computed. */
  readonly reportedCost: Float64Array
}

/** What is known about the feedback with one key besides its scores; an index is a run. */
export interface FeedbackDetails {
  /** Number of scores behind each score; absent when it is 1 wherever there is a score. */
  readonly counts: Float64Array | undefined
  /** Index in `labels` of the key; -1 without a label. Absent when no run has a label. */
  readonly labels: Int16Array | undefined
  /** Runs whose evaluator failed. */
  readonly failed: ReadonlySet<number>
}

export interface ComparedExperiment {
  readonly id: string
  readonly name: string
  readonly runs: RunColumns
  /** The runs of example `e` are `runsByExample[firstRun[e]]` to `runsByExample[firstRun[e + 1] - 1]`, by repetition. */
  readonly firstRun: Uint32Array
  readonly runsByExample: Uint32Array
  /** Feedback key → mean score of each run. */
  readonly scores: ReadonlyMap<string, Float64Array>
  readonly details: ReadonlyMap<string, FeedbackDetails>
}

/**
 * The runs of experiments over a dataset without their texts. Filters, counts and sorting over all examples use these
 * columns and need no request.
 */
export interface ComparisonCells {
  /** All examples with a run in any of the experiments, in the order of the server. */
  readonly exampleIds: readonly string[]
  /** Number of examples at the end of `exampleIds` that are no longer in the dataset. */
  readonly deletedCount: number
  /** Splits of each example. */
  readonly splits: readonly (readonly string[])[]
  /** First lines of errors. */
  readonly errors: readonly string[]
  readonly experiments: readonly ComparedExperiment[]
  readonly keys: readonly {
    readonly key: string
    readonly isLowerBetter: boolean
    readonly labels: readonly string[]
  }[]
  /** Keys that were left out, because there are too many. */
  readonly omittedKeys: readonly string[]
  /** Requested experiments that do not exist, or are over another dataset. */
  readonly missingIds: readonly string[]
}

export function toComparisonCells(answer: ExperimentCells): ComparisonCells {
  return {
    exampleIds: answer.example_ids,
    deletedCount: answer.deleted_count,
    splits: answer.splits,
    errors: answer.errors,
    experiments: answer.experiments.map((experiment) => toExperiment(experiment, answer.example_ids.length)),
    keys: answer.keys.map(({ key, is_lower_score_better, labels }) => ({
      key,
      isLowerBetter: is_lower_score_better,
      labels,
    })),
    omittedKeys: answer.omitted_keys,
    missingIds: answer.missing_session_ids,
  }
}

function toExperiment(
  { id, name, runs, feedback }: ExperimentCells['experiments'][number],
  examples: number,
): ComparedExperiment {
  const example = Uint32Array.from(runs.example)
  return {
    id,
    name,
    runs: {
      count: runs.id.length,
      id: runs.id,
      example,
      repetition: Uint16Array.from(runs.repetition),
      status: runs.status,
      error: Int32Array.from(runs.error, (error) => error ?? -1),
      startedAt: runs.start_time,
      latencyMs: toFloats(runs.latency_ms),
      tokens: toFloats(runs.total_tokens),
      cost: toFloats(runs.total_cost),
      reportedCost: toFloats(runs.reported_cost),
    },
    ...groupByExample(example, examples),
    scores: new Map(feedback.map(({ key, scores }) => [key, toFloats(scores)])),
    details: new Map(
      feedback.map(({ key, counts, labels, failed }) => [
        key,
        {
          counts: counts === null ? undefined : Float64Array.from(counts),
          labels: labels === null ? undefined : Int16Array.from(labels, (label) => label ?? -1),
          failed: new Set(failed),
        },
      ]),
    ),
  }
}

function toFloats(values: readonly (number | null)[]): Float64Array {
  return Float64Array.from(values, (value) => value ?? Number.NaN)
}

/** Sorts runs by example. The sort is stable, so the runs of an example stay in the order of their repetitions. */
function groupByExample(example: Uint32Array, examples: number) {
  const firstRun = new Uint32Array(examples + 1)
  for (const at of example) firstRun[at + 1] = (firstRun[at + 1] ?? 0) + 1
  for (let at = 0; at < examples; at++) firstRun[at + 1] = (firstRun[at + 1] ?? 0) + (firstRun[at] ?? 0)
  const next = firstRun.slice()
  const runsByExample = new Uint32Array(example.length)
  example.forEach((at, run) => {
    const position = next[at] ?? 0
    runsByExample[position] = run
    next[at] = position + 1
  })
  return { firstRun, runsByExample }
}

/** The runs of an example in an experiment, by repetition. */
export function getRunsOfExample({ firstRun, runsByExample }: ComparedExperiment, example: number): Uint32Array {
  return runsByExample.subarray(firstRun[example] ?? 0, firstRun[example + 1] ?? 0)
}

/** The number of examples with a failed run. */
export function countFailedExamples({ runs }: ComparedExperiment): number {
  return new Set(runs.example.filter((_, run) => runs.status[run] === 'error')).size
}

/** The largest number of repetitions of an example in any experiment. */
export function countRepetitions({ experiments }: ComparisonCells): number {
  let most = 0
  for (const { runs } of experiments) for (const repetition of runs.repetition) most = Math.max(most, repetition + 1)
  return most
}

/** The baseline that the URL names, otherwise the first experiment. */
export function findBaseline({ experiments }: ComparisonCells, id: string | undefined): number {
  return Math.max(
    0,
    experiments.findIndex((experiment) => experiment.id === id),
  )
}
