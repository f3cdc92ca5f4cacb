import { type ComparisonCells, getRunsOfExample } from './comparison.ts'
import {
  computeMeans,
  getDelta,
  getOutcome,
  type MeasuredCells,
  measureCells,
  parseMeasure,
} from './comparison-measures.ts'

/** What rows are shown by: outcomes against the baseline, failed runs, runs or scores that are missing. */
export const SHOWS = ['better', 'worse', 'same', 'different', 'errors', 'missing'] as const
export type ShowKind = (typeof SHOWS)[number]

export interface Show {
  readonly kind: ShowKind
  /** Only in this experiment; absent: in any. */
  readonly experiment?: string | undefined
}

/** Parses `worse,errors.<id>`; parts that cannot be read are skipped. */
export function parseShows(text: string | undefined): Show[] {
  return (text ?? '').split(',').flatMap((part) => {
    const [name, ...rest] = part.split('.')
    const kind = SHOWS.find((one) => one === name)
    const experiment = rest.join('.')
    return kind === undefined ? [] : [experiment === '' ? { kind } : { kind, experiment }]
  })
}

export function printShows(shows: readonly Show[]): string | undefined {
  const printed = shows.map(({ kind, experiment }) => (experiment === undefined ? kind : `${kind}.${experiment}`))
  return printed.length === 0 ? undefined : printed.join(',')
}

export function isSameShow(one: Show, other: Show): boolean {
  return one.kind === other.kind && one.experiment === other.experiment
}

export function toggleShow(shows: readonly Show[], show: Show): Show[] {
  return shows.some((one) => isSameShow(one, show)) ? shows.filter((one) => !isSameShow(one, show)) : [...shows, show]
}

/** A condition on a column of the comparison. */
export interface CellCondition {
  /** Experiment id; absent: any experiment. */
  readonly of?: string | undefined
  /** A measure as text, `score:correctness` or `latency`; with `delta:` in front: its difference to the baseline. */
  readonly on: string
  readonly min?: number | undefined
  readonly max?: number | undefined
  /** An upper limit that values do not reach, as bars of a histogram have: they share a limit, but no value. */
  readonly below?: number | undefined
  /** Labels of a key, or messages of errors when `on` is `error`. */
  readonly any?: readonly string[] | undefined
}

/** Parses the conditions of a URL; what cannot be read is skipped. */
export function parseConditions(text: string | undefined): CellCondition[] {
  try {
    const parsed: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(parsed) ? parsed.flatMap(readCondition) : []
  } catch {
    return []
  }
}

export function printConditions(conditions: readonly CellCondition[]): string | undefined {
  return conditions.length === 0 ? undefined : JSON.stringify(conditions)
}

function readCondition(value: unknown): CellCondition[] {
  if (typeof value !== 'object' || value === null) return []
  const { of, on, min, max, below, any } = value as Record<string, unknown>
  if (typeof on !== 'string') return []
  const isNumber = (one: unknown): one is number => typeof one === 'number' && Number.isFinite(one)
  return [
    {
      on,
      ...(typeof of === 'string' && { of }),
      ...(isNumber(min) && { min }),
      ...(isNumber(max) && { max }),
      ...(isNumber(below) && { below }),
      ...(Array.isArray(any) && { any: any.filter((one) => typeof one === 'string') }),
    },
  ]
}

/** Which rows are shown. All parts must match. */
export interface RowFilter {
  /** Alternatives within one experiment (or within "any"); all experiments must match. */
  readonly shows: readonly Show[]
  readonly split?: string | undefined
  readonly conditions: readonly CellCondition[]
  /** Examples that contain the searched text; undefined without a search. */
  readonly matching?: ReadonlySet<string> | undefined
}

export function isFiltering({ shows, split, conditions, matching }: RowFilter): boolean {
  return shows.length > 0 || split !== undefined || conditions.length > 0 || matching !== undefined
}

type RowTest = (example: number) => boolean

