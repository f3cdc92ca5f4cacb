import { z } from 'zod'
import { FeedbackStat } from '../feedback/feedback.ts'
import type { FilterFields, FilterSurface } from '../filter/index.ts'
import * as routes from '../routes.ts'
import { pageSize, QuerySelects, Selects, semanticSearch } from '../runs/v2.ts'
import { Uuid } from '../wire/ids.ts'
import { describeRoutes } from '../wire/route.ts'
import { Time } from '../wire/time.ts'

/** What a thread as a whole can be asked for, in `thread_filter`. */
export const THREAD_FILTER_FIELDS = {
  thread_id: { type: 'text', doc: 'The conversation.' },
  turn_count: { type: 'number', doc: 'Traces of the thread in the window.' },
  num_errored_turns: { type: 'number', doc: 'Traces whose root failed.' },
  thread_duration: { type: 'duration', doc: 'From the start of the first trace to the end of the last one to end.' },
  trace_latency_p50: { type: 'duration', doc: 'Median over the roots that ended.' },
  trace_latency_p99: { type: 'duration', doc: 'The 99th percentile, likewise.' },
  total_tokens: { type: 'number', doc: 'Tokens of all runs of the traces; absent when none were reported.' },
  total_cost: { type: 'number', doc: 'US dollars, likewise; absent when no price is known.' },
  feedback_key: { type: 'text', doc: 'Key of a feedback record on the thread or on the root of a trace.' },
  feedback_score: { type: 'number', doc: 'Its score; booleans count as 0 and 1.' },
  feedback_value: { type: 'text', doc: 'Its value, the label of a category.' },
} as const satisfies FilterFields

export const THREAD_FILTERS: FilterSurface = { fields: THREAD_FILTER_FIELDS, roots: [], fullText: false }

export const ThreadV2Query = z.object({
  project_id: Uuid,
  /** Inclusive. @default a day ago */
  min_start_time: Time.nullish(),
  /** Exclusive. @default no bound */
  max_start_time: Time.nullish(),
  /** Which traces are counted, by their roots; a thread without any is left out. */
  filter: z.string().nullish(),
  /** Keeps threads by their figures. */
  thread_filter: z.string().nullish(),
  /** Keeps threads with a trace whose root matches. */
  trace_filter: z.string().nullish(),
  /** Keeps threads with a trace of which some run matches. */
  tree_filter: z.string().nullish(),
  ...semanticSearch,
  page_size: pageSize(100, 20),
  cursor: z.string().nullish(),
})
export type ThreadV2Query = z.output<typeof ThreadV2Query>

/**
 * The traces of one conversation within the window of the query. Latencies are seconds over the roots that ended, tokens
 * and costs those of all runs.
 */
export const ThreadV2 = z.object({
  thread_id: z.string(),
  /** Traces. */
  count: z.int(),
  /** The last trace; so is `last_trace_id`. */
  trace_id: z.string(),
  first_trace_id: z.string(),
  last_trace_id: z.string(),
  /** Start of the last trace; so is `max_start_time`. */
  start_time: z.string(),
  min_start_time: z.string(),
  max_start_time: z.string(),
  /** End of the last trace to end; null while none has. An addition of ours. */
  max_end_time: z.string().nullable(),
  latency_p50: z.number().nullable(),
  latency_p99: z.number().nullable(),
  num_errored_turns: z.int(),
  total_tokens: z.int(),
  total_cost: z.number().nullable(),
  /** The part of `total_cost` that the client, a provider or an emitter reported, because no price is known; null: none. An addition of ours. */
  reported_cost: z.number().nullable(),
  /** Model calls that were charged for more than tokens, such as searches: `total_cost` is without these fees. Null: none. */
  unpriced_fees: z.int().nullable(),
  total_token_details: z.record(z.string(), z.number()),
  total_cost_details: z.record(z.string(), z.number()),
  first_inputs: z.string(),
  last_outputs: z.string(),
  /** Of the last trace that failed; absent when none did. */
  last_error: z.string().optional(),
  /** Of the feedback on the thread itself and on the roots of its traces. */
  feedback_stats: z.record(z.string(), FeedbackStat),
  /** Why it matches a semantic search, which there is none of. */
  query_metadata: z.null(),
})
export type ThreadV2 = z.infer<typeof ThreadV2>

export const THREAD_TRACE_SELECTS = [
  'THREAD_ID',
  'TRACE_ID',
  'OP',
  'PROMPT_TOKENS',
  'COMPLETION_TOKENS',
  'TOTAL_TOKENS',
  'START_TIME',
  'END_TIME',
  'LATENCY',
  'FIRST_TOKEN_TIME',
  'INPUTS_PREVIEW',
  'OUTPUTS_PREVIEW',
  'INPUTS',
  'OUTPUTS',
  'ERROR',
  'PROMPT_COST',
  'COMPLETION_COST',
  'TOTAL_COST',
  'PROMPT_TOKEN_DETAILS',
  'COMPLETION_TOKEN_DETAILS',
  'PROMPT_COST_DETAILS',
  'COMPLETION_COST_DETAILS',
  'NAME',
  'ERROR_PREVIEW',
  'TURN_NUMBER',
] as const
export type ThreadTraceSelect = (typeof THREAD_TRACE_SELECTS)[number]

export const THREAD_STAT_SELECTS = [
  'TURNS',
  'FIRST_START_TIME',
  'LAST_START_TIME',
  'LAST_END_TIME',
  'LATENCY_P50',
  'LATENCY_P99',
  'PROMPT_TOKENS',
  'PROMPT_COST',
  'COMPLETION_TOKENS',
  'COMPLETION_COST',
  'TOTAL_TOKENS',
  'TOTAL_COST',
  'PROMPT_TOKEN_DETAILS',
  'COMPLETION_TOKEN_DETAILS',
  'PROMPT_COST_DETAILS',
  'COMPLETION_COST_DETAILS',
  'FEEDBACK_STATS',
] as const
export type ThreadStatSelect = (typeof THREAD_STAT_SELECTS)[number]

