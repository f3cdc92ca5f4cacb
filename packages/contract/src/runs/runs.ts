import { z } from 'zod'
import { FeedbackStat } from '../feedback/feedback.ts'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { idList, QueryFlag, shortList } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { Time } from '../wire/time.ts'

export const RUN_TYPES = ['tool', 'chain', 'llm', 'retriever', 'embedding', 'prompt', 'parser'] as const
export const RunType = z.enum(RUN_TYPES)
export type RunType = z.infer<typeof RunType>

export const RUN_STATUSES = ['success', 'error', 'pending', 'interrupted'] as const
export const RunStatus = z.enum(RUN_STATUSES)
export type RunStatus = z.infer<typeof RunStatus>

/** A payload of a user: stored as it was sent, never renamed, reordered or cleaned. */
const Payload = z.record(z.string(), z.unknown())
const nullableTime = z.string().nullable()
const counts = z.record(z.string(), z.number()).nullable()
const decimals = z.record(z.string(), z.string()).nullable()

/** A URL of an attachment or a large payload. It needs no key until it expires. */
export const SignedUrl = z.object({
  presigned_url: z.string(),
  mime_type: z.string().nullable(),
  s3_url: z.null(),
})
export type SignedUrl = z.infer<typeof SignedUrl>

/**
 * Why the tokens and the cost that a run reports are in no sum: runs `below` it report the same, or another run `beside` it
 * reports the same call, as the client of a provider and an instrumentation around it do.
 */
export const UsageRepeat = z.enum(['below', 'beside'])
export type UsageRepeat = z.infer<typeof UsageRepeat>

/**
 * The calls of models whose payloads stand for those that a root did not record: ids of the first call with inputs and of the
 * last one with outputs; null for a side that was recorded, or that no call has.
 */
export const DerivedPayloads = z.object({ inputs: z.string().nullable(), outputs: z.string().nullable() })
export type DerivedPayloads = z.infer<typeof DerivedPayloads>

/**
 * One recorded step. Tokens are counts, costs are decimal strings in US dollars (null when no price is known, never 0),
 * times are ISO 8601 UTC with six fractional digits. Tokens and costs are those of the whole subtree.
 */
export const Run = z.object({
  id: z.string(),
  name: z.string(),
  run_type: RunType,
  status: RunStatus,
  trace_id: z.string(),
  session_id: z.string(),
  dotted_order: z.string(),
  app_path: z.string(),
  start_time: z.string(),
  end_time: nullableTime.optional(),
  first_token_time: nullableTime.optional(),
  parent_run_id: z.string().nullable().optional(),
  parent_run_ids: z.array(z.string()).nullable().optional(),
  child_run_ids: z.array(z.string()).nullable().optional(),
  direct_child_run_ids: z.array(z.string()).nullable().optional(),
  inputs: Payload.nullable().optional(),
  inputs_preview: z.string().nullable().optional(),
  outputs: Payload.nullable().optional(),
  outputs_preview: z.string().nullable().optional(),
  /** Of a root whose previews are those of these runs; absent for its own. `inputs` and `outputs` are as recorded. */
  derived_payloads: DerivedPayloads.optional(),
  error: z.string().nullable().optional(),
  error_preview: z.string().nullable().optional(),
  extra: Payload.nullable().optional(),
  events: z.array(Payload).nullable().optional(),
  serialized: Payload.nullable().optional(),
  tags: z.array(z.string()).nullable().optional(),
  thread_id: z.string().nullable().optional(),
  execution_order: z.int().optional(),
  reference_example_id: z.string().nullable().optional(),
  reference_dataset_id: z.string().nullable().optional(),
  total_tokens: z.int().optional(),
  prompt_tokens: z.int().optional(),
  completion_tokens: z.int().optional(),
  prompt_token_details: counts.optional(),
  completion_token_details: counts.optional(),
  total_cost: z.string().nullable().optional(),
  prompt_cost: z.string().nullable().optional(),
  completion_cost: z.string().nullable().optional(),
  /** The part of `total_cost` that the client, a provider or an emitter reported, because no price is known; null: none. */
  reported_cost: z.string().nullable().optional(),
  /** Model calls that were charged for more than tokens, such as searches: `total_cost` is without these fees. Null: none. */
  unpriced_fees: z.int().nullable().optional(),
  /** Absent in lists unless it is selected; null: what the run reports counts. */
  repeats_usage: UsageRepeat.nullable().optional(),
  prompt_cost_details: decimals.optional(),
  completion_cost_details: decimals.optional(),
  price_model_id: z.string().nullable().optional(),
  feedback_stats: z.record(z.string(), FeedbackStat).nullable().optional(),
  in_dataset: z.boolean().nullable().optional(),
  share_token: z.string().nullable().optional(),
  messages: z.array(Payload).nullable().optional(),
  s3_urls: z.record(z.string(), SignedUrl).nullable().optional(),
  inputs_s3_urls: z.null().optional(),
  outputs_s3_urls: z.null().optional(),
  manifest_id: z.null().optional(),
  manifest_s3_id: z.null().optional(),
  trace_tier: z.string().nullable().optional(),
  trace_upgrade: z.boolean().nullable().optional(),
  ttl_seconds: z.int().nullable().optional(),
  trace_first_received_at: nullableTime.optional(),
  trace_min_start_time: nullableTime.optional(),
  trace_max_start_time: nullableTime.optional(),
  last_queued_at: nullableTime.optional(),
  inserted_at: nullableTime.optional(),
})
export type Run = z.infer<typeof Run>

