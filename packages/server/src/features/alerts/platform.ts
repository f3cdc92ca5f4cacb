import {
  ApiError,
  ChannelConfig,
  type PlatformAlert,
  type PlatformAlertAction,
  type PlatformAlertWrite,
  timeOfEpochMs,
} from '@touchstone/contract'
import { and, asc, eq, isNotNull, sql } from 'drizzle-orm'
import type { Caller } from '../../http/serve.ts'
import { type Database, withTransaction } from '../../storage/relational/port.ts'
import { type AlertRow, alerts } from '../../storage/relational/tables/alerts.ts'
import { type ChannelDeps, createChannel, removeChannel, updateChannelOf } from '../notifications/index.ts'
import { selectProjectNames } from '../projects/index.ts'
import { type AlertDeps, createAlert, deleteAlertRow, type PlatformPart, updateAlert } from './alerts.ts'
import { hideConfig, readPlatform, type StoredPlatform, toDefinition } from './platform-rule.ts'

export type PlatformDeps = AlertDeps & ChannelDeps

/** Alerts of a project that LangSmith's routes wrote, by name. @throws ApiError NOT_FOUND for the project */
export async function listPlatformAlerts(
  deps: AlertDeps,
  tenantId: string,
  projectId: string,
): Promise<PlatformAlert[]> {
  const name = await getProjectName(deps, tenantId, projectId)
  const rows = await deps.relational.db
    .select()
    .from(alerts)
    .where(and(eq(alerts.tenant_id, tenantId), isNotNull(alerts.platform), isOf(projectId)))
    .orderBy(asc(sql`lower(${alerts.name})`), asc(alerts.id))
  return rows.map((row) => present(row, projectId, name))
}

const isOf = (projectId: string) => sql`${projectId}::uuid = any(${alerts.project_ids})`

async function getProjectName({ relational }: AlertDeps, tenantId: string, projectId: string): Promise<string> {
  const [name] = await selectProjectNames(relational.db, tenantId, [projectId])
  if (name === undefined) throw new ApiError('NOT_FOUND', 'Session not found')
  return name
}

/** @throws ApiError NOT_FOUND */
export async function readPlatformAlert(
  deps: AlertDeps,
  tenantId: string,
  projectId: string,
  id: string,
): Promise<PlatformAlert> {
  const name = await getProjectName(deps, tenantId, projectId)
  return present(await getPlatformRow(deps, tenantId, projectId, id), projectId, name)
}

export async function getPlatformRow(
  { relational }: AlertDeps,
  tenantId: string,
  projectId: string,
  id: string,
): Promise<AlertRow> {
  const [row] = await relational.db
    .select()
    .from(alerts)
    .where(and(eq(alerts.tenant_id, tenantId), eq(alerts.id, id), isNotNull(alerts.platform), isOf(projectId)))
  if (row === undefined) throw new ApiError('NOT_FOUND', 'Alert rule not found')
  return row
}

/** The name, the description and the level may have changed by our own routes. */
function present(row: AlertRow, projectId: string, projectName: string): PlatformAlert {
  const { rule, actions } = readPlatform(row.platform ?? '')
  const times = { created_at: row.created_at, updated_at: row.modified_at }
  return {
    rule: {
      ...rule,
      name: row.name,
      description: row.description,
      id: row.id,
      session_id: projectId,
      session_name: projectName,
      ...times,
    },
    actions: actions.map((action) => ({ ...action, alert_rule_id: row.id })),
  }
}

/** @throws ApiError INVALID_REQUEST, NOT_FOUND, CONFLICT, RATE_LIMITED */
export async function createPlatformAlert(
  deps: PlatformDeps,
  caller: Caller,
  projectId: string,
  { rule, actions }: PlatformAlertWrite,
): Promise<PlatformAlert> {
  const name = await getProjectName(deps, caller.tenantId, projectId)
  const definition = toDefinition(rule, projectId)
  const body = { name: rule.name, description: rule.description, definition }
  const row = await createAlert(deps, caller, body, (tx, id) =>
    saveActions(deps, caller, tx, { id, rule, actions, before: undefined }),
  )
  return present(row, projectId, name)
}

