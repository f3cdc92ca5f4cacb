import type { TracerSessionResult as Project } from '@touchstone/sdk'
import { type ExperimentRow, type RowContext, toExperimentRow } from '../experiment-row.ts'

type Scores = Readonly<Record<string, number | { avg: number; n: number; stdev?: number | null }>>

export interface ExperimentOptions {
  readonly name?: string
  readonly day?: number
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly scores?: Scores
  /** Other fields of the project. */
  readonly project?: Partial<Project>
}

export const NOON = Date.parse('2026-03-20T12:00:00Z')

/** An experiment as the API returns it. */
export function aProject(options: ExperimentOptions = {}): Project {
  const { name = 'v1', day = 1, metadata = {}, scores = {}, project } = options
  const created = `2026-03-${String(day).padStart(2, '0')}T08:00:00.000000Z`
  return {
    id: `id of ${name}`,
    tenant_id: 't',
    name,
    description: null,
    start_time: created,
    end_time: created,
    extra: { metadata },
    reference_dataset_id: 'd',
    default_dataset_id: null,
    trace_tier: null,
    last_run_start_time_live: null,
    run_count: 10,
    latency_p50: 1,
    latency_p99: 2,
    total_tokens: 100,
    total_cost: '0.5',
    error_rate: 0.1,
    last_run_start_time: created,
    feedback_stats: Object.fromEntries(
      Object.entries(scores).map(([key, given]) => [
        key,
        typeof given === 'number' ? { avg: given, n: 10, stdev: null } : { stdev: null, ...given },
      ]),
    ),
    session_feedback_stats: {},
    experiment_progress: null,
    ...project,
  } as Project
}

/** An experiment as the list shows it. */
export function anExperiment(options: ExperimentOptions = {}, context: Partial<RowContext> = {}): ExperimentRow {
  return toExperimentRow(aProject(options), { now: NOON, exampleCount: 10, ...context })
}
