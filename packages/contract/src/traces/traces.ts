import { z } from 'zod'
import * as routes from '../routes.ts'
import { RunStatus, RunType } from '../runs/runs.ts'
import { Uuid } from '../wire/ids.ts'
import { describeRoutes } from '../wire/route.ts'

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
  /** The message of the error in one line of at most 300 characters. */
  error_preview: z.string().nullable(),
  model: z.string().nullable(),
  tags: z.array(z.string()),
  prompt_tokens: z.int().nullable(),
  completion_tokens: z.int().nullable(),
  total_tokens: z.int().nullable(),
  total_cost: z.string().nullable(),
  /** The part of `total_cost` that the client, a provider or an emitter reported, because no price is known; null: none. */
  reported_cost: z.string().nullable(),
  /** Model calls that were charged for more than tokens, such as searches: `total_cost` is without these fees. Null: none. */
  unpriced_fees: z.int().nullable(),
  inputs_bytes: z.int(),
  outputs_bytes: z.int(),
})
export type TraceRun = z.infer<typeof TraceRun>

/**
 * All runs of one trace, parents before children, siblings by start, then by end, then by arrival. Runs whose parent has not
 * arrived follow. The list is never truncated.
 */
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

/** Texts of which many are equal: `words[codes[row]]` belongs to the run `row`. */
function wordsOf<Word extends z.ZodType>(word: Word) {
  return z.object({ words: z.array(word), codes: z.array(z.int()) })
}

/**
 * Rows of the runs that have a value: each number is the distance from the one before, the first from 0. Neighbors are
 * equal then, which compresses better.
 */
const Gaps = z.array(z.int())

/** The fields of `TraceRun` as columns, except `dotted_order` and `session_id`: the same index is the same run. */
export const TraceRunColumns = z.object({
  /** Base64 of 16 bytes per run: the first byte of every id, then the second byte of every id, and so on. */
  ids: z.string(),
  /** Row of the parent; -1 without a parent; `-2 - n` when the parent is `missing_parent_ids[n]`. */
  parents: z.array(z.int()),
  /** Ids of parents that are not in the answer. */
  missing_parent_ids: z.array(z.string()),
  names: wordsOf(z.string()),
  run_types: wordsOf(RunType),
  statuses: wordsOf(RunStatus),
  /** '' without a model. */
  models: wordsOf(z.string()),
  /** The earliest start. */
  start_time: z.string(),
  /** Microseconds from the start of the run before, for the first run from `start_time`. */
  start_gaps: z.array(z.int()),
  /** Microseconds from the start to the end; null while the run is running, negative when its clock went backwards. */
  durations: z.array(z.int().nullable()),
  /** Microseconds from the start to the first token. */
  first_tokens: z.object({ gaps: Gaps, values: z.array(z.int()) }),
  /** The message of the error in one line of at most 300 characters. */
  error_previews: wordsOf(z.string()).extend({ gaps: Gaps }),
  tags: z.object({ gaps: Gaps, values: z.array(z.array(z.string())) }),
  /** Of the runs with any tokens or cost. */
  usage: z.object({
    gaps: Gaps,
    prompt_tokens: z.array(z.int().nullable()),
    completion_tokens: z.array(z.int().nullable()),
    /** `total_tokens` without prompt and completion tokens, mostly 0; null when the run reports no total. */
    other_tokens: z.array(z.int().nullable()),
    total_costs: z.array(z.string().nullable()),
  }),
  /** Rows of the runs whose cost was reported, because no price is known. */
  reported_costs: Gaps,
  /** Rows of the runs whose cost is without fees for more than tokens. */
  unpriced_fees: Gaps,
  inputs_bytes: z.array(z.int()),
  outputs_bytes: z.array(z.int()),
})
export type TraceRunColumns = z.infer<typeof TraceRunColumns>

/** `TraceTree` with its runs as columns, in the same order: a tenth of its size. */
export const TraceColumns = TraceTree.extend({ runs: TraceRunColumns })
export type TraceColumns = z.infer<typeof TraceColumns>

/** `PublicTraceTree` with its runs as columns. */
export const PublicTraceColumns = TraceColumns.omit({ session_id: true })
export type PublicTraceColumns = z.infer<typeof PublicTraceColumns>

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
  runColumns: { ...runsOfTrace, summary: 'All runs of a trace without payloads, in columns', answer: TraceColumns },
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
