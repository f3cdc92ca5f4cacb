import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { historyPage } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { repairedText } from '../wire/text.ts'
import { ChannelConfig, ChannelConfigChange, NotificationKind, ShownChannelConfig } from './channel-config.ts'

/** Most channels of a workspace. */
export const MAX_NOTIFICATION_CHANNELS = 100

const Name = repairedText(200).trim().min(1, 'is empty')

export const NotificationChannelCreate = z.object({
  /** Unique in the workspace. */
  name: Name,
  config: ChannelConfig,
})
export type NotificationChannelCreate = z.output<typeof NotificationChannelCreate>

/**
 * Absent means unchanged. A URL of a webhook that differs in more than its query gets none of the secrets of the one before:
 * headers whose values are not given again are removed, and the signing secret is a new one. Another `endpoint` needs its
 * token again.
 */
export const NotificationChannelUpdate = z.object({
  name: Name.optional(),
  /** True also ends what the server turned off; false stops all deliveries. */
  is_enabled: z.boolean().optional(),
  /** Of the same kind. */
  config: ChannelConfigChange.optional(),
  /** Of a webhook: make a new signing secret, and answer it. */
  rotate_secret: z.boolean().optional(),
  /** When the channel was read that the change is based on; 409 when it was changed since. */
  expected_modified_at: z.string().optional(),
})
export type NotificationChannelUpdate = z.output<typeof NotificationChannelUpdate>

/** `disabled`: nothing is sent; a user, the receiver or three days of failures turned it off. */
export const ChannelState = z.enum(['active', 'disabled'])
export type ChannelState = z.infer<typeof ChannelState>

/** `pending`: a try is under way or will come. `failed`: no more tries. */
export const DeliveryStatus = z.enum(['pending', 'delivered', 'failed'])
export type DeliveryStatus = z.infer<typeof DeliveryStatus>

export const NOTICE_CAUSES = ['alert', 'rule', 'budget', 'test'] as const
export const NoticeCause = z.enum(NOTICE_CAUSES)
export type NoticeCause = z.infer<typeof NoticeCause>

export const NoticeSeverity = z.enum(['critical', 'warning', 'info'])
export type NoticeSeverity = z.infer<typeof NoticeSeverity>

export const NotificationChannel = z.object({
  id: z.string(),
  tenant_id: z.string(),
  name: z.string(),
  kind: NotificationKind,
  /** Without secrets; null when the server does not have the secret key that encrypts it. */
  config: ShownChannelConfig.nullable(),
  state: ChannelState,
  /** Why it is disabled, and how to turn it on; null while it is active. */
  state_reason: z.string().nullable(),
  last_success_at: z.string().nullable(),
  last_failure_at: z.string().nullable(),
  /** Why the last try that failed did so. */
  last_failure: z.string().nullable(),
  /** Since when no try has succeeded; null after a success. */
  failing_since: z.string().nullable(),
  created_at: z.string(),
  modified_at: z.string(),
  /** Name of the user or key that created it; null on an open server. */
  created_by: z.string().nullable(),
  /** Of a webhook: `whsec_` and the key that signs its requests. Only in the answer that made it, null afterwards. */
  signing_secret: z.string().nullable(),
  /** Headers that this change removed because the URL changed in more than its query. */
  cleared_headers: z.array(z.string()),
})
export type NotificationChannel = z.infer<typeof NotificationChannel>

/** One notice on its way to one channel. */
export const NotificationDelivery = z.object({
  /** Also the `webhook-id` header of webhooks, the same at each try. */
  id: z.string(),
  channel_id: z.string(),
  /** As it was when the notice was made; empty when there was no such channel. */
  channel_name: z.string(),
  cause_kind: NoticeCause,
  /** Of the alert, rule or budget. */
  cause_id: z.string(),
  title: z.string(),
  severity: NoticeSeverity,
  /** Whether the notice is a recovery. */
  is_resolved: z.boolean(),
  status: DeliveryStatus,
  attempts: z.int(),
  /** When the next try is made; null when there is none. */
  next_at: z.string().nullable(),
  /** Status of the last answer; of email the code of the mail server. */
  response_status: z.int().nullable(),
  /** Its first 1000 characters, without secrets of the channel. */
  response_text: z.string().nullable(),
  /** Why the last try failed, and what to do. */
  error: z.string().nullable(),
  created_at: z.string(),
  attempted_at: z.string().nullable(),
})
export type NotificationDelivery = z.infer<typeof NotificationDelivery>

const tag = 'notifications'
const extension = true
const params = z.object({ channel_id: Uuid })

export const notificationRoutes = describeRoutes(routes.notifications, tag, {
  list: {
    extension,
    summary: 'Notification channels of the workspace, by name',
    answer: z.object({
      channels: z.array(NotificationChannel),
      /** Whether this server can send email: TOUCHSTONE_SMTP_URL and TOUCHSTONE_MAIL_FROM are set. */
      can_mail: z.boolean(),
    }),
  },
  create: {
    extension,
    summary:
      'Create a notification channel; 409 for a name that is taken. Of a webhook it answers the signing secret, once',
    body: NotificationChannelCreate,
    status: 201,
    answer: NotificationChannel,
  },
  read: { extension, summary: 'One notification channel', params, answer: NotificationChannel },
  update: {
    extension,
    summary: 'Change a notification channel, turn it off or on, or make it a new signing secret',
    params,
    body: NotificationChannelUpdate,
    answer: NotificationChannel,
  },
  delete: {
    extension,
    summary: 'Delete a notification channel with its deliveries',
    params,
    status: 204,
  },
  test: {
    extension,
    summary: 'Send a test notice now, once, and answer what the receiver did; also through a disabled channel',
    params,
    answer: NotificationDelivery,
  },
  listDeliveries: {
    extension,
    summary: 'Deliveries of a channel, newest first; they are kept for 30 days',
    params,
    query: z.object({ status: DeliveryStatus.optional(), ...historyPage }),
    answer: z.object({ deliveries: z.array(NotificationDelivery), total: z.int() }),
  },
  redeliver: {
    extension,
    summary: 'Send the notice of a delivery again, as a new delivery; 409 when its channel is disabled or deleted',
    params: z.object({ delivery_id: Uuid }),
    status: 201,
    answer: NotificationDelivery,
  },
})
