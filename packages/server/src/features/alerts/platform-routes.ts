import { ApiError, contract, type PlatformAlertWrite } from '@touchstone/contract'
import { type App, serve } from '../../http/serve.ts'
import type { AlertRow } from '../../storage/relational/tables/alerts.ts'
import { tryChannel } from '../notifications/index.ts'
import { readContext } from './commit.ts'
import { toTestNotice } from './notices.ts'
import {
  createPlatformAlert,
  deleteAlertWithActions,
  getPlatformRow,
  listPlatformAlerts,
  type PlatformDeps,
  readPlatformAlert,
  toConfig,
  updatePlatformAlert,
} from './platform.ts'
import { toDefinition } from './platform-rule.ts'
import { deletePointsOf } from './point-store.ts'
import { sendTest } from './routes.ts'
import { begin } from './state/machine.ts'

type RouteDeps = PlatformDeps & Parameters<typeof tryChannel>[0]

/** LangSmith's routes of alerts. */
export function platformAlertRoutes(app: App, deps: RouteDeps): void {
  const { platformAlerts } = contract

  serve(app, platformAlerts.list, ({ caller, params }) => listPlatformAlerts(deps, caller.tenantId, params.session_id))
  serve(app, platformAlerts.create, ({ caller, params, body }) =>
    createPlatformAlert(deps, caller, params.session_id, body),
  )
  serve(app, platformAlerts.test, async ({ caller, params, body }) => ({
    message: await sendTests(deps, caller.tenantId, params.session_id, body),
  }))
  serve(app, platformAlerts.read, ({ caller, params }) =>
    readPlatformAlert(deps, caller.tenantId, params.session_id, params.alert_rule_id),
  )
  serve(app, platformAlerts.update, async ({ caller, params, body }) => {
    await updatePlatformAlert(deps, caller, { projectId: params.session_id, id: params.alert_rule_id }, body)
    return { message: 'Alert rule updated' }
  })
  serve(app, platformAlerts.delete, async ({ caller: { tenantId }, params }) => {
    const { id } = await getPlatformRow(deps, tenantId, params.session_id, params.alert_rule_id)
    await deleteAlertWithActions(deps, tenantId, id)
    await deletePointsOf(deps, tenantId, [id])
    return { message: 'Alert rule deleted' }
  })
}

/**
 * Tests the actions of an alert that need not be saved. Those of a saved one, whose secrets are hidden, are tested as stored.
 *
 * @throws ApiError INVALID_REQUEST when a receiver refuses
 */
async function sendTests(
  deps: RouteDeps,
  tenantId: string,
  projectId: string,
  { rule, actions }: PlatformAlertWrite,
): Promise<string> {
  if (rule.id != null) {
    const ids = await sendTest(deps, await getPlatformRow(deps, tenantId, projectId, rule.id))
    return `Test notices are sent to ${ids.length} recipients`
  }
  const row = toUnsaved(deps, tenantId, projectId, rule)
  const context = await readContext(deps, deps.relational.db, row)
  const notice = toTestNotice(row, { ...context, point: null, groups: [] }, row.id, deps.clock())
  for (const [at, action] of actions.entries()) {
    const problem = await tryChannel(deps, tenantId, toConfig(action, at), notice)
    if (problem !== undefined) throw new ApiError('INVALID_REQUEST', `actions.${at}: ${problem}`)
  }
  return `Test notices were sent to ${actions.length} recipients`
}

function toUnsaved(deps: RouteDeps, tenantId: string, projectId: string, rule: PlatformAlertWrite['rule']): AlertRow {
  const definition = toDefinition(rule, projectId)
  const nowMs = deps.clock()
  const now = new Date(nowMs).toISOString()
  return {
    id: deps.ids(),
    tenant_id: tenantId,
    name: rule.name,
    description: rule.description,
    is_enabled: true,
    mute_until: null,
    version: 1,
    definition: JSON.stringify(definition),
    project_ids: [...definition.project_ids],
    platform: JSON.stringify({ rule, actions: [] }),
    action_channel_ids: [],
    watched_since: now,
    state: 'ok',
    state_since: now,
    progress: JSON.stringify(begin(nowMs)),
    broken_reason: null,
    notice: null,
    episode: null,
    last_point: null,
    evaluated_to: 0,
    evaluated_at: null,
    due_at: now,
    evaluator: null,
    evaluator_until: null,
    created_at: now,
    modified_at: now,
    created_by: null,
  }
}
