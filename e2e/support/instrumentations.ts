import type { Run } from 'langsmith/schemas'
import type { SeenRun } from '../../packages/server/src/ingest/otlp/instrumentations/index.ts'

/** The table of instrumentations, and how runs are compared with it, the same as in the tests of the server. */
export * from '../../packages/server/src/ingest/otlp/instrumentations/index.ts'

/** Runs by start. Those that start together are in the order of their ends, as siblings are on a page. */
export function inOrder(runs: readonly Run[]): Run[] {
  const toKey = ({ start_time, end_time }: Run) => `${start_time} ${end_time}`
  return [...runs].sort((one, other) => (toKey(one) < toKey(other) ? -1 : 1))
}

/** A run of the API as the table is compared with it. */
export function toSeenRun(run: Run): SeenRun {
  const extra = run.extra as { metadata?: unknown; invocation_params?: unknown } | undefined
  const own = run as unknown as { first_token_time?: unknown; total_cost?: unknown }
  const { id, name, inputs, outputs, error } = run
  return {
    ...{ id, name, inputs, outputs, runType: run.run_type, traceId: String(run.trace_id) },
    parentId: run.parent_run_id ?? undefined,
    error: error ?? undefined,
    firstToken: own.first_token_time ?? undefined,
    metadata: extra?.metadata,
    invocation: extra?.invocation_params,
    cost: Number(own.total_cost ?? 0),
  }
}
