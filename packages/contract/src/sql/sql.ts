import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { shortList } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'

export const SQL_DATA_TYPES = [
  'uuid',
  'string',
  'integer',
  'float',
  'boolean',
  'timestamp',
  'date',
  'binary',
  'list',
  'object',
  'null',
] as const
export type SqlDataType = (typeof SQL_DATA_TYPES)[number]

interface SqlColumnDoc {
  readonly type: SqlDataType
  readonly doc: string
}

const text = (doc: string) => ({ type: 'string', doc }) as const
const uuid = (doc: string) => ({ type: 'uuid', doc }) as const
const time = (doc: string) => ({ type: 'timestamp', doc }) as const
const float = (doc: string) => ({ type: 'float', doc }) as const
const integer = (doc: string) => ({ type: 'integer', doc }) as const
const flag = (doc: string) => ({ type: 'boolean', doc }) as const

/** Tables and columns that a statement may read. A value that is absent is null. */
export const SQL_TABLES = {
  runs: {
    id: uuid('The run.'),
    trace_id: uuid('Its trace: the id of the root.'),
    parent_run_id: uuid('The run above it; null for a root.'),
    project_id: uuid('Its project.'),
    name: text('As the client named it.'),
    run_type: text('`llm`, `chain`, `tool`, `retriever`, `embedding`, `prompt` or `parser`.'),
    status: text('`success`, `error`, `pending` or `interrupted`.'),
    is_root: flag('Whether it is the root of its trace.'),
    start_time: time('UTC.'),
    end_time: time('UTC; null while the run has not ended.'),
    first_token_time: time('When a streamed answer began.'),
    latency_seconds: float('From start to end; 0 when it ends before it starts.'),
    first_token_seconds: float('From start to the first token.'),
    error: text('Message of a run that failed.'),
    inputs: text('JSON text.'),
    outputs: text('JSON text.'),
    extra: text('JSON text: metadata, runtime, invocation parameters.'),
    inputs_preview: text('The first characters of the inputs, as plain text.'),
    outputs_preview: text('Likewise.'),
    metadata: {
      type: 'object',
      doc: "Map of texts; keys of inner objects are joined by dots: `metadata['user.plan']`.",
    },
    tags: { type: 'list', doc: 'Texts.' },
    thread_id: text('The conversation.'),
    reference_example_id: uuid('The example that an experiment ran.'),
    model: text('Name of the model.'),
    provider: text('Its provider.'),
    prompt_tokens: integer('Of this run alone, not of the runs below it.'),
    completion_tokens: integer('Likewise.'),
    total_tokens: integer('Likewise.'),
    prompt_cost: float('US dollars, of this run alone; null when no price is known.'),
    completion_cost: float('Likewise.'),
    total_cost: float('Likewise.'),
    reported_cost: float(
      '`total_cost` where the client, a provider or an emitter reported it; null where it was computed from a price.',
    ),
    unpriced_fees: integer(
      '1 for a call whose cost is without fees for more than tokens, such as searches; otherwise 0.',
    ),
  },
  feedback: {
    id: uuid('The record.'),
    run_id: uuid('The run it is about; null for feedback on a project.'),
    trace_id: uuid('The trace of that run.'),
    project_id: uuid('The project.'),
    key: text('What is rated.'),
    score: float('Numbers; booleans count as 0 and 1.'),
    value: text('The label of a category, or JSON text.'),
    comment: text(''),
    source: text('`api`, `app`, `model` or `auto_eval`.'),
    is_error: flag('Whether an evaluator failed.'),
    run_start_time: time('When the run started.'),
    created_at: time('UTC.'),
    modified_at: time('UTC.'),
  },
} as const satisfies Record<string, Record<string, SqlColumnDoc>>
export type SqlTable = keyof typeof SQL_TABLES

/** Rows of an answer. */
export const MAX_SQL_ROWS = 1000
const MAX_PROJECTS = 100
/** Characters of a statement. */
export const MAX_SQL_LENGTH = 20_000

export const SqlQuery = z.object({
  /** The projects whose runs and feedback the statement reads. */
  project_ids: shortList(Uuid, MAX_PROJECTS).min(1),
  /** One SELECT over `runs` and `feedback`, at most 20,000 characters. Each use of `runs` needs a lower bound of `start_time`. */
  query: z.string().min(1),
})
export type SqlQuery = z.output<typeof SqlQuery>

/** Rows of a statement. Times are ISO 8601 in UTC; integers are exact; floats that are not finite are texts (`inf`, `nan`). */
export const SqlResult = z.object({
  columns: z.array(z.object({ name: z.string(), data_type: z.enum(SQL_DATA_TYPES) })),
  rows: z.array(z.array(z.unknown())),
  row_count: z.int(),
  /** Whether the statement has more rows than the answer. */
  is_truncated: z.boolean(),
  /** `row_limit`: 1,000 rows; `size_limit`: 10 MB. */
  truncation_reason: z.enum(['row_limit', 'size_limit']).nullable(),
  warnings: z.array(z.string()),
  execution_time_ms: z.int(),
})
export type SqlResult = z.infer<typeof SqlResult>

export const sqlRoutes = describeRoutes(routes.sql, 'v2', {
  query: {
    summary: 'Rows of one SELECT over the runs and the feedback of projects',
    body: SqlQuery,
    answer: SqlResult,
  },
})
