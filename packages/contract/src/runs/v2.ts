import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { clamped, idList, queryList } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { Time } from '../wire/time.ts'
import { RunType } from './runs.ts'

/** Fields of a run that a generated client may select. The response has them in lower case. */
export const RUN_SELECTS = [
  'ID',
  'NAME',
  'RUN_TYPE',
  'STATUS',
  'START_TIME',
  'END_TIME',
  'LATENCY_SECONDS',
  'FIRST_TOKEN_TIME',
  'ERROR',
  'ERROR_PREVIEW',
  'EXTRA',
  'METADATA',
  'EVENTS',
  'INPUTS',
  'INPUTS_PREVIEW',
  'OUTPUTS',
  'OUTPUTS_PREVIEW',
  'MANIFEST',
  'PARENT_RUN_ID',
  'PARENT_RUN_IDS',
  'PROJECT_ID',
  'TRACE_ID',
  'THREAD_ID',
  'DOTTED_ORDER',
  'IS_ROOT',
  'REFERENCE_EXAMPLE_ID',
  'REFERENCE_DATASET_ID',
  'TOTAL_TOKENS',
  'PROMPT_TOKENS',
  'COMPLETION_TOKENS',
  'TOTAL_COST',
  'PROMPT_COST',
  'COMPLETION_COST',
  'PROMPT_TOKEN_DETAILS',
  'COMPLETION_TOKEN_DETAILS',
  'PROMPT_COST_DETAILS',
  'COMPLETION_COST_DETAILS',
  'PRICE_MODEL_ID',
  'TAGS',
  'APP_PATH',
  'ATTACHMENTS',
  'THREAD_EVALUATION_TIME',
  'IS_IN_DATASET',
  'LAST_QUEUED_AT',
  'SHARE_URL',
  'FEEDBACK_STATS',
  'LS_USER_ID',
] as const
export type RunSelect = (typeof RUN_SELECTS)[number]

/** Omitted from the list of a shared trace, which may be long. A single run is returned with all fields. */
export const HEAVY_RUN_SELECTS = ['INPUTS', 'OUTPUTS', 'EVENTS', 'MANIFEST', 'ATTACHMENTS'] as const

const figures = z.object({ raw: z.record(z.string(), z.number()) }).nullable()
const payload = z.record(z.string(), z.unknown()).nullable()
const text = z.string().nullable()

/** A run as generated clients read it: selected fields only, enum values in upper case, costs as numbers. */
export const RunV2 = z
  .object({
    id: z.string(),
    name: z.string(),
    run_type: z.string(),
    status: z.string(),
    start_time: z.string(),
    end_time: text,
    /** Null while the run has not ended. */
    latency_seconds: z.number().nullable(),
    first_token_time: text,
    error: text,
    error_preview: text,
    extra: payload,
    metadata: payload,
    events: z.array(z.unknown()).nullable(),
    inputs: payload,
    inputs_preview: text,
    outputs: payload,
    outputs_preview: text,
    manifest: payload,
    parent_run_id: text,
    parent_run_ids: z.array(z.string()),
    project_id: z.string(),
    trace_id: z.string(),
    thread_id: text,
    dotted_order: z.string(),
    is_root: z.boolean(),
    reference_example_id: text,
    reference_dataset_id: text,
    total_tokens: z.int(),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_cost: z.number().nullable(),
    prompt_cost: z.number().nullable(),
    completion_cost: z.number().nullable(),
    prompt_token_details: figures,
    completion_token_details: figures,
    prompt_cost_details: figures,
    completion_cost_details: figures,
    price_model_id: text,
    tags: z.array(z.string()),
    app_path: z.string(),
    /** Name → URL that needs no key. */
    attachments: z.record(z.string(), z.string()),
    thread_evaluation_time: z.null(),
    is_in_dataset: z.boolean().nullable(),
    last_queued_at: text,
    /** Absent while the run is not shared. */
    share_url: z.string(),
    feedback_stats: z.record(z.string(), z.unknown()).nullable(),
    /** Who traced a run is not kept. */
    ls_user_id: z.null(),
  })
  .partial()
export type RunV2 = z.infer<typeof RunV2>

/** Unknown names are ignored: newer clients know more of them. @default none */
export const Selects = z
  .array(z.string())
  .nullish()
  .transform((names) => (names ?? []).map((name) => name.toUpperCase()))
export const QuerySelects = queryList(z.string()).transform((names) => (names ?? []).map((name) => name.toUpperCase()))

/** Larger values are clamped. */
export const pageSize = (maximum: number, otherwise: number) =>
  z.preprocess((value) => value ?? undefined, clamped(1, maximum, otherwise))

const nextCursor = z.string().optional()
const tag = 'v2'

/** Questions that need a model; anything but blanks is answered with 501. */
export const semanticSearch = { ai_search: z.string().nullish(), sem_filter: z.string().nullish() }

/** When the feedback was last changed that conditions on feedback speak of; one of the filters must have such a condition. */
const feedbackWindow = {
  /** Inclusive. */
  min_feedback_modified_at: Time.nullish(),
  /** Exclusive. */
  max_feedback_modified_at: Time.nullish(),
}

