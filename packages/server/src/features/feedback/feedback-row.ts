import type { Deps } from '../../deps.ts'
import type { Problems } from '../../outcome.ts'
import { sql, uuid, uuids } from '../../storage/analytics/sql.ts'
/** The run id of feedback on a project in the sort key. */
export const NO_RUN = '00000000-0000-0000-0000-000000000000'

/** A row of `run_feedback` without owner and version; JSON columns contain raw JSON, '' when absent. */
export interface FeedbackRow {
  readonly id: string
  readonly run_id: string
  readonly key: string
  /** Project, trace and start of the run: null until it arrives. */
  readonly session_id: string | null
  readonly trace_id: string | null
  /** Times in the form of the engine. */
  readonly start_time: string | null
  readonly score: number | null
  readonly value: string
  /** Plain text of `value` that filters compare and statistics count; '' for objects. */
  readonly label: string
  readonly comment: string | null
  readonly correction: string
  readonly feedback_source: string
  readonly source_type: string
  readonly feedback_config: string
  readonly comparative_experiment_id: string | null
  readonly feedback_group_id: string | null
  readonly feedback_thread_id: string
  readonly error: number
  readonly extra: string
  readonly created_at: string
  readonly modified_at: string
}

export const FEEDBACK_COLUMNS = [
  'id',
  'run_id',
  'key',
  'session_id',
  'trace_id',
  'start_time',
  'score',
  'value',
  'label',
  'comment',
  'correction',
  'feedback_source',
  'source_type',
  'feedback_config',
  'comparative_experiment_id',
  'feedback_group_id',
  'feedback_thread_id',
  'error',
  'extra',
  'created_at',
  'modified_at',
] as const satisfies readonly (keyof FeedbackRow)[]

/** The fields that an update may change. */
export type FeedbackChanges = Partial<
  Pick<FeedbackRow, 'score' | 'value' | 'label' | 'comment' | 'correction' | 'feedback_config' | 'feedback_source'>
>

/** A write to one record. Writes of one process run one after the other, so that none is lost. */
export type FeedbackWrite = FeedbackOperation & {
  /** Receives the stored row before the write resolves: reading it again would cost as much as the write. */
  readonly onStored?: (row: FeedbackRow) => void
}

type FeedbackOperation =
  /** Replaces the record of that id; `created_at` null keeps the old one, else is now. */
  | { readonly kind: 'put'; readonly row: NewFeedback }
  /** Changes the record of that id, or creates it. */
  | { readonly kind: 'merge'; readonly row: NewFeedback; readonly changes: FeedbackChanges }
  | { readonly kind: 'change'; readonly id: string; readonly changes: FeedbackChanges }
  | { readonly kind: 'delete'; readonly id: string }

export type NewFeedback = Omit<FeedbackRow, 'created_at' | 'modified_at'> & {
  readonly created_at: string | null
  readonly modified_at: string | null
}

/** Stores writes durably; returns the writes that could not be stored. */
export type SubmitFeedback = (tenantId: string, writes: readonly FeedbackWrite[]) => Promise<Problems<FeedbackWrite>>

/** Error message of a write to a record that does not exist. */
export const ABSENT = 'Feedback not found'

/** Sort key of a run; times in the form of the engine. */
export interface RunKey {
  readonly id: string
  readonly session_id: string
  readonly trace_id: string
  readonly start_time: string
}

/** Keys of runs by id; runs that have not arrived are omitted. */
export async function selectRunKeys(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  runIds: readonly string[],
): Promise<Map<string, RunKey>> {
  if (runIds.length === 0) return new Map()
  const rows = await analytics.query<RunKey>(sql`
    select id, session_id, trace_id, start_time
    from run_keys final
    where tenant_id = ${uuid(tenantId)} and id in ${uuids([...new Set(runIds)])}`)
  return new Map(rows.map((row) => [row.id, row]))
}
