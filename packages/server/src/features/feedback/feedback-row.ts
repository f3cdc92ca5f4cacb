import type { Deps } from '../../deps.ts'
import type { Problems } from '../../outcome.ts'
import { isPaddedSpanId } from '../../storage/analytics/run-aliases.ts'
import { literal, sql, uuid, uuids } from '../../storage/analytics/sql.ts'
import { columns, each, nullable, number, type RowOf, text } from '../../storage/rows.ts'

/** The run id of feedback on a project in the sort key. */
export const NO_RUN = '00000000-0000-0000-0000-000000000000'

const COLUMNS = {
  id: text,
  run_id: text,
  key: text,
  /** Project, trace and start of the run: null until it arrives. */
  session_id: nullable(text),
  trace_id: nullable(text),
  /** Times in the form of the engine. */
  start_time: nullable(text),
  score: nullable(number),
  value: text,
  /** Plain text of `value` that filters compare and statistics count; '' for objects. */
  label: text,
  comment: nullable(text),
  correction: text,
  feedback_source: text,
  source_type: text,
  feedback_config: text,
  comparative_experiment_id: nullable(text),
  feedback_group_id: nullable(text),
  feedback_thread_id: text,
  /** 0 or 1. */
  error: number,
  extra: text,
  created_at: text,
  modified_at: text,
}

/** The select list of `FEEDBACK_ROW`. */
export const FEEDBACK_COLUMNS = literal(Object.keys(COLUMNS).join(', '))

export const FEEDBACK_ROW = columns(COLUMNS)

/** A row of `run_feedback` without owner and version; JSON columns contain raw JSON, '' when absent. */
export type FeedbackRow = RowOf<typeof FEEDBACK_ROW>

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
  | {
      readonly kind: 'change'
      readonly id: string
      readonly changes: FeedbackChanges
      /** Whether the stored record is what the change is based on; asked when no other write can come between. */
      readonly isExpected?: ((stored: FeedbackRow) => boolean) | undefined
    }
  | { readonly kind: 'delete'; readonly id: string }

export type NewFeedback = Omit<FeedbackRow, 'created_at' | 'modified_at'> & {
  readonly created_at: string | null
  readonly modified_at: string | null
}

/** Stores writes durably; returns the writes that could not be stored. */
export type SubmitFeedback = (tenantId: string, writes: readonly FeedbackWrite[]) => Promise<Problems<FeedbackWrite>>

/** Error message of a write to a record that does not exist. */
export const ABSENT = 'Feedback not found'
/** Error message of a change that is based on values which others have changed since. */
export const OVERTAKEN = 'The feedback was changed since you read it.'

const RUN_KEY = columns(each(['id', 'session_id', 'trace_id', 'start_time'], text))

/** Sort key of a run; times in the form of the engine. */
export type RunKey = RowOf<typeof RUN_KEY>

/** Keys of runs by id, and by the id of an OpenTelemetry span that leads to the run; runs that have not arrived are omitted. */
export async function selectRunKeys(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  runIds: readonly string[],
): Promise<Map<string, RunKey>> {
  if (runIds.length === 0) return new Map()
  const rows = await analytics.query(
    sql`
      select id, session_id, trace_id, start_time
      from run_keys final
      where tenant_id = ${uuid(tenantId)} and id in ${uuids([...new Set(runIds)])}`,
    RUN_KEY,
  )
  const keys = new Map(rows.map((row) => [row.id, row]))
  const spanIds = runIds.filter((id) => isPaddedSpanId(id) && id !== NO_RUN)
  if (spanIds.length === 0) return keys
  const aliases = await analytics.query(
    sql`
      select id as span_id, run_id from run_aliases final
      where tenant_id = ${uuid(tenantId)} and id in ${uuids([...new Set(spanIds)])}`,
    ALIAS,
  )
  const runs = await selectRunKeys(
    { analytics },
    tenantId,
    aliases.map(({ run_id }) => run_id).filter((id) => !isPaddedSpanId(id)),
  )
  for (const { span_id, run_id } of aliases) {
    const [run, other] = [runs.get(run_id), keys.get(span_id)]
    // Span ids are unique in a trace only: the newest run has it.
    if (run !== undefined && (other === undefined || other.start_time < run.start_time)) keys.set(span_id, run)
  }
  return keys
}

const ALIAS = columns(each(['span_id', 'run_id'], text))
