import { ApiError } from '@touchstone/contract'
import type { Deps } from '../deps.ts'
import { deletePointsOf, removeProjectsFromAlerts } from '../features/alerts/index.ts'
import { removeItemsOfProjects } from '../features/annotation-queues/index.ts'
import { deleteBudgetsOfProjects } from '../features/budgets/index.ts'
import { countFeedback, deleteFeedbackWhere } from '../features/feedback/index.ts'
import {
  DEFAULT_PROJECT,
  deleteProjectRows,
  forgetProjects,
  insertProject,
  newProject,
  selectProjectIds,
  selectProjectNames,
} from '../features/projects/index.ts'
import { deleteClaimsOfProjects, deleteDecisionsWhere } from '../features/rules/index.ts'
import { deleteReceiptsOfProjects } from '../ingest/index.ts'
import { literal, sql, uuid, uuids } from '../storage/analytics/sql.ts'
import { type DeletionRecord, noteAttachments, recordDeletion } from '../storage/record-deletion.ts'
import { revokePublicLinks } from '../storage/relational/public-links.ts'
import { COUNT_ROW } from '../storage/rows.ts'
import { deleteAliases, matchesAttachments } from './delete-runs.ts'

type RemoveDeps = Pick<Deps, 'relational' | 'analytics' | 'clock' | 'ids' | 'caches'> & {
  /** Writes receipts that still wait in memory, so that they can be deleted; absent where no server runs. */
  readonly flushReceipts?: () => Promise<void>
}

/**
 * Deletes projects with their runs, attachments, feedback, share tokens and queue items. A deleted `default` project is
 * created again, empty: clients learn their workspace from the first project in the list.
 *
 * @param requestedBy  name of the person or key, for the deletion record
 * @throws ApiError NOT_FOUND when none of the ids exists
 */
export async function deleteProjects(
  deps: RemoveDeps,
  tenantId: string,
  ids: readonly string[],
  requestedBy: string | undefined,
): Promise<void> {
  const { db } = deps.relational
  const known = await selectProjectIds(db, tenantId, { ids })
  if (known.length === 0) throw new ApiError('NOT_FOUND', 'Session not found')
  const names = await selectProjectNames(db, tenantId, known)
  const subject = `${names.length === 1 ? 'Project' : 'Projects'} ${names.map((name) => `"${name}"`).join(', ')}`
  await recordDeletion(deps, { tenantId, kind: 'project', subject, requestedBy }, async (record) => {
    await record.begin()
    await removeKnown(deps, tenantId, known, record)
    await deps.flushReceipts?.()
    await deleteReceiptsOfProjects(deps, tenantId, [...known, ...names])
  })
  forgetProjects(deps)
}

async function removeKnown(deps: RemoveDeps, tenantId: string, known: readonly string[], record: DeletionRecord) {
  // Runs first: after a crash in between, the project still exists and can be deleted again.
  await deleteRunsOfProjects(deps, tenantId, known, record)
  let alertIds: readonly string[] = []
  const removed = await deps.relational.transaction(async (tx) => {
    const shares = await revokePublicLinks(tx, tenantId, { by: 'project', ids: known })
    const queue_items = await removeItemsOfProjects(tx, tenantId, known)
    await deleteClaimsOfProjects(tx, tenantId, known)
    await deleteBudgetsOfProjects(tx, tenantId, known)
    alertIds = await removeProjectsFromAlerts(tx, tenantId, known)
    await deleteProjectRows(tx, tenantId, known)
    await insertProject(tx, newProject(deps, tenantId, DEFAULT_PROJECT))
    return { shares, queue_items }
  })
  await deletePointsOf(deps, tenantId, alertIds)
  await record.count(removed)
  record.addRemaining((await selectProjectIds(deps.relational.db, tenantId, { ids: known })).length)
}

/** Tables of runs; `runs` last, because an interrupted deletion finds the others through it. */
const TABLES_WITH_RUNS = ['run_keys', 'run_links', 'trace_runs', 'project_roots', 'project_usage', 'runs'] as const

/** Deletes all runs of projects and their data; after this, no read returns any of them. */
async function deleteRunsOfProjects(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  projectIds: readonly string[],
  record: DeletionRecord,
): Promise<void> {
  const tenant = sql`tenant_id = ${uuid(tenantId)}`
  const ofProjects = sql`${tenant} and session_id in ${uuids(projectIds)}`
  const runIds = sql`(select id from runs where ${ofProjects})`
  const ofTheirRuns = sql`run_id in ${runIds}`
  const ofTheirAttachments = sql`${tenant} and ${matchesAttachments(tenantId, runIds)}`
  const ofTheirFeedback = sql`session_id in ${uuids(projectIds)} or ${ofTheirRuns}`
  const countIn = async (table: (typeof TABLES_WITH_RUNS)[number]) => {
    const [row] = await analytics.query(
      sql`select count() as n from ${literal(table)} final where ${ofProjects}`,
      COUNT_ROW,
    )
    return row?.n ?? 0
  }
  const runs = await countIn('runs')
  await record.count({ runs, feedback: await countFeedback({ analytics }, tenantId, ofTheirFeedback) })
  await noteAttachments({ analytics }, tenantId, ofTheirAttachments, record)

  await analytics.command(sql`delete from run_attachments where ${ofTheirAttachments}`)
  await deleteFeedbackWhere({ analytics }, tenantId, ofTheirFeedback)
  await deleteDecisionsWhere({ analytics }, tenantId, sql`session_id in ${uuids(projectIds)}`)
  // Data of runs is verified while the runs still show which project they belong to.
  const [attachments] = await analytics.query(
    sql`select count() as n from run_attachments final where ${ofTheirAttachments}`,
    COUNT_ROW,
  )
  record.addRemaining((attachments?.n ?? 0) + (await countFeedback({ analytics }, tenantId, ofTheirFeedback)))
  await deleteAliases({ analytics }, tenantId, runIds)

  for (const table of TABLES_WITH_RUNS) await analytics.command(sql`delete from ${literal(table)} where ${ofProjects}`)
  for (const table of TABLES_WITH_RUNS) record.addRemaining(await countIn(table))
}