/** The indices of the examples that match, in the order of the server. Conditions are on the measured repetition. */
export function filterRows(cells: ComparisonCells, measured: MeasuredCells, filter: RowFilter): number[] {
  const tests = [
    ...testShows(cells, measured, filter.shows),
    ...filter.conditions.map((condition) => testCondition(cells, measured, condition)),
  ]
  const { split, matching } = filter
  if (split !== undefined) tests.push((example) => cells.splits[example]?.includes(split) ?? false)
  if (matching !== undefined) tests.push((example) => matching.has(cells.exampleIds[example] ?? ''))
  const rows: number[] = []
  for (let example = 0; example < cells.exampleIds.length; example++) {
    if (tests.every((test) => test(example))) rows.push(example)
  }
  return rows
}

function testShows(cells: ComparisonCells, measured: MeasuredCells, shows: readonly Show[]): RowTest[] {
  const groups = new Map<string | undefined, ShowKind[]>()
  for (const { kind, experiment } of shows) groups.set(experiment, [...(groups.get(experiment) ?? []), kind])
  return [...groups].map(([id, kinds]) => {
    const experiments = listIndices(cells, id)
    return (example) => kinds.some((kind) => experiments.some((one) => isShown(cells, measured, kind, one, example)))
  })
}

function isShown(
  cells: ComparisonCells,
  measured: MeasuredCells,
  kind: ShowKind,
  experiment: number,
  example: number,
): boolean {
  if (kind === 'errors') return hasError(cells, experiment, example)
  const outcome = getOutcome(measured, experiment, example)
  if (kind === 'missing' && outcome === undefined) return isMissing(measured, experiment, example)
  return kind === 'different' ? outcome === 'better' || outcome === 'worse' : outcome === kind
}

/** For an experiment that is not compared. The outcome of a compared one is missing also when the baseline has no value. */
function isMissing({ means }: MeasuredCells, experiment: number, example: number): boolean {
  return Number.isNaN(means[experiment]?.[example] ?? Number.NaN)
}

function hasError({ experiments }: ComparisonCells, experiment: number, example: number): boolean {
  const compared = experiments[experiment]
  return (
    compared !== undefined && getRunsOfExample(compared, example).some((run) => compared.runs.status[run] === 'error')
  )
}

function testCondition(cells: ComparisonCells, measured: MeasuredCells, condition: CellCondition): RowTest {
  const experiments = listIndices(cells, condition.of)
  const { repetition } = measured
  if (condition.any !== undefined) return testAny(cells, experiments, condition, repetition)
  const isDelta = condition.on.startsWith('delta:')
  const measure = parseMeasure(isDelta ? condition.on.slice('delta:'.length) : condition.on)
  if (measure === undefined) return () => true
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, below } = condition
  const isWithin = (value: number) => value >= min && value <= max && (below === undefined || value < below)
  if (isDelta) {
    const ofMeasure = measureCells(cells, { measure, baseline: measured.baseline ?? 0, repetition })
    return (example) => experiments.some((one) => isWithin(getDelta(ofMeasure, one, example)))
  }
  const means = experiments.map((one) => {
    const experiment = cells.experiments[one]
    return experiment && computeMeans(experiment, cells.exampleIds.length, measure, repetition)
  })
  return (example) => means.some((ofExperiment) => isWithin(ofExperiment?.[example] ?? Number.NaN))
}

/** Tests for labels of a key, or for errors. */
function testAny(
  cells: ComparisonCells,
  experiments: readonly number[],
  { on, any = [] }: CellCondition,
  repetition: number | undefined,
): RowTest {
  const key = on.startsWith('score:') ? on.slice('score:'.length) : undefined
  const names = key === undefined ? cells.errors : (cells.keys.find((one) => one.key === key)?.labels ?? [])
  const wanted = new Set(any.map((name) => names.indexOf(name)))
  wanted.delete(-1)
  const columns = experiments.flatMap((at) => {
    const experiment = cells.experiments[at]
    const column = key === undefined ? experiment?.runs.error : experiment?.details.get(key)?.labels
    return experiment && column ? [{ experiment, column }] : []
  })
  return (example) =>
    columns.some(({ experiment, column }) =>
      getRunsOfExample(experiment, example).some(
        (run) =>
          wanted.has(column[run] ?? -1) && (repetition === undefined || experiment.runs.repetition[run] === repetition),
      ),
    )
}

function listIndices({ experiments }: ComparisonCells, id: string | undefined): number[] {
  return experiments.flatMap((experiment, at) => (id === undefined || experiment.id === id ? [at] : []))
}
