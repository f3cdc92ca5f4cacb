import { contract, timeOfEpochMs } from '@touchstone/contract'
import { type App, serve } from '../../http/serve.ts'
import type { Job, Jobs } from '../../jobs/open-jobs.ts'
import {
  type ChannelDeps,
  createChannel,
  getChannel,
  listChannels,
  presentChannel,
  removeChannel,
  updateChannelOf,
} from './channels.ts'
import type { DeliveryDeps } from './deliver.ts'
import { presentDelivery, redeliver, sendTest } from './deliveries.ts'
import type { DeliveryTry } from './send-notice.ts'
import { deleteDeliveriesBefore, selectDeliveries, selectOverdue } from './store.ts'

type RouteDeps = ChannelDeps & DeliveryDeps & { readonly jobs: Jobs; readonly noticeDeliveries: Job<DeliveryTry> }

export function notificationRoutes(app: App, deps: RouteDeps): void {
  const { notifications } = contract
  const { db } = deps.relational

  deps.jobs.define('notification-upkeep', () => upkeep(deps), { everySeconds: UPKEEP_SECONDS })

  serve(app, notifications.list, async ({ caller }) => ({
    channels: await listChannels(deps, caller.tenantId),
    can_mail: deps.config.smtpUrl !== undefined && deps.config.mailFrom !== undefined,
  }))
  serve(app, notifications.create, ({ caller, body }) => createChannel(deps, caller, body))
  serve(app, notifications.read, async ({ caller, params }) =>
    presentChannel(deps, await getChannel(db, caller.tenantId, params.channel_id)),
  )
  serve(app, notifications.update, ({ caller, params, body }) => updateChannelOf(deps, caller, params.channel_id, body))
  serve(app, notifications.delete, ({ caller, params }) => removeChannel(deps, caller.tenantId, params.channel_id))
  serve(app, notifications.test, async ({ caller, params }) =>
    sendTest(deps, await getChannel(db, caller.tenantId, params.channel_id)),
  )
  serve(app, notifications.listDeliveries, async ({ caller, params, query }) => {
    const channel = await getChannel(db, caller.tenantId, params.channel_id)
    const { rows, total } = await selectDeliveries(db, channel, query)
    return { deliveries: rows.map(presentDelivery), total }
  })
  serve(app, notifications.redeliver, ({ caller, params }) => redeliver(deps, caller.tenantId, params.delivery_id))
}

const UPKEEP_SECONDS = 600
const KEPT_DAYS = 30
/** Longer than the retries of a job that waits for the store. */
const OVERDUE_SECONDS = 2 * 3600

/** Forgets old deliveries, and tries those again whose job ended without a result. */
async function upkeep({ relational: { db }, clock, noticeDeliveries }: RouteDeps): Promise<void> {
  await deleteDeliveriesBefore(db, timeOfEpochMs(clock() - KEPT_DAYS * 86_400_000))
  const overdue = await selectOverdue(db, timeOfEpochMs(clock() - OVERDUE_SECONDS * 1000))
  for (const { id: deliveryId, tenantId, attempts } of overdue) {
    await noticeDeliveries.send({ deliveryId, tenantId, attempts }, { isUnique: true })
  }
}