/** Figures over all threads of a query. */
export const THREAD_TOTAL_SELECTS = [
  'THREAD_COUNT',
  'TRACE_COUNT',
  'TOTAL_TOKENS',
  'TOTAL_COST',
  'ERROR_RATE',
  'STREAMING_RATE',
  'LATENCY_P50',
  'LATENCY_P99',
  'MEDIAN_TOKENS',
  'FIRST_TOKEN_P50',
  'FIRST_TOKEN_P99',
  'PROMPT_TOKENS',
  'COMPLETION_TOKENS',
  'PROMPT_COST',
  'COMPLETION_COST',
  'PROMPT_TOKEN_DETAILS',
  'COMPLETION_TOKEN_DETAILS',
  'PROMPT_COST_DETAILS',
  'COMPLETION_COST_DETAILS',
  'THREAD_FEEDBACK_STATS',
] as const
export type ThreadTotalSelect = (typeof THREAD_TOTAL_SELECTS)[number]

export const ThreadTotalsQuery = ThreadV2Query.omit({
  page_size: true,
  cursor: true,
  ai_search: true,
  sem_filter: true,
}).extend({
  /** Names of `THREAD_TOTAL_SELECTS`, at least one; unknown names are ignored. */
  select: Selects,
})
export type ThreadTotalsQuery = z.output<typeof ThreadTotalsQuery>

const figure = z.number().nullable().optional()
const figuresByKey = z.record(z.string(), z.number()).optional()

/** Only what was selected. Rates are 0 to 1, costs US dollars; null means that no trace tells. */
export const ThreadTotals = z.object({
  thread_count: z.int().optional(),
  trace_count: z.int().optional(),
  total_tokens: z.int().optional(),
  total_cost: figure,
  /** Traces whose root failed. */
  error_rate: figure,
  /** Of the traces that ended, those with a first token. */
  streaming_rate: figure,
  latency_p50_seconds: figure,
  latency_p99_seconds: figure,
  /** Over the traces that reported tokens. */
  median_tokens: figure,
  first_token_p50_seconds: figure,
  first_token_p99_seconds: figure,
  prompt_tokens: z.int().optional(),
  completion_tokens: z.int().optional(),
  prompt_cost: figure,
  completion_cost: figure,
  prompt_token_details: figuresByKey,
  completion_token_details: figuresByKey,
  prompt_cost_details: figuresByKey,
  completion_cost_details: figuresByKey,
  thread_feedback_stats: z.record(z.string(), FeedbackStat).optional(),
})
export type ThreadTotals = z.infer<typeof ThreadTotals>

/** One trace of a thread: the selected fields of its root in lower case, `trace_id` always. */
const ThreadTrace = z.looseObject({
  trace_id: z.string(),
  /** Place of the run type in the list of run types. */
  op: z.int().optional(),
  /** Seconds. */
  latency: z.number().nullable().optional(),
  /** From 1, in the whole thread, by start time and then by id. */
  turn_number: z.int().optional(),
})

const tag = 'v2'
const ShareToken = z.object({ share_token: z.string() })
/** Any text, though the public description calls it a UUID. */
const threadId = z.object({ thread_id: z.string() })

const ofProject = z.object({ project_id: Uuid })

export const threadV2Routes = describeRoutes(routes.threadsV2, tag, {
  query: {
    summary: 'Threads of a project, the latest active first, a page at a time',
    body: ThreadV2Query,
    answer: z.object({ items: z.array(ThreadV2), next_cursor: z.string().optional() }),
  },
  traces: {
    summary: 'Traces of a thread in the order of the conversation, a page at a time',
    params: threadId,
    query: z.object({
      project_id: Uuid,
      /** Must hold for the root of a trace; so must `trace_filter`. */
      filter: z.string().optional(),
      trace_filter: z.string().optional(),
      /** Must hold for some run of a trace. */
      tree_filter: z.string().optional(),
      selects: QuerySelects,
      page_size: pageSize(100, 20),
      cursor: z.string().optional(),
    }),
    answer: z.object({ items: z.array(ThreadTrace), next_cursor: z.string().optional() }),
  },
  totals: {
    summary: 'Figures over all threads of a query',
    body: ThreadTotalsQuery,
    answer: ThreadTotals,
  },
  stats: {
    summary: 'Figures over the traces of a thread',
    params: threadId,
    query: z.object({ session_id: Uuid, filter: z.string().optional(), selects: QuerySelects }),
    answer: z.looseObject({
      turns: z.int().optional(),
      latency_p50_seconds: z.number().nullable().optional(),
      latency_p99_seconds: z.number().nullable().optional(),
    }),
  },
  share: {
    summary: 'Share a thread with readers who have its token; a shared one keeps its token',
    params: threadId,
    body: ofProject,
    answer: ShareToken,
  },
  readShare: {
    summary: 'The token of a thread; absent while it is not shared',
    params: threadId,
    query: ofProject,
    answer: ShareToken.partial(),
  },
  unshare: {
    summary: 'Close a thread again',
    params: threadId,
    query: ofProject,
    status: 204,
  },
  publicTraces: {
    extension: true,
    summary: 'Traces of the thread that a token opens, in the order of the conversation, a page at a time',
    params: ShareToken,
    query: z.object({ selects: QuerySelects, page_size: pageSize(100, 20), cursor: z.string().optional() }),
    answer: z.object({
      thread_id: z.string(),
      items: z.array(ThreadTrace),
      next_cursor: z.string().optional(),
    }),
  },
})
