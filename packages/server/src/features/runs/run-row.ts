import { literal } from '../../storage/analytics/sql.ts'

/** Columns of `runs` as the engine returns them. Only the selected columns are present. */
export interface RunRow {
  readonly id: string
  readonly session_id: string
  readonly trace_id: string
  readonly start_time: string
  readonly dotted_order: string
  readonly name: string
  readonly run_type: string
  readonly status: string
  readonly parent_run_id: string | null
  readonly end_time?: string | null
  readonly first_token_time?: string | null
  readonly error?: string
  readonly inputs?: string
  readonly outputs?: string
  readonly extra?: string
  readonly events?: string
  readonly serialized?: string
  readonly tags?: readonly string[]
  readonly reference_example_id?: string | null
  readonly thread_id?: string
  readonly inputs_preview?: string
  readonly outputs_preview?: string
  readonly price_model_id?: string | null
  readonly received_at?: string
}

/** Columns that are read for every run. */
const REQUIRED_COLUMNS = [
  'id',
  'session_id',
  'trace_id',
  'start_time',
  'dotted_order',
  'name',
  'run_type',
  'status',
  'parent_run_id',
] as const satisfies readonly (keyof RunRow)[]

/** Wire field → the additional column that it needs. */
const COLUMNS_BY_FIELD: Readonly<Record<string, keyof RunRow>> = {
  end_time: 'end_time',
  first_token_time: 'first_token_time',
  error: 'error',
  error_preview: 'error',
  inputs: 'inputs',
  outputs: 'outputs',
  extra: 'extra',
  events: 'events',
  serialized: 'serialized',
  tags: 'tags',
  reference_example_id: 'reference_example_id',
  reference_dataset_id: 'reference_example_id',
  thread_id: 'thread_id',
  inputs_preview: 'inputs_preview',
  outputs_preview: 'outputs_preview',
  price_model_id: 'price_model_id',
  trace_first_received_at: 'received_at',
  inserted_at: 'received_at',
}

/** The columns to read for a set of wire fields. Selections without payload fields never read a payload. */
export function toColumns(fields: ReadonlySet<string>) {
  const columns = new Set<string>(REQUIRED_COLUMNS)
  for (const field of fields) {
    const column = Object.hasOwn(COLUMNS_BY_FIELD, field) ? COLUMNS_BY_FIELD[field] : undefined
    if (column !== undefined) columns.add(column)
  }
  return literal([...columns].join(', '))
}
