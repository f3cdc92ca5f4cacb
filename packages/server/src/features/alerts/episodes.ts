import { type AlertEpisode, type AlertGroup, ApiError, timeOfEpochMs } from '@touchstone/contract'
import { and, desc, eq, gte, isNull, lte, or, sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/serve.ts'
import type { Database } from '../../storage/relational/port.ts'
import { type AlertEpisodeRow, alertEpisodes, alerts } from '../../storage/relational/tables/alerts.ts'
import { getAlertRow } from './alerts.ts'
import { toMeasure } from './points.ts'
import { presentEpisode, readDefinition, readGroups } from './present.ts'

interface EpisodeSearch {
  readonly project_id?: string | undefined
  readonly alert_id?: string | undefined
  readonly is_open?: boolean | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly offset: number
  readonly limit: number
}

/** Episodes that touch a period, newest first. */
export async function listEpisodes(
  { relational: { db } }: Pick<Deps, 'relational'>,
  tenantId: string,
  { project_id, alert_id, is_open, from, to, offset, limit }: EpisodeSearch,
): Promise<{ episodes: AlertEpisode[]; total: number }> {
  const { ended_at, started_at } = alertEpisodes
  const where = and(
    eq(alertEpisodes.tenant_id, tenantId),
    alert_id === undefined ? undefined : eq(alertEpisodes.alert_id, alert_id),
    project_id === undefined ? undefined : sql`${project_id}::uuid = any(${alerts.project_ids})`,
    is_open === undefined ? undefined : is_open ? isNull(ended_at) : sql`${ended_at} is not null`,
    from === undefined ? undefined : or(isNull(ended_at), gte(ended_at, from)),
    to === undefined ? undefined : lte(started_at, to),
  )
  const source = () =>
    db
      .select({ episode: alertEpisodes, name: alerts.name })
      .from(alertEpisodes)
      .innerJoin(alerts, eq(alerts.id, alertEpisodes.alert_id))
      .where(where)
  const [counted, rows] = await Promise.all([
    db.select({ n: sql<number>`count(*)::int` }).from(source().as('found')),
    source().orderBy(desc(started_at), desc(alertEpisodes.alert_id)).offset(offset).limit(limit),
  ])
  return { episodes: rows.map(({ episode, name }) => presentEpisode(episode, name)), total: counted[0]?.n ?? 0 }
}

interface EpisodeKey {
  readonly alert_id: string
  readonly number: number
}

const matches = (tenantId: string, { alert_id, number }: EpisodeKey) =>
  and(eq(alertEpisodes.tenant_id, tenantId), eq(alertEpisodes.alert_id, alert_id), eq(alertEpisodes.number, number))

async function getEpisode(db: Database, tenantId: string, key: EpisodeKey): Promise<AlertEpisodeRow> {
  const [row] = await db.select().from(alertEpisodes).where(matches(tenantId, key))
  if (row === undefined) throw new ApiError('NOT_FOUND', 'Episode not found')
  return row
}

/** An episode with its groups and the conditions of its runs. @throws ApiError NOT_FOUND */
export async function readEpisode(
  { relational: { db }, clock }: Pick<Deps, 'relational' | 'clock'>,
  tenantId: string,
  key: EpisodeKey,
) {
  const alert = await getAlertRow(db, tenantId, key.alert_id)
  const episode = await getEpisode(db, tenantId, key)
  const definition = readDefinition(alert)
  const { runs } = toMeasure(definition)
  const start = Date.parse(episode.started_at) - definition.window_minutes * 60_000
  const groups: AlertGroup[] = readGroups(episode.peak_groups)
  return {
    episode: presentEpisode(episode, alert.name),
    groups,
    runs: {
      session: [...definition.project_ids],
      is_root: definition.scope === 'traces' ? true : null,
      filter: runs.filter ?? null,
      trace_filter: runs.trace_filter ?? null,
      tree_filter: runs.tree_filter ?? null,
      start_time: timeOfEpochMs(start),
      end_time: episode.ended_at ?? timeOfEpochMs(clock()),
    },
  }
}

/** Notes who takes care of an episode; the first one stays. @throws ApiError NOT_FOUND */
export async function acknowledge(
  { relational: { db }, clock }: Pick<Deps, 'relational' | 'clock'>,
  { tenantId, actorName }: Caller,
  key: EpisodeKey,
): Promise<AlertEpisode> {
  const alert = await getAlertRow(db, tenantId, key.alert_id)
  await db
    .update(alertEpisodes)
    .set({ acknowledged_by: actorName ?? 'a user', acknowledged_at: timeOfEpochMs(clock()) })
    .where(and(matches(tenantId, key), isNull(alertEpisodes.acknowledged_at)))
  return presentEpisode(await getEpisode(db, tenantId, key), alert.name)
}
