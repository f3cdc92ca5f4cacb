import { and, eq, sql } from 'drizzle-orm'
import { arrayLiteral } from '../../storage/relational/columns.ts'
import type { Database } from '../../storage/relational/port.ts'
import { alertEpisodes, alerts } from '../../storage/relational/tables/alerts.ts'
import { removeChannels } from '../notifications/index.ts'

/**
 * Removes deleted projects from alerts. An alert without another project ends; of the others the names of groups go, which
 * may come from runs of these projects.
 *
 * @returns the ids of all alerts that watched one of them, whose evaluations have to be deleted
 */
export async function removeProjectsFromAlerts(
  tx: Database,
  tenantId: string,
  ids: readonly string[],
): Promise<string[]> {
  const projects = sql`${arrayLiteral(ids)}::uuid[]`
  const touched = await tx
    .select({ id: alerts.id })
    .from(alerts)
    .where(and(eq(alerts.tenant_id, tenantId), sql`${alerts.project_ids} && ${projects}`))
  for (const { id } of touched) {
    await tx
      .update(alerts)
      .set({
        project_ids: sql`array(select unnest(${alerts.project_ids}) except select unnest(${projects}))`,
        last_point: null,
      })
      .where(eq(alerts.id, id))
    await tx.update(alertEpisodes).set({ peak_group: null, peak_groups: '[]' }).where(eq(alertEpisodes.alert_id, id))
  }
  const ended = await tx
    .delete(alerts)
    .where(and(eq(alerts.tenant_id, tenantId), sql`cardinality(${alerts.project_ids}) = 0`))
    .returning({ channelIds: alerts.action_channel_ids })
  const channelIds = ended.flatMap((alert) => alert.channelIds)
  if (channelIds.length > 0) await removeChannels(tx, tenantId, channelIds)
  return touched.map(({ id }) => id)
}
