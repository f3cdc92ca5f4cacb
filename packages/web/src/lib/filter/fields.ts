import { type FilterFieldType, fieldOf, RUN_FILTERS } from '@touchstone/contract/filter'

/** A field that a condition can use: a field of the filter language, full text, or an entry of a set by its key. */
export interface Subject {
  /** Label in menus and chips. */
  label: string
  /** Names before the colon in quick filters. */
  words: readonly string[]
  /** The facet with its values. */
  facet?: 'run_type' | 'status' | 'name' | 'model' | 'tag'
  /** The fields of the key and of the value, for entries of a set. */
  entry?: { key: string; value: string }
  /** For entries: the subject of a quick filter without a key, e.g. `output:refund`. */
  whole?: string
}

/** In menu order. Other fields of the filter language can be typed by their own name. */
export const SUBJECTS: Readonly<Record<string, Subject>> = {
  name: { label: 'name', words: ['name'], facet: 'name' },
  run_type: { label: 'type', words: ['type', 'run_type'], facet: 'run_type' },
  status: { label: 'status', words: ['status'], facet: 'status' },
  error: { label: 'error', words: ['error'] },
  error_group: { label: 'error group', words: ['error_group'] },
  latency: { label: 'latency', words: ['latency'] },
  tags: { label: 'tag', words: ['tag', 'tags'], facet: 'tag' },
  metadata_entry: { label: 'metadata', words: ['metadata'], entry: { key: 'metadata_key', value: 'metadata_value' } },
  feedback: { label: 'feedback', words: ['feedback'], entry: { key: 'feedback_key', value: 'feedback_score' } },
  feedback_label: {
    label: 'feedback label',
    words: ['feedback_label'],
    entry: { key: 'feedback_key', value: 'feedback_value' },
  },
  feedback_by: {
    label: 'feedback source',
    words: ['feedback_source'],
    entry: { key: 'feedback_key', value: 'feedback_source' },
  },
  feedback_comment: {
    label: 'feedback comment',
    words: ['feedback_comment'],
    entry: { key: 'feedback_key', value: 'feedback_comment' },
  },
  input: { label: 'input', words: ['input'], entry: { key: 'input_key', value: 'input_value' }, whole: 'inputs' },
  output: {
    label: 'output',
    words: ['output'],
    entry: { key: 'output_key', value: 'output_value' },
    whole: 'outputs',
  },
  words: { label: 'text', words: ['text'] },
  model: { label: 'model', words: ['model'], facet: 'model' },
  total_tokens: { label: 'tokens', words: ['tokens', 'total_tokens'] },
  prompt_tokens: { label: 'prompt tokens', words: ['prompt_tokens'] },
  completion_tokens: { label: 'completion tokens', words: ['completion_tokens'] },
  total_cost: { label: 'cost', words: ['cost', 'total_cost'] },
  thread_id: { label: 'thread', words: ['thread', 'thread_id'] },
  start_time: { label: 'start', words: ['start', 'start_time'] },
  end_time: { label: 'end', words: ['end', 'end_time'] },
  first_token_time: { label: 'first token', words: ['first_token', 'first_token_time'] },
  is_root: { label: 'root', words: ['is_root'] },
  attachments: { label: 'file', words: ['file', 'attachments'] },
  in_dataset: { label: 'in a dataset', words: ['in_dataset'] },
  reference_example_id: { label: 'example', words: ['example', 'reference_example_id'] },
  reference_dataset_id: { label: 'dataset', words: ['dataset', 'reference_dataset_id'] },
  trace_id: { label: 'trace', words: ['trace', 'trace_id'] },
  parent_run_id: { label: 'parent', words: ['parent', 'parent_run_id'] },
  id: { label: 'id', words: ['id'] },
  provider: { label: 'provider', words: ['provider'] },
  inputs: { label: 'input JSON', words: ['inputs'] },
  outputs: { label: 'output JSON', words: ['outputs'] },
}

/** The subject with this name: one of `SUBJECTS`, or a field of the filter language. */
export function findSubject(word: string): string | undefined {
  const lower = word.toLowerCase()
  const known = Object.entries(SUBJECTS).find(([, { words }]) => words.includes(lower))
  return known?.[0] ?? (fieldOf(RUN_FILTERS, word) === undefined ? undefined : word)
}

export function getSubjectLabel(subject: string): string {
  return SUBJECTS[subject]?.label ?? subject
}

/** The field of the filter language with the value. */
export function getValueField(subject: string): string {
  return SUBJECTS[subject]?.entry?.value ?? subject
}

export function getSubjectType(subject: string): FilterFieldType {
  return subject === 'words' ? 'text' : (fieldOf(RUN_FILTERS, getValueField(subject))?.type ?? 'text')
}

export const OPERATIONS = {
  eq: 'is',
  neq: 'is not',
  gt: '>',
  gte: '≥',
  lt: '<',
  lte: '≤',
  in: 'is one of',
  nin: 'is none of',
  search: 'contains',
  like: 'matches',
  notlike: "doesn't match",
  has: 'has',
  exists: 'has key',
  present: 'exists',
  absent: "doesn't exist",
} as const
export type Operation = keyof typeof OPERATIONS

/** Whether the operation takes no value. */
export function isUnary(operation: Operation): boolean {
  return operation === 'present' || operation === 'absent'
}

/** The operations of a subject, the most common one first. */
export function operationsFor(subject: string): readonly Operation[] {
  if (subject === 'words') return ['search']
  const operations = OPERATIONS_BY_TYPE[getSubjectType(subject)]
  // Entries have no `absent`: negate `present` instead.
  return SUBJECTS[subject]?.entry ? [...operations.filter((one) => !isUnary(one)), 'present'] : operations
}

const NUMERIC: readonly Operation[] = ['gt', 'gte', 'lt', 'lte', 'eq', 'neq', 'present', 'absent']
const TEXT: readonly Operation[] = ['eq', 'neq', 'search', 'like', 'notlike', 'in', 'nin', 'present', 'absent']
const ANY: readonly Operation[] = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'search', 'like', 'notlike', 'in', 'nin']
const OPERATIONS_BY_TYPE: Readonly<Record<FilterFieldType, readonly Operation[]>> = {
  id: ['eq', 'neq', 'in', 'nin', 'present', 'absent'],
  text: TEXT,
  word: ['eq', 'neq', 'in', 'nin', 'search', 'like', 'notlike'],
  boolean: ['eq'],
  time: NUMERIC,
  duration: NUMERIC,
  number: NUMERIC,
  tags: ['has', 'search', 'like', 'present', 'absent'],
  payload: ['search', 'like', 'notlike', 'has', 'exists', 'present', 'absent'],
  metadata: ['has', 'exists', 'present', 'absent'],
  'entry-key': TEXT,
  'entry-value': ANY,
  path: [...ANY, 'present', 'absent'],
}