/** Replaces the rule and all of its actions. @throws ApiError NOT_FOUND, INVALID_REQUEST, CONFLICT */
export async function updatePlatformAlert(
  deps: PlatformDeps,
  caller: Caller,
  { projectId, id }: { readonly projectId: string; readonly id: string },
  { rule, actions }: PlatformAlertWrite,
): Promise<void> {
  await getPlatformRow(deps, caller.tenantId, projectId, id)
  const definition = toDefinition(rule, projectId)
  const body = { name: rule.name, description: rule.description, definition }
  await updateAlert(deps, caller, id, body, (tx, before) =>
    saveActions(deps, caller, tx, { id, rule, actions, before }),
  )
}

/** Deletes an alert with the channels of its actions. @throws ApiError NOT_FOUND */
export async function deleteAlertWithActions(deps: PlatformDeps, tenantId: string, id: string): Promise<void> {
  const { action_channel_ids } = await deleteAlertRow(deps, tenantId, id)
  for (const channelId of action_channel_ids) await removeChannel(deps, tenantId, channelId).catch(ignoreMissing)
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error
}

interface Saved {
  readonly id: string
  readonly rule: PlatformAlertWrite['rule']
  readonly actions: readonly PlatformAlertAction[]
  readonly before: AlertRow | undefined
}

/** Writes a channel for each action; an action that is sent again with its id keeps the secrets that it hides. */
async function saveActions(
  deps: PlatformDeps,
  caller: Caller,
  tx: Database,
  { id, rule, actions, before }: Saved,
): Promise<PlatformPart> {
  const inside = { ...deps, relational: withTransaction(deps.relational, tx) }
  const now = timeOfEpochMs(deps.clock())
  const known = before?.platform == null ? [] : readPlatform(before.platform).actions
  const stored: StoredPlatform['actions'] = []
  const channelIds: string[] = []
  for (const [at, action] of actions.entries()) {
    const index = known.findIndex((one) => one.id === action.id && one.target === action.target)
    const channelId = before?.action_channel_ids[index]
    const old = known[index]
    if (old !== undefined && channelId !== undefined) {
      await updateChannelOf(inside, caller, channelId, { config: toChange(action, at) })
      channelIds.push(channelId)
    } else {
      const name = `Alert ${id.slice(-12)} ${action.target} ${deps.ids().slice(-6)}`
      channelIds.push((await createChannel(inside, caller, { name, config: toConfig(action, at) })).id)
    }
    const { alert_rule_id: _, ...rest } = action
    stored.push({
      ...rest,
      id: old?.id ?? deps.ids(),
      config: hideConfig(action),
      created_at: old?.created_at ?? now,
      updated_at: now,
    })
  }
  for (const gone of before?.action_channel_ids ?? []) {
    if (!channelIds.includes(gone)) await removeChannel(inside, caller.tenantId, gone).catch(ignoreMissing)
  }
  return { platform: JSON.stringify({ rule: { ...rule, id }, actions: stored }), action_channel_ids: channelIds }
}

/** @throws ApiError INVALID_REQUEST */
export function toConfig(action: PlatformAlertAction, at: number): ChannelConfig {
  const parsed = ChannelConfig.safeParse(toGiven(action, at))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new ApiError('INVALID_REQUEST', `actions.${at}.config.${issue?.path.join('.')}: ${issue?.message}`)
}

function toGiven({ target, config }: PlatformAlertAction, at: number): Record<string, unknown> {
  switch (target) {
    case 'webhook':
      return { kind: 'webhook', url: config.url, headers: config.headers, body: toText(config.body) }
    case 'pagerduty':
      return { kind: 'pagerduty', routing_key: config.routing_key }
    case 'dynatrace':
      throw new ApiError(
        'INVALID_REQUEST',
        `actions.${at}.target: dynatrace is not supported. Use a webhook to its Events API with the header Authorization.`,
      )
  }
}

/** LangSmith's body is the text of an object; scripts send the object, too. */
const toText = (body: unknown) => (typeof body === 'object' && body !== null ? JSON.stringify(body) : body || undefined)

/** Without the secrets that are hidden, which stay. Those of headers are filled in by the channel. */
function toChange(action: PlatformAlertAction, at: number) {
  if (action.target !== 'pagerduty' || !isHidden(action.config.routing_key)) return toConfig(action, at)
  return { kind: 'pagerduty' as const }
}

const isHidden = (value: unknown) => value === undefined || (typeof value === 'string' && /^\*+$/.test(value))
