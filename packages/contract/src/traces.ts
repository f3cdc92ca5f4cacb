import { z } from 'zod'
import { Uuid } from './ids.ts'
import { describeRoutes } from './route.ts'
import * as routes from './routes.ts'
import { RunStatus, RunType } from './runs.ts'

/**
 * A run without its payload, enough to draw it: the row of the trace view. Tokens and costs are the run's own, so the
 * reader can sum any subtree; sizes are bytes of the stored JSON.
 */
export const SpineRun = z.object({
  id: z.string(),
  parent_run_id: z.string().nullable(),
  name: z.string(),
  run_type: RunType,
  status: RunStatus,
  start_time: z.string(),
  end_time: z.string().nullable(),
  first_token_time: z.string().nullable(),
  dotted_order: z.string(),
  session_id: z.string(),
  /** First line of the error, at most 300 characters. */
  error_preview: z.string().nullable(),
  model: z.string().nullable(),
  tags: z.array(z.string()),
  prompt_tokens: z.int().nullable(),
  completion_tokens: z.int().nullable(),
  total_tokens: z.int().nullable(),
  total_cost: z.string().nullable(),
  inputs_bytes: z.int(),
  outputs_bytes: z.int(),
})
export type SpineRun = z.infer<typeof SpineRun>

/** Every run of one trace, parents before children, oldest first; never cut. */
export const TraceSpine = z.object({
  trace_id: z.string(),
  /** Project of the root, or of the oldest run while the root has not arrived. */
  session_id: z.string(),
  total: z.int(),
  /** Changes whenever a run of the trace does; pass it back to learn cheaply that nothing changed. */
  version: z.string(),
  runs: z.array(SpineRun),
})
export type TraceSpine = z.infer<typeof TraceSpine>

/** The same as a public reader sees it: the shared run on top, and nothing of where it is kept. */
export const PublicTraceSpine = TraceSpine.omit({ session_id: true }).extend({
  runs: z.array(SpineRun.omit({ session_id: true })),
})
export type PublicTraceSpine = z.infer<typeof PublicTraceSpine>

/** What an id stands for, and the page that shows it. */
export const Resolved = z.object({
  kind: z.enum(['run', 'project']),
  id: z.string(),
  name: z.string(),
  app_path: z.string(),
})
export type Resolved = z.infer<typeof Resolved>

export const traceRoutes = describeRoutes(routes.traces, 'traces', {
  spine: {
    extension: true,
    summary: 'All runs of a trace without payloads',
    params: z.object({ trace_id: Uuid }),
    query: z.object({ session_id: Uuid.optional() }),
    answer: TraceSpine,
  },
  resolve: {
    extension: true,
    summary: 'Find what an id stands for',
    params: z.object({ id: Uuid }),
    answer: Resolved,
  },
})