/** Sent with every run, also without being selected: the public clients build their models from them. */
export const RUN_FIELDS_ALWAYS = [
  'id',
  'name',
  'run_type',
  'status',
  'start_time',
  'trace_id',
  'session_id',
  'dotted_order',
  'app_path',
] as const satisfies readonly (keyof Run)[]

/** The default of `select`. */
export const RUN_FIELDS_DEFAULT = (Object.keys(Run.shape) as (keyof Run)[]).filter(
  (field) =>
    ![
      'child_run_ids',
      'direct_child_run_ids',
      'messages',
      'inputs_preview',
      'outputs_preview',
      'error_preview',
    ].includes(field),
)

/** Conditions on runs. All must hold. Unknown fields are ignored; null counts as absent. */
export const RunConditions = z.object({
  id: idList(Uuid),
  session: idList(Uuid),
  trace: Uuid.nullish(),
  parent_run: Uuid.nullish(),
  run_type: z
    .string()
    .transform((type) => type.toLowerCase())
    .nullish(),
  is_root: QueryFlag.nullish(),
  /** JavaScript clients send one bare id. */
  reference_example: idList(Uuid),
  /** Only 1 has an effect: it selects root runs. */
  execution_order: z.int().nullish(),
  /** Lower bound of the start time, inclusive. */
  start_time: Time.nullish(),
  /** Upper bound of the start time, inclusive. */
  end_time: Time.nullish(),
  error: QueryFlag.nullish(),
  query: z.string().nullish(),
  filter: z.string().nullish(),
  trace_filter: z.string().nullish(),
  tree_filter: z.string().nullish(),
  search_filter: z.string().nullish(),
})
export type RunConditions = z.output<typeof RunConditions>

/**
 * What a list of runs can be sorted by: the start, or a figure. `latency` is the time until the end, `first_token` the time
 * until the first token; tokens and cost are those of the whole subtree, as in `Run`. Usage that a trace has in another
 * project is shown for its root, but not counted for the order.
 */
export const RUN_SORTS = ['start_time', 'latency', 'first_token', 'total_tokens', 'total_cost'] as const
export const RunSort = z.enum(RUN_SORTS)
export type RunSort = z.infer<typeof RunSort>

/** Body of `POST /runs/query`. */
export const RunQuery = RunConditions.extend({
  select: shortList(z.string(), 1000).nullish(),
  /** Runs per page, at most 100; larger values are clamped. Not applied to a query by `trace`. */
  limit: z
    .number()
    .nullish()
    .transform((limit) => Math.min(Math.max(Math.trunc(limit ?? 100), 1), 100)),
  cursor: z.string().nullish(),
  /**
   * Sorts all matching runs, not a page of them. Runs without the figure (running, no token streamed, no tokens, no known
   * price) come last in both orders; runs with the same figure are newest first. @default start_time
   */
  sort_by: RunSort.nullish(),
  /** Of what the runs are sorted by. @default desc */
  order: z.enum(['asc', 'desc']).nullish(),
  skip_pagination: z.boolean().nullish(),
})
export type RunQuery = z.output<typeof RunQuery>
export type RunQueryInput = z.input<typeof RunQuery>

