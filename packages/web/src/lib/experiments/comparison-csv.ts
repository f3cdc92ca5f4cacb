import { type ComparisonCells, getRunsOfExample } from './comparison.ts'
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

/**
 * The shown rows as a table: one line per example and repetition, and for every experiment its output, error, scores,
 * latency, tokens and cost.
 */
export function buildCsvHeader({ experiments, keys }: ComparisonCells): string[] {
  const ofExperiment = ['output', 'error', ...keys.map(({ key }) => key), 'latency_ms', 'tokens', 'cost_usd', 'run_id']
  return [
    'example_id',
    'splits',
    'input',
    'reference',
    'repetition',
    ...experiments.flatMap(({ name }) => ofExperiment.map((column) => `${name}: ${column}`)),
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
      if (run === undefined) return Array<string>(keys.length + 6).fill('')
      const id = experiment.runs.id[run] ?? ''
      const text = texts?.runs.get(id)
      return [
        toReadableText(text?.outputs),
        text?.error ?? '',
        ...keys.map(({ key }) => printNumber(experiment.scores.get(key)?.[run])),
        printNumber(experiment.runs.latencyMs[run]),
        printNumber(experiment.runs.tokens[run]),
        printNumber(experiment.runs.cost[run]),
        id,
      ]
    }),
  ])
}

function printNumber(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? '' : String(value)
}

/** One line of CSV. A cell that a spreadsheet would run as a formula starts with an apostrophe. */
export function printCsvLine(cells: readonly string[]): string {
  return `${cells.map(printCell).join(',')}\r\n`
}

function printCell(cell: string): string {
  const isFormula = /^[=+\-@\t\r]/.test(cell) && !/^[-+]?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(cell)
  const text = isFormula ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
