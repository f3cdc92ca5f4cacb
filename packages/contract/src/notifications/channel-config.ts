import { z } from 'zod'
import { identifierText } from '../wire/text.ts'
import { WebhookHeaders } from '../wire/webhook-headers.ts'
import { BodyTemplate } from './body-template.ts'

/** Most recipients of one email channel. */
export const MAX_RECIPIENTS = 20

export const NOTIFICATION_KINDS = ['webhook', 'slack', 'slack_bot', 'teams', 'pagerduty', 'email'] as const
export const NotificationKind = z.enum(NOTIFICATION_KINDS)
export type NotificationKind = z.infer<typeof NotificationKind>

/** http or https, without user and password. */
const Url = z.string().max(2000)
/** Printable ASCII without blanks: it is sent in a header or in a field of the service. */
const Token = z.string().regex(/^[\x21-\x7e]{1,500}$/, 'is no token')

/** An address without a name. A line break would add headers to the message. */
const MailAddress = z
  .string()
  .max(254, 'has more than 254 characters')
  .regex(/^[^\s@<>(),;:"\\[\]\p{Cc}]+@[^\s@<>(),;:"\\[\]\p{Cc}]+$/u, 'is no email address')

const Recipients = z
  .array(MailAddress)
  .min(1, 'has no recipient')
  .max(MAX_RECIPIENTS, `has more than ${MAX_RECIPIENTS} recipients`)

/** A request that is signed as https://www.standardwebhooks.com defines. */
const webhook = {
  url: Url,
  /** Sent with each request, e.g. `authorization`; encrypted where they are stored. */
  headers: WebhookHeaders.nullish(),
  /** A JSON object; the members of a notice are added to it. @default the members of the notice */
  body: BodyTemplate.nullish(),
}

/** The URL of an incoming webhook. */
const slack = { url: Url }

const slackBot = {
  /** Begins with `xoxb-`; the bot needs the scope `chat:write`. */
  token: Token,
  /** Its id, such as `C0123456789`, or its name with `#`. */
  channel: identifierText(200).min(1, 'is empty'),
  /** Base URL of Slack's API, for a gateway. @default https://slack.com/api */
  endpoint: Url.nullish(),
}

/** The URL of a workflow that posts to a channel or chat when it gets a webhook request. */
const teams = { url: Url }

const pagerduty = {
  /** The integration key of a service, Events API v2. */
  routing_key: Token,
  /** URL that takes the events, for a gateway or the EU. @default https://events.pagerduty.com/v2/enqueue */
  endpoint: Url.nullish(),
}

const email = { to: Recipients }

/** Where a channel sends to, by kind. */
export const ChannelConfig = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('webhook'), ...webhook }),
  z.object({ kind: z.literal('slack'), ...slack }),
  z.object({ kind: z.literal('slack_bot'), ...slackBot }),
  z.object({ kind: z.literal('teams'), ...teams }),
  z.object({ kind: z.literal('pagerduty'), ...pagerduty }),
  z.object({ kind: z.literal('email'), ...email }),
])
export type ChannelConfig = z.output<typeof ChannelConfig>

/** What changes of a configuration. Absent means unchanged; null removes. */
export const ChannelConfigChange = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('webhook'), ...webhook }).partial({ url: true }),
  z.object({ kind: z.literal('slack'), ...slack }).partial({ url: true }),
  z.object({ kind: z.literal('slack_bot'), ...slackBot }).partial({ token: true, channel: true }),
  z.object({ kind: z.literal('teams'), ...teams }).partial({ url: true }),
  z.object({ kind: z.literal('pagerduty'), ...pagerduty }).partial({ routing_key: true }),
  z.object({ kind: z.literal('email'), ...email }).partial({ to: true }),
])
export type ChannelConfigChange = z.output<typeof ChannelConfigChange>

/**
 * A configuration without its secrets. Values of headers and tokens are hidden; of the URLs of Slack and Teams, which are
 * secrets, the host and the last four characters are shown.
 */
export const ShownChannelConfig = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('webhook'),
    url: z.string(),
    /** Each value hidden. */
    headers: z.record(z.string(), z.string()),
    body: z.string().nullable(),
  }),
  z.object({ kind: z.literal('slack'), url: z.string() }),
  z.object({ kind: z.literal('slack_bot'), channel: z.string(), endpoint: z.string().nullable() }),
  z.object({ kind: z.literal('teams'), url: z.string() }),
  z.object({ kind: z.literal('pagerduty'), endpoint: z.string().nullable() }),
  z.object({ kind: z.literal('email'), to: z.array(z.string()) }),
])
export type ShownChannelConfig = z.infer<typeof ShownChannelConfig>
