import type { TracerSessionResult as Experiment } from '@touchstone/sdk'

/** The feedback key of an experiment with the most scores. */
export interface TopMetric {
  readonly key: string
  readonly mean: number
  /** Number of scores. */
  readonly count: number
}

/** An experiment as lists of other things show it. */
export interface LastExperiment {
  readonly id: string
  readonly name: string
  readonly datasetId: string
  readonly startedAt: string
  readonly author: string | undefined
  /** Absent before the first score. */
  readonly metric: TopMetric | undefined
  /** The experiment that the dataset's others are compared with, if it is another one. */
  readonly baseline: { readonly id: string; readonly name: string } | undefined
}

/** @param baseline  the baseline of its dataset */
export function toLastExperiment(experiment: Experiment, baseline: Experiment | undefined): LastExperiment {
  return {
    id: experiment.id,
    name: experiment.name,
    datasetId: experiment.reference_dataset_id ?? '',
    startedAt: experiment.start_time,
    author: findAuthor(experiment),
    metric: findTopMetric(experiment),
    baseline: baseline && baseline.id !== experiment.id ? { id: baseline.id, name: baseline.name } : undefined,
  }
}

function findTopMetric({ feedback_stats }: Experiment): TopMetric | undefined {
  const [top] = Object.entries(feedback_stats ?? {})
    .flatMap(([key, { avg, n }]) => (avg === null ? [] : [{ key, mean: avg, count: n }]))
    .sort((one, other) => other.count - one.count || one.key.localeCompare(other.key))
  return top
}

/** The author of the last commit of the program that ran the experiment, if the client recorded it. */
function findAuthor({ extra }: Experiment): string | undefined {
  const git = readMember(readMember(extra, 'metadata'), 'git')
  const name = readMember(git, 'author_name') ?? readMember(git, 'authorName')
  return typeof name === 'string' && name !== '' ? name : undefined
}

function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}
