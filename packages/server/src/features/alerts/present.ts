import {
  type Alert,
  AlertDefinition,
  type AlertEpisode,
  AlertGroup,
  AlertPoint,
  type AlertVersion,
} from '@touchstone/contract'
import { z } from 'zod'
import type { AlertEpisodeRow, AlertRow, alertVersions } from '../../storage/relational/tables/alerts.ts'

/** The definition of the newest version, without deleted projects. */
export function readDefinition(row: Pick<AlertRow, 'definition' | 'project_ids'>): AlertDefinition {
  return { ...parseDefinition(row.definition), project_ids: row.project_ids }
}

export const parseDefinition = (text: string): AlertDefinition => AlertDefinition.parse(JSON.parse(text))

/** @param acknowledgedBy  of the episode that lasts */
export function presentAlert(row: AlertRow, acknowledgedBy: string | null): Alert {
  return {
    id: row.id,
    tenant_id: row.tenant_id,
    name: row.name,
    description: row.description,
    is_enabled: row.is_enabled,
    mute_until: row.mute_until,
    version: row.version,
    definition: readDefinition(row),
    has_actions: row.platform !== null,
    state: row.state,
    state_since: row.state_since,
    broken_reason: row.broken_reason,
    notice: row.notice,
    episode: row.episode,
    acknowledged_by: row.episode === null ? null : acknowledgedBy,
    last: row.last_point === null ? null : AlertPoint.parse(JSON.parse(row.last_point)),
    evaluated_at: row.evaluated_at,
    created_at: row.created_at,
    modified_at: row.modified_at,
    created_by: row.created_by,
  }
}

export const SentNotices = z.array(
  z.object({
    at: z.string(),
    state: z.enum(['warning', 'critical', 'no_data', 'ok']),
    is_repeated: z.boolean(),
    delivery_ids: z.array(z.string()),
  }),
)

export function presentEpisode(row: AlertEpisodeRow, alertName: string): AlertEpisode {
  return {
    alert_id: row.alert_id,
    alert_name: alertName,
    alert_version: row.alert_version,
    number: row.number,
    state: row.state,
    started_at: row.started_at,
    ended_at: row.ended_at,
    peak: row.peak,
    peak_at: row.peak_at,
    peak_group: row.peak_group,
    notices: SentNotices.parse(JSON.parse(row.notices)),
    acknowledged_by: row.acknowledged_by,
    acknowledged_at: row.acknowledged_at,
  }
}

export const readGroups = (text: string) => z.array(AlertGroup).parse(JSON.parse(text))

export function presentVersion({ tenant_id: _, definition, ...row }: typeof alertVersions.$inferSelect): AlertVersion {
  return { ...row, definition: parseDefinition(definition) }
}
