import { type ComparedExperiment, type ComparisonCells, getRunsOfExample } from './comparison.ts'
import { toReadableText } from './row-texts.ts'

/** The texts of an example, with whole outputs. */
export interface CsvTexts {
  readonly inputs: unknown
  readonly outputs?: unknown
  /** Output and error by run id. */
  readonly runs: ReadonlyMap<string, { readonly outputs?: unknown; readonly error?: string | null | undefined }>
}

export interface CsvOptions {
  /** Only this repetition, from 0. */
  readonly repetition: number | undefined
}

/** A column of the table, or one that every experiment has. */
export interface CsvColumn {
  /** Different from those of all other columns, also of a feedback key named like one of them. */
  readonly id: string
  readonly label: string
  /** Whether it needs whole texts, which are read from the server. */
  readonly isText: boolean
}

const toColumn = (label: string): CsvColumn => ({
  id: label,
  label,
  isText: ['input', 'reference', 'output', 'error'].includes(label),
})
const OF_EXAMPLE = ['example_id', 'splits', 'input', 'reference', 'repetition'].map(toColumn)

/** The columns of an example, and those of each experiment. */
export function listCsvColumns({
  keys,
}: Pick<ComparisonCells, 'keys'>): Readonly<Record<'ofExample' | 'ofExperiment', readonly CsvColumn[]>> {
  return {
    ofExample: OF_EXAMPLE,
    ofExperiment: [
      ...['output', 'error'].map(toColumn),
      ...keys.map(({ key }) => ({ id: `score ${key}`, label: key, isText: false })),
      ...['latency_ms', 'tokens', 'cost_usd', 'reported_cost_usd', 'run_id'].map(toColumn),
    ],
  }
}

/** For each column of the whole table, whether it is kept. @param hidden  ids of columns */
export function listKeptColumns(
  cells: Pick<ComparisonCells, 'keys' | 'experiments'>,
  hidden: ReadonlySet<string>,
): readonly boolean[] {
  const { ofExample, ofExperiment } = listCsvColumns(cells)
  return [...ofExample, ...cells.experiments.flatMap(() => ofExperiment)].map(({ id }) => !hidden.has(id))
}

/**
 * The shown rows as a table: one line per example and repetition, and for every experiment its output, error, scores,
 * latency, tokens and cost, and how much of the cost was reported by the client.
 */
export function buildCsvHeader(cells: Pick<ComparisonCells, 'keys' | 'experiments'>): string[] {
  const { ofExample, ofExperiment } = listCsvColumns(cells)
  return [
    ...ofExample.map(({ label }) => label),
    ...cells.experiments.flatMap(({ name }) => ofExperiment.map(({ label }) => `${name}: ${label}`)),
  ]
}

export function buildCsvRows(
  { experiments, keys, exampleIds, splits }: ComparisonCells,
  example: number,
  texts: CsvTexts | undefined,
  { repetition: wanted }: CsvOptions,
): string[][] {
  const sides = experiments.map((experiment) => ({ experiment, runs: getRunsOfExample(experiment, example) }))
  const repetitions = Math.max(
    1,
    ...sides.map(({ experiment, runs }) =>
      Math.max(0, ...Array.from(runs, (run) => (experiment.runs.repetition[run] ?? 0) + 1)),
    ),
  )
  const numbers = Array.from({ length: repetitions }, (_, at) => at).filter(
    (at) => wanted === undefined || at === wanted,
  )
  return numbers.map((repetition) => [
    exampleIds[example] ?? '',
    splits[example]?.join(' ') ?? '',
    toReadableText(texts?.inputs),
    toReadableText(texts?.outputs),
    String(repetition + 1),
    ...sides.flatMap(({ experiment, runs }) => {
      const run = runs.find((one) => experiment.runs.repetition[one] === repetition)
      if (run === undefined) return Array<string>(keys.length + 7).fill('')
      const id = experiment.runs.id[run] ?? ''
      const text = texts?.runs.get(id)
      return [
        toReadableText(text?.outputs),
        text?.error ?? '',
        ...keys.map((key) => printFeedback(experiment, key, run)),
        printNumber(experiment.runs.latencyMs[run]),
        printNumber(experiment.runs.tokens[run]),
        printNumber(experiment.runs.cost[run]),
        printNumber(experiment.runs.reportedCost[run]),
        id,
      ]
    }),
  ])
}

/** The score of a run; without one, its label. */
function printFeedback(
  { scores, details }: ComparedExperiment,
  { key, labels }: ComparisonCells['keys'][number],
  run: number,
): string {
  return printNumber(scores.get(key)?.[run]) || (labels[details.get(key)?.labels?.[run] ?? -1] ?? '')
}

function printNumber(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? '' : String(value)
}
