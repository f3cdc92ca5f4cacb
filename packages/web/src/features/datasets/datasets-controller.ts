import type { Dataset, TracerSessionResult as Experiment } from '@touchstone/sdk'
import { type SortKey, sortRows } from '#lib/row-sort.ts'
import { type LastExperiment, toLastExperiment } from './last-experiment.ts'

/** A dataset as the list shows it. */
export interface DatasetRow {
  readonly dataset: Dataset
  readonly lastExperiment: LastExperiment | undefined
  /** Whether it has experiments whose figures are not loaded yet. */
  readonly isWaiting: boolean
  /** Token of the public link. */
  readonly shareToken: string | undefined
}

export interface RowContext {
  /** By id; undefined while loading or after a failure. */
  readonly experiments: ReadonlyMap<string, Experiment> | undefined
  readonly tokens: ReadonlyMap<string, { readonly token: string }> | undefined
}

export function toDatasetRow(dataset: Dataset, { experiments, tokens }: RowContext): DatasetRow {
  const id = dataset.last_session_id
  const experiment = id == null ? undefined : experiments?.get(id)
  const baseline = experiments?.get(dataset.baseline_experiment_id ?? '')
  return {
    dataset,
    lastExperiment: experiment && toLastExperiment(experiment, baseline),
    isWaiting: id != null && experiments === undefined,
    shareToken: tokens?.get(dataset.id)?.token,
  }
}

/** The experiments that the list shows: the newest of each dataset, and its baseline. */
export function listShownExperiments(datasets: readonly Dataset[]): string[] {
  const ids = datasets.flatMap(({ last_session_id: newest, baseline_experiment_id: baseline }) =>
    newest == null ? [] : [newest, baseline ?? newest],
  )
  return [...new Set(ids)].sort()
}

const SORT_KEYS: Readonly<Record<string, SortKey<DatasetRow>>> = {
  type: ({ dataset }) => dataset.data_type,
  examples: ({ dataset }) => dataset.example_count,
  experiments: ({ dataset }) => dataset.session_count,
  last_experiment: ({ dataset }) => dataset.last_session_start_time,
  modified_at: ({ dataset }) => dataset.modified_at,
  created_at: ({ dataset }) => dataset.created_at,
}

/** The rows whose name, description, id or metadata contains the text, in order. */
export function arrangeDatasets(rows: readonly DatasetRow[], { q, sort }: { q: string; sort: string }): DatasetRow[] {
  const word = q.trim().toLowerCase()
  const found = word === '' ? rows : rows.filter(({ dataset }) => toSearchText(dataset).includes(word))
  return sortRows(found, sort, SORT_KEYS, ({ dataset }) => dataset.name)
}

function toSearchText({ name, description, id, metadata }: Dataset): string {
  return `${name}\n${description ?? ''}\n${id}\n${JSON.stringify(metadata ?? '')}`.toLowerCase()
}

/** Names of the types of examples. */
export const TYPE_LABELS: Readonly<Record<string, string>> = { kv: 'Key-value', chat: 'Chat', llm: 'LLM' }
