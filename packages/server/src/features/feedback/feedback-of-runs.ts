import type { Deps } from '../../deps.ts'
import { literal, sql, uuid, uuids } from '../../storage/analytics/sql.ts'
import { addUpFeedback, type FeedbackStats } from './add-up-feedback.ts'
import { FEEDBACK_COLUMNS, type FeedbackRow } from './feedback-row.ts'
import { presentFeedback } from './present.ts'

/** What was thought of one run. */
export interface RunFeedback {
  readonly stats: FeedbackStats
  /** JSON text of each record, oldest first. */
  readonly records: readonly string[]
}

interface RatedRun {
  readonly id: string
  readonly session_id: string
  readonly trace_id: string
  /** In the column store's form. */
  readonly start_time: string
}

/**
 * The records on each of some runs with their figures, by run id; runs without feedback are absent.
 *
 * @param comparativeExperimentId  feedback of this comparison counts too; that of others is left out
 */
export async function feedbackOfRuns(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  runs: readonly RatedRun[],
  comparativeExperimentId?: string | null | undefined,
): Promise<Map<string, RunFeedback>> {
  if (runs.length === 0) return new Map()
  const orOfComparison = comparativeExperimentId
    ? sql`or comparative_experiment_id = ${uuid(comparativeExperimentId)}`
    : literal('')
  const rows = await analytics.query<FeedbackRow>(sql`
    select ${literal(FEEDBACK_COLUMNS.join(', '))}
    from run_feedback final
    where tenant_id = ${uuid(tenantId)} and run_id in ${uuids(runs.map((run) => run.id))}
      and (comparative_experiment_id is null ${orOfComparison})
    order by created_at, id`)
  const stats = addUpFeedback(rows.map((row) => ({ ...row, owner: row.run_id })))
  const runOf = new Map(runs.map((run) => [run.id, run]))
  const records = new Map<string, string[]>()
  for (const row of rows) {
    // What was given before its run arrived does not know where that is.
    const { session_id, trace_id, start_time } = runOf.get(row.run_id)!
    const text = presentFeedback({ ...row, session_id, trace_id, start_time })
    const others = records.get(row.run_id)
    if (others === undefined) records.set(row.run_id, [text])
    else others.push(text)
  }
  return new Map(Array.from(records, ([id, texts]) => [id, { stats: stats.get(id) ?? {}, records: texts }]))
}
