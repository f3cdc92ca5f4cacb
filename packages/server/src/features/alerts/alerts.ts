import {
  type Alert,
  type AlertCreate,
  type AlertDefinition,
  type AlertState,
  type AlertUpdate,
  type AlertVersion,
  ApiError,
  FIRING_STATES,
  FilterError,
  MAX_ALERT_VERSIONS,
  MAX_ALERTS,
  timeOfEpochMs,
} from '@touchstone/contract'
import { and, asc, count, desc, eq, inArray, ne, or, sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/serve.ts'
import { containsText } from '../../storage/relational/like.ts'
import type { Database } from '../../storage/relational/port.ts'
import { type AlertRow, alertEpisodes, alerts, alertVersions } from '../../storage/relational/tables/alerts.ts'
import { assertChannels, type NoticeDeps } from '../notifications/index.ts'
import { selectProjectIds } from '../projects/index.ts'
import { whereRuns } from '../runs/index.ts'
import { commitProgress } from './commit.ts'
import { toMeasure } from './points.ts'
import { presentAlert, presentVersion, readDefinition } from './present.ts'
import { begin, end, type Progress } from './state/machine.ts'

export type AlertDeps = Pick<Deps, 'relational' | 'analytics' | 'clock' | 'ids' | 'config'> &
  NoticeDeps & {
    /** Holds back the deletion of a workspace until a transaction ends. @throws ApiError NOT_FOUND */
    lockWorkspace(tx: Database, tenantId: string): Promise<void>
  }

interface AlertSearch {
  readonly project_id?: string | undefined
  readonly search?: string | undefined
  readonly state?: AlertState | undefined
  readonly is_firing?: boolean | undefined
  readonly offset: number
  readonly limit: number
}

const isFiring = inArray(alerts.state, [...FIRING_STATES])

/** A page of alerts, those that fire first, and how many there are. */
export async function listAlerts(
  { relational: { db } }: Pick<Deps, 'relational'>,
  tenantId: string,
  { project_id, search, state, is_firing, offset, limit }: AlertSearch,
): Promise<{ alerts: Alert[]; total: number; firing: number }> {
  const ofTenant = eq(alerts.tenant_id, tenantId)
  const where = and(
    ofTenant,
    project_id === undefined ? undefined : sql`${project_id}::uuid = any(${alerts.project_ids})`,
    search ? or(containsText(alerts.name, search), containsText(alerts.description, search)) : undefined,
    state === undefined ? undefined : eq(alerts.state, state),
    is_firing === undefined ? undefined : is_firing ? isFiring : sql`not ${isFiring}`,
  )
  const [total, firing, rows] = await Promise.all([
    db.$count(alerts, where),
    db.$count(alerts, and(ofTenant, isFiring)),
    db
      .select({ alert: alerts, by: alertEpisodes.acknowledged_by })
      .from(alerts)
      .leftJoin(alertEpisodes, ofLastEpisode)
      .where(where)
      .orderBy(sql`${isFiring} desc`, asc(sql`lower(${alerts.name})`), asc(alerts.id))
      .offset(offset)
      .limit(limit),
  ])
  return { alerts: rows.map(({ alert, by }) => presentAlert(alert, by)), total, firing }
}

const ofLastEpisode = and(eq(alertEpisodes.alert_id, alerts.id), eq(alertEpisodes.number, alerts.episode))

const matches = (tenantId: string, id: string) => and(eq(alerts.tenant_id, tenantId), eq(alerts.id, id))

/** @throws ApiError NOT_FOUND */
export async function getAlertRow(db: Database, tenantId: string, id: string): Promise<AlertRow> {
  const [row] = await db.select().from(alerts).where(matches(tenantId, id))
  if (row === undefined) throw new ApiError('NOT_FOUND', 'Alert not found')
  return row
}

/** @throws ApiError NOT_FOUND */
export async function readAlert(db: Database, tenantId: string, id: string): Promise<Alert> {
  const [row] = await db
    .select({ alert: alerts, by: alertEpisodes.acknowledged_by })
    .from(alerts)
    .leftJoin(alertEpisodes, ofLastEpisode)
    .where(matches(tenantId, id))
  if (row === undefined) throw new ApiError('NOT_FOUND', 'Alert not found')
  return presentAlert(row.alert, row.by)
}

/** What only LangSmith's routes write. */
export type PlatformPart = Pick<AlertRow, 'platform' | 'action_channel_ids'>

/**
 * Creates an alert. It is evaluated from now on.
 *
 * @param prepare  writes what belongs to the alert in the same transaction
 * @throws ApiError CONFLICT for a name that is taken, RATE_LIMITED at the most alerts, INVALID_REQUEST
 */
export async function createAlert(
  deps: AlertDeps,
  caller: Caller,
  { name, description, is_enabled, mute_until, definition }: AlertCreate,
  prepare?: (tx: Database, id: string) => Promise<PlatformPart>,
): Promise<AlertRow> {
  const { tenantId } = caller
  await assertDefinition(deps, tenantId, definition)
  const nowMs = deps.clock()
  const now = timeOfEpochMs(nowMs)
  const id = deps.ids()
  const isEnabled = is_enabled ?? true
  return deps.relational.transaction(async (tx) => {
    await deps.lockWorkspace(tx, tenantId)
    await lockAlerts(tx, tenantId)
    await assertNameFree(tx, { tenant_id: tenantId, id, name })
    if ((await tx.$count(alerts, eq(alerts.tenant_id, tenantId))) >= MAX_ALERTS) {
      throw new ApiError('RATE_LIMITED', `A workspace has at most ${MAX_ALERTS} alerts. Delete one first.`)
    }
    const row: AlertRow = {
      id,
      tenant_id: tenantId,
      name,
      description: description ?? '',
      is_enabled: isEnabled,
      mute_until: mute_until ?? null,
      version: 1,
      ...toStored(definition),
      ...((await prepare?.(tx, id)) ?? { platform: null, action_channel_ids: [] }),
      watched_since: now,
      state: isEnabled ? 'ok' : 'paused',
      state_since: now,
      progress: JSON.stringify(begin(nowMs)),
      broken_reason: null,
      notice: null,
      episode: null,
      last_point: null,
      evaluated_to: Math.floor(nowMs / 1000),
      evaluated_at: null,
      due_at: now,
      evaluator: null,
      evaluator_until: null,
      created_at: now,
      modified_at: now,
      created_by: caller.actorName ?? null,
    }
    await tx.insert(alerts).values(row)
    await insertVersion(tx, row, caller, now)
    return row
  })
}

/** Changes an alert. @throws ApiError NOT_FOUND, CONFLICT, INVALID_REQUEST */
export async function updateAlert(
  deps: AlertDeps,
  caller: Caller,
  id: string,
  { name, description, is_enabled, mute_until, definition, expected_version }: AlertUpdate,
  prepare?: (tx: Database, before: AlertRow) => Promise<PlatformPart>,
): Promise<void> {
  const { tenantId } = caller
  if (definition != null) await assertDefinition(deps, tenantId, definition)
  const nowMs = deps.clock()
  const now = timeOfEpochMs(nowMs)
  await deps.relational.transaction(async (tx) => {
    await lockAlerts(tx, tenantId)
    const [before] = await tx.select().from(alerts).where(matches(tenantId, id)).for('update')
    if (before === undefined) throw new ApiError('NOT_FOUND', 'Alert not found')
    if (expected_version != null && expected_version !== before.version) {
      throw new ApiError('CONFLICT', `The alert has version ${before.version} by now. Read it again.`)
    }
    if (definition != null && prepare === undefined) assertSameMeasure(before, definition)
    const stored = definition == null ? undefined : toStored(definition)
    const isNew = stored !== undefined && stored.definition !== before.definition
    if (isNew && before.version >= MAX_ALERT_VERSIONS) {
      throw new ApiError(
        'INVALID_REQUEST',
        `An alert has at most ${MAX_ALERT_VERSIONS} versions. Create another alert.`,
      )
    }
    const isResumed = is_enabled === true && !before.is_enabled
    const isPaused = is_enabled === false && before.is_enabled
    const after: AlertRow = {
      ...before,
      name: name ?? before.name,
      description: description ?? before.description,
      is_enabled: is_enabled ?? before.is_enabled,
      mute_until: mute_until === undefined ? before.mute_until : mute_until,
      ...(isNew && { ...stored, version: before.version + 1, notice: null }),
      ...(await prepare?.(tx, before)),
      // Windows of the new definition, or of the time of the pause, are not made up for.
      ...((isNew || isResumed) && { watched_since: now, evaluated_to: Math.floor(nowMs / 1000), due_at: now }),
      // Its open episode ended with the pause.
      ...(isResumed && {
        state: 'ok',
        state_since: now,
        progress: JSON.stringify(begin(nowMs, (JSON.parse(before.progress) as Progress).episodes)),
      }),
      evaluator: null,
      evaluator_until: null,
      modified_at: now,
    }
    await assertNameFree(tx, after)
    await tx.update(alerts).set(after).where(matches(tenantId, id))
    if (isNew) await insertVersion(tx, after, caller, now)
    if (isPaused) await pause(deps, tx, after, nowMs)
  })
  deps.noticeDeliveries.begin()
}

/** LangSmith's routes show what they wrote, so that what it measures changes by them alone. */
function assertSameMeasure(before: AlertRow, definition: AlertDefinition): void {
  if (before.platform === null) return
  const old = readDefinition(before)
  const field = (
    ['project_ids', 'metric', 'statistic', 'scope', 'kind', 'feedback_key', 'filter', 'operator'] as const
  ).find((name) => JSON.stringify(old[name] ?? null) !== JSON.stringify(definition[name] ?? null))
  if (field === undefined && old.critical === definition.critical && old.window_minutes === definition.window_minutes)
    return
  const changed = field ?? (old.critical === definition.critical ? 'window_minutes' : 'critical')
  throw new ApiError(
    'INVALID_REQUEST',
    `definition.${changed}: the alert was written by /v1/platform/alerts. Change it there, or create another alert.`,
  )
}

/** Ends the episode of an alert that is paused, and tells it. */
async function pause(deps: AlertDeps, tx: Database, row: AlertRow, nowMs: number): Promise<void> {
  const { progress, notified, ended } = end(JSON.parse(row.progress) as Progress, nowMs)
  await commitProgress(deps, tx, row, {
    progress,
    notified: notified === null ? [] : [notified],
    ended: ended === null ? [] : [{ episode: ended, at: nowMs }],
    peaks: new Map(),
  })
  await tx
    .update(alerts)
    .set({
      state: 'paused',
      state_since: timeOfEpochMs(nowMs),
      progress: JSON.stringify(progress),
      broken_reason: null,
      notice: null,
      episode: null,
    })
    .where(matches(row.tenant_id, row.id))
}

/** Deletes an alert; its open incident is notified as ended. @throws ApiError NOT_FOUND */
export async function deleteAlertRow(deps: AlertDeps, tenantId: string, id: string): Promise<AlertRow> {
  const row = await deps.relational.transaction(async (tx) => {
    const [before] = await tx.select().from(alerts).where(matches(tenantId, id)).for('update')
    if (before === undefined) throw new ApiError('NOT_FOUND', 'Alert not found')
    if (before.episode !== null) await pause(deps, tx, before, deps.clock())
    await tx.delete(alerts).where(matches(tenantId, id))
    return before
  })
  deps.noticeDeliveries.begin()
  return row
}

/** Versions of an alert, newest first. @throws ApiError NOT_FOUND */
export async function listAlertVersions(
  { relational: { db } }: Pick<Deps, 'relational'>,
  tenantId: string,
  id: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<{ versions: AlertVersion[]; total: number }> {
  const alert = await getAlertRow(db, tenantId, id)
  const rows = await db
    .select()
    .from(alertVersions)
    .where(eq(alertVersions.alert_id, id))
    .orderBy(desc(alertVersions.version))
    .offset(offset)
    .limit(limit)
  return { versions: rows.map(presentVersion), total: alert.version }
}

const toStored = (definition: AlertDefinition) => ({
  definition: JSON.stringify(definition),
  project_ids: [...new Set(definition.project_ids)],
})

async function insertVersion(tx: Database, row: AlertRow, caller: Caller, now: string): Promise<void> {
  await tx.insert(alertVersions).values({
    alert_id: row.id,
    version: row.version,
    tenant_id: row.tenant_id,
    definition: row.definition,
    created_at: now,
    created_by: caller.actorName ?? null,
  })
}

/** One change of a workspace's alerts at a time, so that names stay unique and versions follow each other. */
async function lockAlerts(tx: Database, tenantId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`alerts ${tenantId}`}, 0))`)
}

async function assertNameFree(
  tx: Database,
  { tenant_id, id, name }: Pick<AlertRow, 'tenant_id' | 'id' | 'name'>,
): Promise<void> {
  const [taken] = await tx
    .select({ n: count() })
    .from(alerts)
    .where(and(eq(alerts.tenant_id, tenant_id), eq(alerts.name, name), ne(alerts.id, id)))
  if ((taken?.n ?? 0) > 0) throw new ApiError('CONFLICT', `There is already an alert named "${name}".`)
}

/**
 * One check for create, update and preview: filters are readable, and everything that is named exists.
 *
 * @throws ApiError INVALID_REQUEST
 */
export async function assertDefinition(
  { relational: { db } }: Pick<Deps, 'relational'>,
  tenantId: string,
  definition: AlertDefinition,
): Promise<void> {
  const refuse = (path: readonly (string | number)[], msg: string) => {
    const problems = [{ loc: ['body', 'definition', ...path], msg, type: 'value_error' }]
    return new ApiError('INVALID_REQUEST', `${path.join('.')}: ${msg}`, { problems })
  }
  const { runs, part } = toMeasure(definition)
  try {
    whereRuns(tenantId, runs)
    if (part !== undefined) whereRuns(tenantId, part)
  } catch (error) {
    if (error instanceof FilterError) throw refuse(['filter'], error.message)
    throw error
  }
  const known = await selectProjectIds(db, tenantId, { ids: definition.project_ids })
  const missing = definition.project_ids.findIndex((id) => !known.includes(id))
  if (missing >= 0) throw refuse(['project_ids', missing], 'Project not found')
  const channel = await assertChannels(db, tenantId, definition.channel_ids)
  if (channel !== undefined) {
    throw refuse(['channel_ids', definition.channel_ids.indexOf(channel)], 'Notification channel not found')
  }
}

/** The channels of an alert with those of its LangSmith actions. */
export const toChannels = (row: Pick<AlertRow, 'definition' | 'project_ids' | 'action_channel_ids'>): string[] => [
  ...readDefinition(row).channel_ids,
  ...row.action_channel_ids,
]
