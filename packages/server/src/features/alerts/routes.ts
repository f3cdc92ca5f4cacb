import { type AlertDefinition, contract, timeOfEpochMs } from '@touchstone/contract'
import { type App, serve } from '../../http/serve.ts'
import type { AlertRow } from '../../storage/relational/tables/alerts.ts'
import { sendNotice } from '../notifications/index.ts'
import {
  type AlertDeps,
  assertDefinition,
  createAlert,
  getAlertRow,
  listAlerts,
  listAlertVersions,
  readAlert,
  toChannels,
  updateAlert,
} from './alerts.ts'
import { readContext } from './commit.ts'
import { acknowledge, listEpisodes, readEpisode } from './episodes.ts'
import { toTestNotice } from './notices.ts'
import { deleteAlertWithActions, type PlatformDeps } from './platform.ts'
import { deletePointsOf, readPoints } from './point-store.ts'
import { presentAlert, readDefinition } from './present.ts'
import { previewAlert } from './preview.ts'
import { isUpward } from './state/policy.ts'

const DAY_MS = 86_400_000

export function alertRoutes(app: App, deps: PlatformDeps): void {
  const { alerts } = contract
  const { db } = deps.relational

  serve(app, alerts.list, ({ caller, query }) => listAlerts(deps, caller.tenantId, query))
  serve(app, alerts.create, async ({ caller, body }) => presentAlert(await createAlert(deps, caller, body), null))
  serve(app, alerts.preview, async ({ caller: { tenantId }, body }) => {
    await assertDefinition(deps, tenantId, body.definition)
    return previewAlert(deps, tenantId, body)
  })
  serve(app, alerts.listEpisodes, ({ caller, query }) => listEpisodes(deps, caller.tenantId, query))
  serve(app, alerts.read, ({ caller, params }) => readAlert(db, caller.tenantId, params.alert_id))
  serve(app, alerts.update, async ({ caller, params, body }) => {
    await updateAlert(deps, caller, params.alert_id, body)
    return readAlert(db, caller.tenantId, params.alert_id)
  })
  serve(app, alerts.delete, async ({ caller: { tenantId }, params }) => {
    await deleteAlertWithActions(deps, tenantId, params.alert_id)
    await deletePointsOf(deps, tenantId, [params.alert_id])
  })
  serve(app, alerts.test, async ({ caller: { tenantId }, params }) => ({
    delivery_ids: await sendTest(deps, await getAlertRow(db, tenantId, params.alert_id)),
  }))
  serve(app, alerts.listVersions, ({ caller, params, query }) =>
    listAlertVersions(deps, caller.tenantId, params.alert_id, query),
  )
  serve(app, alerts.points, async ({ caller, params, query }) => {
    const row = await getAlertRow(db, caller.tenantId, params.alert_id)
    const to = query.to ?? timeOfEpochMs(deps.clock())
    const from = query.from ?? timeOfEpochMs(Date.parse(to) - DAY_MS)
    const definition: AlertDefinition = readDefinition(row)
    const range = { from, to, maxPoints: query.max_points, isUpward: isUpward(definition) }
    return { points: await readPoints(deps, row, range) }
  })
  serve(app, alerts.readEpisode, ({ caller, params }) => readEpisode(deps, caller.tenantId, params))
  serve(app, alerts.acknowledge, ({ caller, params }) => acknowledge(deps, caller, params))
}

/** Sends a test notice to all recipients of an alert. @returns ids of the deliveries */
export async function sendTest(deps: AlertDeps, row: AlertRow): Promise<string[]> {
  const context = await readContext(deps, deps.relational.db, row)
  const point = row.last_point === null ? null : JSON.parse(row.last_point)
  const notice = toTestNotice(row, { ...context, point, groups: [] }, deps.ids(), deps.clock())
  const ids = await deps.relational.transaction((tx) => sendNotice(deps, tx, row.tenant_id, toChannels(row), notice))
  deps.noticeDeliveries.begin()
  return ids
}
