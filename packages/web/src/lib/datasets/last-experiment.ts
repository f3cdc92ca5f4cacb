import type { TracerSessionResult as Experiment } from '@touchstone/sdk'

/** The feedback key of an experiment with the most scores. */
export interface TopMetric {
  readonly key: string
  readonly mean: number
  /** Mean minus the mean of the baseline; undefined without another experiment as baseline that has the key. */
  readonly delta: number | undefined
}

/** @param baseline  the experiment that the dataset's others are compared with */
export function findTopMetric(experiment: Experiment, baseline: Experiment | undefined): TopMetric | undefined {
  const [top] = Object.entries(experiment.feedback_stats ?? {})
    .flatMap(([key, { avg, n }]) => (avg === null ? [] : [{ key, mean: avg, count: n }]))
    .sort((one, other) => other.count - one.count || one.key.localeCompare(other.key))
  if (top === undefined) return undefined
  const before = baseline?.id === experiment.id ? undefined : baseline?.feedback_stats?.[top.key]?.avg
  return { key: top.key, mean: top.mean, delta: before == null ? undefined : top.mean - before }
}

/** The author of the last commit of the program that ran the experiment, if the client recorded it. */
export function findAuthor({ extra }: Pick<Experiment, 'extra'>): string | undefined {
  const git = readMember(readMember(extra, 'metadata'), 'git')
  const name = readMember(git, 'author_name') ?? readMember(git, 'authorName')
  return typeof name === 'string' && name !== '' ? name : undefined
}

function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}
