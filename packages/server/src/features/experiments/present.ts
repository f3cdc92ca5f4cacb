import { RUN_FIELDS_ALWAYS } from '@touchstone/contract'
import { addRawMembers } from '@touchstone/formats/write-object'
import { presentExample } from '../datasets/examples/index.ts'
import { presentRun } from '../runs/index.ts'
import type { ExampleRuns, RatedView } from './read-examples-with-runs.ts'

/** Wire fields of a run of an experiment besides its payloads and previews. */
const FIELDS = [
  ...RUN_FIELDS_ALWAYS,
  'end_time',
  'error',
  'extra',
  'tags',
  'parent_run_id',
  'reference_example_id',
  'execution_order',
  'total_tokens',
  'prompt_tokens',
  'completion_tokens',
  'total_cost',
  'prompt_cost',
  'completion_cost',
  'feedback_stats',
  'manifest_id',
  'trace_min_start_time',
  'trace_max_start_time',
  'inputs_s3_urls',
  'outputs_s3_urls',
  's3_urls',
]

/** Wire fields to read: the payloads, or only the beginning of inputs and outputs for a preview. */
export function toFields(isPreview: boolean): ReadonlySet<string> {
  const more = isPreview ? ['inputs_preview', 'outputs_preview'] : ['inputs', 'outputs', 'events', 'serialized']
  return new Set([...FIELDS, ...more])
}

/** JSON text of an example with its runs. */
export function presentExampleRuns({ example, runs }: ExampleRuns, presentOne: (run: RatedView) => string): string {
  return addRawMembers(presentExample(example), { runs: `[${runs.map(presentOne).join(',')}]` })
}

/** JSON text of a run with its feedback. Members that a preview omits are null, because clients read them. */
export function presentRatedRun({ view, feedbacks }: RatedView, fields: ReadonlySet<string>): string {
  const absent = Object.fromEntries(ABSENT.filter((field) => !fields.has(field)).map((field) => [field, null]))
  return addRawMembers(presentRun(view, fields), { ...absent, feedbacks: `[${feedbacks.join(',')}]` })
}

const ABSENT = ['inputs', 'outputs', 'inputs_preview', 'outputs_preview', 'events', 'serialized']
