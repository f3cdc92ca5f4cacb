import type { TracerSessionResult as Project } from '@touchstone/sdk'
import { findColumnChoice, getFeedbackKey, getMetadataPath } from './experiment-columns.ts'
import {
  type ExperimentRow,
  type Figures,
  type KeyMean,
  printMetadata,
  readMetadataAt,
  toExperimentRow,
} from './experiment-row.ts'

/** A row of the list: an experiment, or the heading of a group with the figures of its experiments. */
export type ListRow =
  | { readonly kind: 'experiment'; readonly id: string; readonly figures: Figures; readonly experiment: ExperimentRow }
  | {
      readonly kind: 'group'
      readonly id: string
      readonly figures: Figures
      /** The value of the metadata that its experiments share. */
      readonly label: string
      readonly count: number
      readonly isOpen: boolean
    }

/** The experiments with the text in their name, description, id or metadata. */
export function findExperiments(rows: readonly ExperimentRow[], text: string): readonly ExperimentRow[] {
  const word = text.trim().toLowerCase()
  if (word === '') return rows
  return rows.filter(({ name, description, id, metadata }) =>
    `${name}\n${description ?? ''}\n${id}\n${JSON.stringify(metadata)}`.toLowerCase().includes(word),
  )
}

type SortValue = string | number | undefined

/** Values to sort by, per column. */
const SORT_VALUES: Readonly<Record<string, (row: ExperimentRow) => SortValue>> = {
  name: ({ name }) => name.toLowerCase(),
  start_time: ({ createdAt }) => createdAt,
  version: ({ version }) => version,
  model: ({ model }) => model,
  prompt: ({ prompt }) => prompt,
  reps: ({ repetitions }) => repetitions,
  runs: ({ figures }) => figures.runCount,
  latency: ({ figures }) => figures.latencyP50Ms,
  p99: ({ figures }) => figures.latencyP99Ms,
  tokens: ({ figures }) => figures.tokens,
  cost: ({ figures }) => figures.cost,
  errors: ({ figures }) => figures.errorRate,
}

/**
 * The value of a row in a column. Numbers in metadata stay numbers.
 *
 * @param column  the id of a column; the column `created` sorts by `start_time`
 */
export function getSortValue(row: ExperimentRow, column: string): SortValue {
  const builtIn = Object.hasOwn(SORT_VALUES, column) ? SORT_VALUES[column] : undefined
  if (builtIn !== undefined) return builtIn(row)
  const key = getFeedbackKey(column)
  if (key !== undefined) return row.figures.feedback.get(key)?.mean
  const value = readMetadataAt(row, getMetadataPath(column) ?? [''])
  return typeof value === 'number' ? value : printMetadata(value) || undefined
}

/** @param sort  a column, with `-` in front for descending. Rows without a value come last in both directions */
export function sortExperiments(rows: readonly ExperimentRow[], sort: string): readonly ExperimentRow[] {
  const isDescending = sort.startsWith('-')
  const column = isDescending ? sort.slice(1) : sort
  return rows.toSorted((a, b) => {
    const [one, other] = [getSortValue(a, column), getSortValue(b, column)]
    if (one === undefined || other === undefined) {
      return Number(one === undefined) - Number(other === undefined) || compareStarts(a, b)
    }
    return compareValues(one, other) * (isDescending ? -1 : 1) || compareStarts(a, b)
  })
}

/** Newest first. */
function compareStarts(a: ExperimentRow, b: ExperimentRow): number {
  return a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt < b.createdAt ? 1 : -1
}

/** Numbers before texts; numbers inside texts count as numbers, so that "v10" comes after "v9". */
export function compareValues(one: string | number, other: string | number): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  if (typeof one === 'number') return -1
  if (typeof other === 'number') return 1
  return COLLATOR.compare(one, other)
}

const COLLATOR = new Intl.Collator('en', { numeric: true })

export interface ListOptions {
  readonly sort: string
  /** Metadata key to group by. */
  readonly group: string | undefined
  /** Groups whose experiments are hidden. */
  readonly closed: ReadonlySet<string>
  /** Comes first, in any order; inside its group when there are groups. */
  readonly baselineId: string | undefined
}

/** The rows of the list in order, with a heading per group. */
export function arrangeExperiments(rows: readonly ExperimentRow[], options: ListOptions): readonly ListRow[] {
  const { sort, group, closed, baselineId } = options
  const sorted = sortExperiments(rows, sort).toSorted(
    (a, b) => Number(b.id === baselineId) - Number(a.id === baselineId),
  )
  if (group === undefined) return sorted.map(toListRow)
  return groupExperiments(sorted, group).flatMap(({ label, members }): ListRow[] => {
    const id = `group:${label ?? ''}`
    const isOpen = !closed.has(id)
    const heading = { kind: 'group' as const, id, label: label ?? NO_VALUE, count: members.length, isOpen }
    return [{ ...heading, figures: combineFigures(members) }, ...(isOpen ? members.map(toListRow) : [])]
  })
}

const NO_VALUE = 'no value'

