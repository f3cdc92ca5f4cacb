/** What values a field takes, and so which comparators make sense on it. */
export type FieldType =
  | 'id'
  | 'text'
  /** Text that is written in lower case, whatever the caller writes. */
  | 'word'
  | 'boolean'
  | 'time'
  /** Seconds. */
  | 'duration'
  | 'number'
  | 'tags'
  /** The JSON of a payload as one text. */
  | 'payload'
  | 'metadata'
  /** Key or value of one entry of a payload, flattened. */
  | 'entry-key'
  | 'entry-value'
  /** Any JSON scalar at a path. */
  | 'path'

export interface Field {
  readonly type: FieldType
  readonly doc: string
}

export type Fields = Readonly<Record<string, Field>>

/** What a run can be asked for. */
export const RUN_FILTER_FIELDS = {
  id: { type: 'id', doc: 'The run.' },
  trace_id: { type: 'id', doc: 'The trace that it belongs to.' },
  parent_run_id: { type: 'id', doc: 'The run that called it; absent on roots.' },
  session_id: { type: 'id', doc: 'The project.' },
  reference_example_id: { type: 'id', doc: 'The example that it was run on.' },
  reference_dataset_id: { type: 'id', doc: 'The dataset of that example; absent when no dataset has it.' },
  in_dataset: { type: 'boolean', doc: 'Whether an example was made from it and is still there.' },
  thread_id: { type: 'text', doc: 'The conversation, from metadata.' },
  name: { type: 'text', doc: 'Name of the step.' },
  run_type: { type: 'word', doc: '`tool`, `chain`, `llm`, `retriever`, `embedding`, `prompt` or `parser`.' },
  status: { type: 'word', doc: '`success`, `error`, `pending` or `interrupted`.' },
  is_root: { type: 'boolean', doc: 'Whether it is the first run of its trace.' },
  execution_order: { type: 'number', doc: 'Only `eq(execution_order, 1)` means something: roots.' },
  start_time: { type: 'time', doc: 'When it began.' },
  end_time: { type: 'time', doc: 'When it ended; absent while it runs.' },
  first_token_time: { type: 'time', doc: 'When its first token came; absent unless it streamed.' },
  latency: { type: 'duration', doc: 'From start to end; absent while it runs, 0 when it ends before it starts.' },
  error: { type: 'text', doc: 'Text of the error; absent when there is none.' },
  error_group: { type: 'text', doc: 'Type and message of the error, with `#` for ids and numbers.' },
  model: { type: 'text', doc: 'Name of the model, from metadata.' },
  provider: { type: 'text', doc: 'Provider of the model, from metadata.' },
  tags: { type: 'tags', doc: 'Its tags.' },
  attachments: { type: 'tags', doc: 'The names of its attachments.' },
  metadata: { type: 'metadata', doc: 'Its metadata as a whole.' },
  metadata_key: { type: 'entry-key', doc: 'A key of its metadata, dots between levels.' },
  metadata_value: { type: 'entry-value', doc: 'A value of its metadata, with its JSON type.' },
  inputs: { type: 'payload', doc: 'Its inputs as compact JSON text.' },
  input_key: { type: 'entry-key', doc: 'A key of its inputs, dots between levels.' },
  input_value: { type: 'entry-value', doc: 'A value of its inputs.' },
  outputs: { type: 'payload', doc: 'Its outputs as compact JSON text.' },
  output_key: { type: 'entry-key', doc: 'A key of its outputs, dots between levels.' },
  output_value: { type: 'entry-value', doc: 'A value of its outputs.' },
  total_tokens: { type: 'number', doc: 'Tokens of the run and everything below it; absent when none were reported.' },
  prompt_tokens: { type: 'number', doc: 'Prompt tokens, likewise.' },
  completion_tokens: { type: 'number', doc: 'Completion tokens, likewise.' },
  total_cost: { type: 'number', doc: 'US dollars of the run and everything below it; absent when no price is known.' },
  prompt_cost: { type: 'number', doc: 'US dollars of the prompts, likewise.' },
  completion_cost: { type: 'number', doc: 'US dollars of the completions, likewise.' },
  feedback_key: { type: 'text', doc: 'Key of a feedback record on the run.' },
  feedback_score: { type: 'number', doc: 'Its score; booleans count as 0 and 1.' },
  feedback_value: { type: 'text', doc: 'Its value, the label of a category.' },
  feedback_source: { type: 'word', doc: '`api`, `app`, `model` or `auto_eval`.' },
  feedback_comment: { type: 'text', doc: 'Its comment.' },
  feedback_error: { type: 'boolean', doc: 'Whether its evaluator failed.' },
} as const satisfies Fields

/** What a path such as `metadata.user_id` may begin with. */
export const RUN_FILTER_ROOTS = ['metadata', 'inputs', 'outputs', 'extra'] as const

/** Fields and the roots of paths that a surface offers. */
export interface FilterSurface {
  readonly fields: Fields
  readonly roots: readonly string[]
  /** Whether `search("words")` is offered. */
  readonly fullText: boolean
  /** Whether fields may stand in quotes, as in `has("metadata", …)`. @default false */
  readonly quotedFields?: boolean
}

export const RUN_FILTERS: FilterSurface = { fields: RUN_FILTER_FIELDS, roots: RUN_FILTER_ROOTS, fullText: true }

/** Filter fields of examples. */
export const EXAMPLE_FILTERS: FilterSurface = {
  fields: { metadata: { type: 'metadata', doc: 'The metadata of the example, with `dataset_split`.' } },
  roots: ['metadata'],
  fullText: false,
  quotedFields: true,
}

/** @returns `undefined` when the surface does not know the name */
export function fieldOf(surface: FilterSurface, name: string): Field | undefined {
  if (Object.hasOwn(surface.fields, name)) return surface.fields[name]
  const dot = name.indexOf('.')
  if (dot < 1 || dot === name.length - 1 || !surface.roots.includes(name.slice(0, dot))) return undefined
  return { type: 'path', doc: 'A value at a path, flattened as the entries are.' }
}
