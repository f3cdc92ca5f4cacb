import type { Deps } from '../../deps.ts'
import { countFeedback, deleteFeedbackWhere } from '../../features/feedback/index.ts'
import { literal, sql, uuid, uuids } from '../../storage/analytics/sql.ts'
import { type DeletionRecord, noteAttachments } from '../sweep/index.ts'

/** Tables that hold runs, `runs` last: the others are found through it should we be stopped in between. */
const TABLES = ['run_keys', 'trace_runs', 'project_roots', 'project_usage', 'runs'] as const

/**
 * Deletes all runs of projects, with what hangs on them; readers see none of them once this settles.
 *
 * @param record  is told what is removed, and what a query still finds afterwards
 */
export async function deleteRunsOf(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  projectIds: readonly string[],
  record: DeletionRecord,
): Promise<void> {
  const tenant = sql`tenant_id = ${uuid(tenantId)}`
  const ofProjects = sql`${tenant} and session_id in ${uuids(projectIds)}`
  const itsRuns = sql`run_id in (select id from runs where ${ofProjects})`
  const itsFeedback = sql`session_id in ${uuids(projectIds)} or ${itsRuns}`
  const countIn = async (table: (typeof TABLES)[number]) => {
    const [row] = await analytics.query<{ n: string }>(
      sql`select count() as n from ${literal(table)} final where ${ofProjects}`,
    )
    return Number(row?.n ?? 0)
  }
  const runs = await countIn('runs')
  await record.count({ runs, feedback: await countFeedback({ analytics }, tenantId, itsFeedback) })
  await noteAttachments({ analytics }, tenantId, itsRuns, record)

  await analytics.command(sql`delete from run_attachments where ${tenant} and ${itsRuns}`)
  await deleteFeedbackWhere({ analytics }, tenantId, itsFeedback)
  // What hangs on runs is verified while the runs still say what belongs to them.
  const [attachments] = await analytics.query<{ n: string }>(
    sql`select count() as n from run_attachments final where ${tenant} and ${itsRuns}`,
  )
  record.foundLeft(Number(attachments?.n ?? 0) + (await countFeedback({ analytics }, tenantId, itsFeedback)))

  for (const table of TABLES) await analytics.command(sql`delete from ${literal(table)} where ${ofProjects}`)
  for (const table of TABLES) record.foundLeft(await countIn(table))
}
