import { type Fragment, literal } from '../../storage/analytics/sql.ts'
import { type Decoded, list, nullable, pick, text } from '../../storage/rows.ts'

/** Columns of `runs` that are read for every run. */
const REQUIRED_COLUMNS = {
  id: text,
  session_id: text,
  trace_id: text,
  start_time: text,
  dotted_order: text,
  name: text,
  run_type: text,
  status: text,
  parent_run_id: nullable(text),
  /** With `arrival`, orders runs that start at the same time. */
  end_time: nullable(text),
  arrival: text,
  version: text,
}

/** Columns of `runs` that are read when a field needs them. */
const OTHER_COLUMNS = {
  first_token_time: nullable(text),
  error: text,
  error_line: text,
  inputs: text,
  outputs: text,
  extra: text,
  events: text,
  serialized: text,
  tags: list(text),
  reference_example_id: nullable(text),
  thread_id: text,
  inputs_preview: text,
  outputs_preview: text,
  price_model_id: nullable(text),
  received_at: text,
}

type OtherColumn = keyof typeof OTHER_COLUMNS

/** Wire field → the additional columns that it needs. */
const COLUMNS_BY_FIELD: Readonly<Record<string, OtherColumn | readonly OtherColumn[]>> = {
  first_token_time: 'first_token_time',
  error: 'error',
  error_preview: 'error_line',
  inputs: 'inputs',
  outputs: 'outputs',
  extra: 'extra',
  events: 'events',
  serialized: 'serialized',
  tags: 'tags',
  reference_example_id: 'reference_example_id',
  reference_dataset_id: 'reference_example_id',
  thread_id: 'thread_id',
  inputs_preview: ['inputs_preview', 'outputs_preview'],
  outputs_preview: ['inputs_preview', 'outputs_preview'],
  derived_payloads: ['inputs_preview', 'outputs_preview'],
  price_model_id: 'price_model_id',
  repeats_usage: 'extra',
  trace_first_received_at: 'received_at',
  inserted_at: 'received_at',
}

/** The columns to read for a set of wire fields. Selections without payload fields never read a payload. */
export function toColumns(fields: ReadonlySet<string>) {
  const names = [...fields].flatMap((field) =>
    Object.hasOwn(COLUMNS_BY_FIELD, field) ? (COLUMNS_BY_FIELD[field] ?? []) : [],
  )
  return { ...REQUIRED_COLUMNS, ...pick(OTHER_COLUMNS, names) }
}

export type RunColumns = ReturnType<typeof toColumns>

export function toSelectList(selected: RunColumns): Fragment {
  return literal(Object.keys(selected).join(', '))
}

/** Columns of `runs` as the engine returns them. Only the selected columns are present. */
export type RunRow = Decoded<RunColumns>
