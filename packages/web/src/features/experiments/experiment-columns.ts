import { feedbackColumn, getCustomColumnLabel, jsonColumn, readColumn } from '#lib/run-columns.ts'
import type { ExperimentRow } from './experiment-row.ts'

/** Columns that every list of experiments can show, in their initial order. Scores come after `runs`. */
const BUILT_IN: Readonly<Record<string, string>> = {
  name: 'Name',
  created: 'Created',
  version: 'Version',
  model: 'Model',
  prompt: 'Prompt',
  reps: 'Reps',
  runs: 'Runs',
  latency: 'p50',
  p99: 'p99',
  tokens: 'Tokens',
  cost: 'Cost',
  errors: 'Errors',
}

/** A column with its label, and where its values come from. */
export interface ColumnChoice {
  readonly id: string
  readonly label: string
  readonly kind: 'built-in' | 'feedback' | 'metadata'
}

/** The column of an id; undefined for an id that no version knows. */
export function findColumnChoice(id: string): ColumnChoice | undefined {
  const label = Object.hasOwn(BUILT_IN, id) ? BUILT_IN[id] : undefined
  if (label !== undefined) return { id, label, kind: 'built-in' }
  const custom = readColumn(id)
  if (custom === undefined) return undefined
  return { id, label: getCustomColumnLabel(custom), kind: custom.kind === 'feedback' ? 'feedback' : 'metadata' }
}

/** The path in the metadata that a column shows; undefined for other columns. */
export function getMetadataPath(id: string): readonly (string | number)[] | undefined {
  const custom = readColumn(id)
  return custom?.kind === 'json' && custom.path[0] === 'extra' && custom.path[1] === 'metadata'
    ? custom.path.slice(2)
    : undefined
}

/** The feedback key that a column shows; undefined for other columns. */
export function getFeedbackKey(id: string): string | undefined {
  const custom = readColumn(id)
  return custom?.kind === 'feedback' ? custom.key : undefined
}

export function metadataKeyColumn(key: string): string {
  return jsonColumn(['extra', 'metadata', key])
}

/** Feedback keys of any experiment, those with the most scores first. */
export function listFeedbackKeys(rows: readonly ExperimentRow[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { figures } of rows) {
    for (const [key, { count }] of figures.feedback) counts.set(key, (counts.get(key) ?? 0) + count)
  }
  return [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).map(([key]) => key)
}

/** Metadata that every client sends, or that has its own column. */
const HIDDEN_KEYS = new Set([
  'num_repetitions',
  'dataset_version',
  'dataset_splits',
  'git',
  'revision_id',
  '__ls_runner',
])

/** Metadata keys of any experiment, in alphabetical order; those that people set come before those of the clients. */
export function listMetadataKeys(rows: readonly ExperimentRow[]): readonly string[] {
  const keys = new Set(rows.flatMap(({ metadata }) => Object.keys(metadata)))
  const isOwn = (key: string) => Number(HIDDEN_KEYS.has(key))
  return [...keys].sort((a, b) => isOwn(a) - isOwn(b) || (a < b ? -1 : 1))
}

const MAX_DEFAULT_KEYS = 6

/**
 * The columns of a list that no user has changed. Scores come early, so that they are in view on small screens; no column is
 * empty in all rows.
 */
export function getDefaultColumns(rows: readonly ExperimentRow[]): readonly string[] {
  const has = (test: (row: ExperimentRow) => boolean) => rows.some(test)
  return [
    'name',
    'created',
    ...(has((row) => row.model !== undefined) ? ['model'] : []),
    ...(has((row) => row.prompt !== undefined) ? ['prompt'] : []),
    'runs',
    ...listFeedbackKeys(rows).slice(0, MAX_DEFAULT_KEYS).map(feedbackColumn),
    'latency',
    ...(has((row) => (row.figures.tokens ?? 0) > 0) ? ['tokens'] : []),
    ...(has((row) => row.figures.cost !== undefined) ? ['cost'] : []),
    'errors',
    ...(has((row) => row.repetitions > 1) ? ['reps'] : []),
    ...(has((row) => row.version !== undefined) ? ['version'] : []),
  ]
}

/** All columns that can be shown. */
export function listColumnChoices(rows: readonly ExperimentRow[]): readonly ColumnChoice[] {
  const ids = [
    ...Object.keys(BUILT_IN),
    ...listFeedbackKeys(rows).map(feedbackColumn),
    ...listMetadataKeys(rows).map(metadataKeyColumn),
  ]
  return ids.flatMap((id) => findColumnChoice(id) ?? [])
}

/** Reads a list of column ids from the URL. The name is always first; unknown ids are skipped. */
export function parseColumns(text: string | undefined): readonly string[] | undefined {
  const ids = text?.split(',').filter((id) => id !== 'name' && findColumnChoice(id) !== undefined)
  return ids === undefined || ids.length === 0 ? undefined : ['name', ...new Set(ids)]
}

/** Moves a column. The name stays first. */
export function moveColumn(columns: readonly string[], id: string, by: 1 | -1): readonly string[] {
  const to = columns.indexOf(id) + by
  return to < 1 || to >= columns.length ? columns : columns.filter((one) => one !== id).toSpliced(to, 0, id)
}