export const RunPage = z.object({
  runs: z.array(Run),
  cursors: z.object({ next: z.string().nullable(), prev: z.string().nullable() }),
  search_cursors: z.null(),
  parsed_query: z.null(),
})
export type RunPage = z.infer<typeof RunPage>

/** A run to write. Ingest validates each run alone, so that an invalid run does not affect the others. */
export const RunWrite = z.looseObject({
  id: z.string().optional(),
  name: z.string().nullish(),
  run_type: z.string().nullish(),
  start_time: z.union([z.string(), z.number()]).nullish(),
  end_time: z.union([z.string(), z.number()]).nullish(),
  inputs: z.unknown().optional(),
  outputs: z.unknown().optional(),
  error: z.string().nullish(),
  extra: z.unknown().optional(),
  serialized: z.unknown().optional(),
  events: z.unknown().optional(),
  tags: z.array(z.string()).nullish(),
  trace_id: z.string().nullish(),
  dotted_order: z.string().nullish(),
  parent_run_id: z.string().nullish(),
  session_name: z.string().nullish(),
  session_id: z.string().nullish(),
  reference_example_id: z.string().nullish(),
  status: z.string().nullish(),
})
export type RunWrite = z.infer<typeof RunWrite>

/** A valid write that could not be stored. The other writes of the request were stored. */
export const RunProblem = z.object({ run_id: z.string(), error: z.string() })
export type RunProblem = z.infer<typeof RunProblem>

/** Response of every ingest call. Accepted runs are stored and readable. */
/** Fields of a run or of feedback that could not be stored as they were sent; see `REPAIRED_HEADER` for what is changed. */
export const RunRepair = z.object({ run_id: z.string(), fields: z.array(z.string()) })

export const IngestReceipt = z.object({
  message: z.string(),
  errors: z.array(RunProblem).optional(),
  /** An extension of ours: everything was stored, some of it changed. */
  repaired: z.array(RunRepair).optional(),
})
export type RunRepair = z.infer<typeof RunRepair>
export type IngestReceipt = z.infer<typeof IngestReceipt>

const runId = z.object({ run_id: Uuid })

export const runRoutes = describeRoutes(routes.runs, 'runs', {
  create: {
    maxBodyBytes: 'configured',
    summary: 'Record one run',
    body: RunWrite,
    status: 202,
    answer: IngestReceipt,
  },
  update: {
    maxBodyBytes: 'configured',
    summary: 'Record an update of a run; it may arrive before the run itself',
    params: runId,
    body: RunWrite,
    status: 202,
    answer: IngestReceipt,
  },
  batch: {
    maxBodyBytes: 'configured',
    summary: 'Record many creates and updates',
    body: z.object({ post: z.array(RunWrite).nullish(), patch: z.array(RunWrite).nullish() }),
    status: 202,
    answer: IngestReceipt,
  },
  multipart: {
    maxBodyBytes: 'configured',
    summary:
      'Record many creates, updates, attachments and feedback; the parts are named `post.ID`, `patch.ID`, `feedback.ID` and `attachment.ID.NAME`',
    bodyType: 'multipart/form-data',
    status: 202,
    answer: IngestReceipt,
  },
  read: {
    summary: 'One run',
    params: runId,
    query: z.object({
      session_id: Uuid.optional(),
      start_time: Time.optional(),
      exclude_s3_stored_attributes: QueryFlag.optional(),
      exclude_serialized: QueryFlag.optional(),
      include_messages: QueryFlag.optional(),
    }),
    answer: Run,
  },
  query: {
    summary: 'Runs of projects or of a trace, a page at a time, newest first or by `sort_by`',
    body: RunQuery,
    answer: RunPage,
  },
})
