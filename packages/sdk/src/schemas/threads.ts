import type { FeedbackStat, Run } from '../schemas.ts'

/** The traces of one conversation with their figures. */
export interface Thread {
  thread_id: string
  group_key?: string | undefined
  /** Finds its runs. */
  filter: string
  count: number
  total_tokens: number
  total_cost: number | null
  min_start_time: string
  max_start_time: string
  latency_p50: number | null
  latency_p99: number | null
  feedback_stats: Record<string, FeedbackStat> | null
  first_inputs: string | null
  last_outputs: string | null
  last_error: string | null
}

/** Which threads of a project. Times are ISO 8601. */
export interface ThreadQuery {
  project_id: string
  /** Inclusive. @default a day ago */
  min_start_time?: string | null | undefined
  /** Exclusive. @default no bound */
  max_start_time?: string | null | undefined
  /** Which traces are counted, by their roots. */
  filter?: string | null | undefined
  /** Keeps threads by their figures, e.g. `gt(num_errored_turns, 0)`. */
  thread_filter?: string | null | undefined
  /** Keeps threads with a trace whose root matches. */
  trace_filter?: string | null | undefined
  /** Keeps threads with a trace of which some run matches. */
  tree_filter?: string | null | undefined
  /** At most 100. @default 20 */
  page_size?: number | undefined
  cursor?: string | null | undefined
}

/** The traces of one conversation within the window of a query. Latencies are seconds, costs US dollars of all runs. */
export interface ThreadSummary {
  thread_id: string
  /** Traces. */
  count: number
  /** The last trace; so is `last_trace_id`. */
  trace_id: string
  first_trace_id: string
  last_trace_id: string
  /** Start of the last trace; so is `max_start_time`. */
  start_time: string
  min_start_time: string
  max_start_time: string
  /** Null while no trace has ended. */
  max_end_time: string | null
  latency_p50: number | null
  latency_p99: number | null
  num_errored_turns: number
  total_tokens: number
  /** Null when no price is known. */
  total_cost: number | null
  total_token_details: Record<string, number>
  total_cost_details: Record<string, number>
  /** Previews of what was said first and last. */
  first_inputs: string
  last_outputs: string
  last_error?: string | undefined
  feedback_stats: Record<string, FeedbackStat>
  query_metadata: null
}

export interface ThreadSummaryPage {
  items: ThreadSummary[]
  next_cursor?: string | undefined
}

/** Narrows threads as a query of threads does; times are ISO 8601. */
export interface ThreadTotalsQuery {
  project_id: string
  /** Inclusive. @default a day ago */
  min_start_time?: string | undefined
  /** Exclusive. */
  max_start_time?: string | undefined
  filter?: string | undefined
  thread_filter?: string | undefined
  trace_filter?: string | undefined
  tree_filter?: string | undefined
  /** Names of figures in upper case, such as `THREAD_COUNT` and `LATENCY_P50`; at least one. */
  select: string[]
}

/** Figures over all threads of a query, those that were selected. Rates are 0 to 1; null means that no trace tells. */
export interface ThreadTotals {
  thread_count?: number | undefined
  trace_count?: number | undefined
  total_tokens?: number | undefined
  total_cost?: number | null | undefined
  error_rate?: number | null | undefined
  streaming_rate?: number | null | undefined
  latency_p50_seconds?: number | null | undefined
  latency_p99_seconds?: number | null | undefined
  median_tokens?: number | null | undefined
  first_token_p50_seconds?: number | null | undefined
  first_token_p99_seconds?: number | null | undefined
  prompt_tokens?: number | undefined
  completion_tokens?: number | undefined
  prompt_cost?: number | null | undefined
  completion_cost?: number | null | undefined
  prompt_token_details?: Record<string, number> | undefined
  completion_token_details?: Record<string, number> | undefined
  prompt_cost_details?: Record<string, number> | undefined
  completion_cost_details?: Record<string, number> | undefined
  thread_feedback_stats?: Record<string, FeedbackStat> | undefined
}

export interface ListThreadsItem extends Thread {
  runs: Run[]
}