export const RunV2Query = z
  .object({
    project_ids: idList(Uuid),
    reference_dataset_id: Uuid.nullish(),
    ids: idList(Uuid),
    trace_id: Uuid.nullish(),
    is_root: z.boolean().nullish(),
    has_error: z.boolean().nullish(),
    reference_examples: idList(Uuid),
    run_type: z.preprocess((type) => (typeof type === 'string' ? type.toLowerCase() : type), RunType.nullish()),
    /** Inclusive. @default a day ago; no bound when `ids`, `trace_id` or `reference_dataset_id` are given */
    min_start_time: Time.nullish(),
    /** Inclusive. @default no bound */
    max_start_time: Time.nullish(),
    filter: z.string().nullish(),
    trace_filter: z.string().nullish(),
    tree_filter: z.string().nullish(),
    /** Words that the run must contain. */
    ai_query: z.string().nullish(),
    ...semanticSearch,
    ...feedbackWindow,
    /**
     * Whether `FIRST_TOKEN_TIME` is the first of anything at or below a run. Its tokens and costs always are totals.
     * @default false
     */
    include_subtree_usage: z.boolean().nullish(),
    selects: Selects,
    sort_order: z.preprocess(
      (order) => (typeof order === 'string' ? order.toLowerCase() : order),
      z.enum(['asc', 'desc']).nullish(),
    ),
    page_size: pageSize(1000, 100),
    cursor: z.string().nullish(),
  })
  .refine((query) => (query.project_ids?.length ? 1 : 0) + (query.reference_dataset_id ? 1 : 0) === 1, {
    message: 'exactly one of project_ids and reference_dataset_id is required',
    path: ['project_ids'],
  })
export type RunV2Query = z.output<typeof RunV2Query>

export const TraceV2Query = z.object({
  project_id: Uuid,
  /** Inclusive. @default a day ago; no bound when `trace_ids` are given */
  min_start_time: Time.nullish(),
  /** Exclusive. @default no bound */
  max_start_time: Time.nullish(),
  /** Must hold for the root. */
  trace_filter: z.string().nullish(),
  /** Must hold for some run of the trace. */
  tree_filter: z.string().nullish(),
  trace_ids: idList(Uuid),
  ...semanticSearch,
  ...feedbackWindow,
  selects: Selects,
  page_size: pageSize(100, 20),
  cursor: z.string().nullish(),
})
export type TraceV2Query = z.output<typeof TraceV2Query>

const bothOrNone = (window: { min_start_time?: unknown; max_start_time?: unknown }) =>
  (window.min_start_time === undefined) === (window.max_start_time === undefined)

const runId = z.object({ run_id: Uuid })
const items = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item) })

export const runV2Routes = describeRoutes(routes.runsV2, tag, {
  query: {
    summary: 'Runs of projects, newest first, a page at a time',
    body: RunV2Query,
    answer: items(RunV2).extend({ next_cursor: nextCursor, has_more: z.boolean() }),
  },
  read: {
    summary: 'One run',
    params: runId,
    query: z.object({ project_id: Uuid, selects: QuerySelects, start_time: Time.optional() }),
    answer: RunV2,
  },
  url: {
    summary: 'The web page of a run',
    params: runId,
    query: z.object({ project_id: Uuid, trace_id: Uuid, start_time: Time.optional() }),
    answer: z.object({ url: z.string() }),
  },
  share: {
    summary: 'Share the whole trace of a run with everyone who has the token',
    params: runId,
    body: z.object({ session_id: Uuid.nullish(), trace_id: Uuid.nullish() }).nullish(),
    answer: z.object({ share_token: z.string() }),
  },
  unshare: {
    summary: 'Close a trace again',
    params: z.object({ trace_id: Uuid }),
    body: z.object({ session_id: Uuid.nullish() }).nullish(),
    status: 204,
  },
  publicRead: {
    summary: 'A run that a token opens',
    params: z.object({ share_token: z.string(), run_id: Uuid }),
    query: z.object({ selects: QuerySelects, start_time: Time.optional() }),
    answer: RunV2,
  },
  publicQuery: {
    summary: 'Every run that a token opens, oldest first',
    params: z.object({ share_token: z.string() }),
    body: z.object({ selects: Selects }).nullish(),
    answer: items(RunV2),
  },
  ofTrace: {
    summary: 'Every run of a trace, oldest first; both bounds are inclusive',
    params: z.object({ trace_id: Uuid }),
    query: z
      .object({
        project_id: Uuid,
        filter: z.string().optional(),
        min_start_time: Time.optional(),
        max_start_time: Time.optional(),
        selects: QuerySelects,
      })
      .refine(bothOrNone, { message: 'min_start_time and max_start_time are given together or not at all' }),
    answer: items(RunV2),
  },
  queryTraces: {
    summary: 'Traces of a project, newest first, a page at a time',
    body: TraceV2Query,
    answer: items(
      z.object({
        root_run: RunV2,
        trace_aggregates: z
          .object({
            total_tokens: z.int(),
            total_cost: z.number().nullable(),
            first_token_time: text,
          })
          .partial()
          .optional(),
      }),
    ).extend({ next_cursor: nextCursor }),
  },
})
