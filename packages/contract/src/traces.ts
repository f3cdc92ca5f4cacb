import { z } from 'zod'
import { Uuid } from './ids.ts'
import { describeRoutes } from './route.ts'
import * as routes from './routes.ts'
import { RunStatus, RunType } from './runs.ts'

/**
 * A run without its payload: a row of the trace view. Tokens and costs are those of the run itself, so that the client can
 * sum any subtree. Sizes are bytes of the stored JSON.
 */
export const TraceRun = z.object({
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
export type TraceRun = z.infer<typeof TraceRun>

/** All runs of one trace, parents before children, oldest first. The list is never truncated. */
export const TraceTree = z.object({
  trace_id: z.string(),
  /** Project of the root, or of the oldest run if the root has not arrived yet. */
  session_id: z.string(),
  total: z.int(),
  /** Changes whenever a run of the trace changes, so that a client can skip an equal version. */
  version: z.string(),
  runs: z.array(TraceRun),
})
export type TraceTree = z.infer<typeof TraceTree>

/** The part of a run tree that a share link opens. The shared run is the root; ids of projects are omitted. */
export const PublicTraceTree = TraceTree.omit({ session_id: true }).extend({
  runs: z.array(TraceRun.omit({ session_id: true })),
})
export type PublicTraceTree = z.infer<typeof PublicTraceTree>

/** What has an id, and the page that shows it. An experiment leads to its comparison page. */
export const Resolved = z.object({
  kind: z.enum(['run', 'project', 'experiment', 'dataset', 'example', 'queue']),
  id: z.string(),
  name: z.string(),
  app_path: z.string(),
})
export type Resolved = z.infer<typeof Resolved>

/** Shapes of the runs of a trace, at the current path and at the deprecated one. */
const runsOfTrace = {
  extension: true,
  params: z.object({ trace_id: Uuid }),
  query: z.object({ session_id: Uuid.optional() }),
  answer: TraceTree,
} as const

export const traceRoutes = describeRoutes(routes.traces, 'traces', {
  runs: { ...runsOfTrace, summary: 'All runs of a trace without payloads' },
  runsAtOldPath: {
    ...runsOfTrace,
    deprecated: true,
    summary: 'The same as `GET /traces/{trace_id}/runs`, which replaces it',
  },
  resolve: {
    extension: true,
    summary: 'Find the run, project, experiment, dataset, example or annotation queue that has an id',
    params: z.object({ id: Uuid }),
    answer: Resolved,
  },
})
