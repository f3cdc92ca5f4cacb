import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type {
  NotificationChannel,
  NotificationChannelChange,
  NotificationChannelList,
  NotificationChannelWrite,
  NotificationDelivery,
  NotificationDeliveryList,
} from '../schemas.ts'
import { Calls } from './calls.ts'

export interface ListNotificationDeliveriesParams {
  status?: NotificationDelivery['status'] | undefined
  /** @default 50 */
  limit?: number | undefined
  offset?: number | undefined
}

/**
 * Where the server sends notices of alerts, rules and budgets: signed webhooks, Slack, Teams, PagerDuty, email. No call
 * returns their secrets. Extensions of ours.
 */
export class NotificationCalls extends Calls {
  /** All of the workspace, by name, and whether the server can send email. */
  async listNotificationChannels(options: CallOptions = {}): Promise<NotificationChannelList> {
    return await this.transport.call(routes.notifications.list, { doing: 'list notification channels', ...options })
  }

  async readNotificationChannel(id: string, options: CallOptions = {}): Promise<NotificationChannel> {
    const request = { params: toParams(id), doing: `read notification channel ${id}`, ...options }
    return await this.transport.call(routes.notifications.read, request)
  }

  /**
   * For admins. Of a webhook, `signing_secret` of the response signs its requests (https://www.standardwebhooks.com). It is
   * returned only this once.
   *
   * @throws ConflictError for a name that is taken
   * @throws BadRequestError for a URL that the server may not call
   */
  async createNotificationChannel(
    channel: NotificationChannelWrite,
    options: CallOptions = {},
  ): Promise<NotificationChannel> {
    const request = { body: channel, doing: 'create a notification channel', ...options }
    return await this.transport.call(routes.notifications.create, request)
  }

  /**
   * For admins. Absent fields stay, and a header with the value `********` keeps its value. A URL of a webhook that differs
   * in more than its query gets no old secret: headers that are not given again are removed (`cleared_headers`), and
   * `signing_secret` is a new one.
   */
  async updateNotificationChannel(
    id: string,
    change: NotificationChannelChange,
    options: CallOptions = {},
  ): Promise<NotificationChannel> {
    const request = { params: toParams(id), body: change, doing: `update notification channel ${id}`, ...options }
    return await this.transport.call(routes.notifications.update, request)
  }

  /** For admins. Takes its deliveries with it. */
  async deleteNotificationChannel(id: string, options: CallOptions = {}): Promise<void> {
    const request = { params: toParams(id), doing: `delete notification channel ${id}`, ...options }
    await this.transport.send(routes.notifications.delete, request)
  }

  /** Sends a test notice once, now. Failures of the receiver are in the answer and not thrown. For admins. */
  async testNotificationChannel(id: string, options: CallOptions = {}): Promise<NotificationDelivery> {
    const request = { params: toParams(id), doing: `test notification channel ${id}`, maxRetries: 0, timeoutMs: 30_000 }
    return await this.transport.call(routes.notifications.test, { ...request, ...options })
  }

  /** Deliveries of the last 30 days, newest first. For admins. */
  async listNotificationDeliveries(
    id: string,
    { status, limit, offset }: ListNotificationDeliveriesParams = {},
    options: CallOptions = {},
  ): Promise<NotificationDeliveryList> {
    return await this.transport.call(routes.notifications.listDeliveries, {
      params: toParams(id),
      query: { status, limit, offset },
      doing: `list deliveries of notification channel ${id}`,
      ...options,
    })
  }

  /**
   * Sends the notice of a delivery again, as a new delivery. For admins.
   *
   * @throws ConflictError when its channel is disabled or deleted
   */
  async redeliverNotification(deliveryId: string, options: CallOptions = {}): Promise<NotificationDelivery> {
    assertUuid(deliveryId)
    const request = { params: { delivery_id: deliveryId }, doing: `redeliver ${deliveryId}`, maxRetries: 0 }
    return await this.transport.call(routes.notifications.redeliver, { ...request, ...options })
  }
}

function toParams(id: string): { channel_id: string } {
  assertUuid(id)
  return { channel_id: id }
}