function toListRow(experiment: ExperimentRow): ListRow {
  return { kind: 'experiment', id: experiment.id, figures: experiment.figures, experiment }
}

interface Group {
  /** Undefined for experiments without the key. */
  readonly label: string | undefined
  readonly members: readonly ExperimentRow[]
}

/** Experiments by the text of a metadata value, in the order of the values; those without it come last. */
export function groupExperiments(rows: readonly ExperimentRow[], key: string): readonly Group[] {
  const groups = new Map<string | undefined, ExperimentRow[]>()
  for (const row of rows) {
    const value = row.metadata[key]
    const label = value === undefined || value === null ? undefined : printMetadata(value)
    const members = groups.get(label)
    if (members === undefined) groups.set(label, [row])
    else members.push(row)
  }
  return [...groups]
    .map(([label, members]) => ({ label, members }))
    .sort((a, b) =>
      a.label === undefined || b.label === undefined
        ? Number(a.label === undefined) - Number(b.label === undefined)
        : compareValues(a.label, b.label),
    )
}

/**
 * Figures of several experiments together: sums of runs, tokens and costs; means of scores and rates weighted by their
 * numbers. A latency is the mean of the experiments' own percentiles, weighted by their runs.
 */
export function combineFigures(rows: readonly ExperimentRow[]): Figures {
  const figures = rows.map((row) => row.figures)
  const weighted = (read: (one: Figures) => number | undefined) =>
    meanOf(figures.map((one) => ({ value: read(one), weight: one.runCount })))
  const keys = new Set(figures.flatMap(({ feedback }) => [...feedback.keys()]))
  return {
    runCount: figures.reduce((sum, one) => sum + one.runCount, 0),
    latencyP50Ms: weighted((one) => one.latencyP50Ms),
    latencyP99Ms: weighted((one) => one.latencyP99Ms),
    tokens: sumOf(figures.map((one) => one.tokens)),
    cost: sumOf(figures.map((one) => one.cost)),
    reportedCost: sumOf(figures.map((one) => one.reportedCost)),
    unpricedFees: sumOf(figures.map((one) => one.unpricedFees)),
    errorRate: weighted((one) => one.errorRate),
    feedback: new Map(
      [...keys].flatMap((key): [string, KeyMean][] => {
        const means = figures.flatMap(({ feedback }) => feedback.get(key) ?? [])
        const mean = meanOf(means.map(({ mean: value, count: weight }) => ({ value, weight })))
        if (mean === undefined) return []
        const count = means.reduce((sum, one) => sum + one.count, 0)
        return [[key, { mean, count, margin: undefined, isOfExperiment: false }]]
      }),
    ),
  }
}

function sumOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0)
}

function meanOf(values: readonly { value: number | undefined; weight: number }[]): number | undefined {
  let [sum, weights] = [0, 0]
  for (const { value, weight } of values) {
    if (value === undefined) continue
    sum += value * weight
    weights += weight
  }
  return weights === 0 ? undefined : sum / weights
}

/**
 * The list as rows of a file, with the shown columns in their order, all digits, times in UTC, latencies in milliseconds and
 * costs in US dollars. A score has two more columns: half the width of its 95 % interval, and its number of scores.
 */
export function toExperimentsTable(rows: readonly ExperimentRow[], columns: readonly string[]): (string | number)[][] {
  const heading = columns.flatMap((id) => {
    const label = findColumnChoice(id)?.label ?? id
    return getFeedbackKey(id) === undefined ? [TITLES[id] ?? label] : [label, `${label} ±`, `${label} n`]
  })
  return [['experiment_id', ...heading], ...rows.map((row) => [row.id, ...columns.flatMap((id) => toCells(row, id))])]
}

/** Titles with units, for columns whose labels have none. */
const TITLES: Readonly<Record<string, string>> = {
  latency: 'p50_ms',
  p99: 'p99_ms',
  cost: 'cost_usd',
  errors: 'error_rate',
}

function toCells(row: ExperimentRow, id: string): (string | number)[] {
  if (id === 'name') return [row.name]
  const key = getFeedbackKey(id)
  if (key !== undefined) {
    const score = row.figures.feedback.get(key)
    return [score?.mean ?? '', score?.margin ?? '', score?.count ?? '']
  }
  return [getSortValue(row, id === 'created' ? 'start_time' : id) ?? '']
}

const REFRESH_MS = { waiting: 3_000, running: 5_000, idle: 20_000 }

/**
 * How soon to read the list again: often while nothing has arrived or an experiment is running, otherwise now and then, so
 * that an experiment that is started later appears.
 */
export function getRefreshMs(
  projects: readonly Project[] | undefined,
  exampleCount: number | undefined,
  now = Date.now(),
): number | false {
  if (projects === undefined) return false
  if (projects.length === 0) return REFRESH_MS.waiting
  const isRunning = projects.some(
    (project) => toExperimentRow(project, { now, exampleCount }).progress.state === 'running',
  )
  return isRunning ? REFRESH_MS.running : REFRESH_MS.idle
}
