import type { NotificationKind } from '@touchstone/contract'
import { sendMail } from './email.ts'
import type { OpenedConfig, SendDeps, Sender, Sending } from './kind.ts'
import { sendToPagerDuty } from './pagerduty.ts'
import type { SendResult } from './result.ts'
import { sendAsSlackBot, sendToSlack } from './slack.ts'
import { sendToTeams } from './teams.ts'
import { sendWebhook } from './webhook.ts'

export type { OpenedConfig, SendDeps } from './kind.ts'
export type { SendResult } from './result.ts'

const SENDERS: { readonly [Kind in NotificationKind]: Sender<Kind> } = {
  webhook: sendWebhook,
  slack: sendToSlack,
  slack_bot: sendAsSlackBot,
  teams: sendToTeams,
  pagerduty: sendToPagerDuty,
  email: sendMail,
}

/** Makes one try to send a notice through a channel. */
export function send(deps: SendDeps, opened: OpenedConfig, sending: Sending): Promise<SendResult> {
  const sender = SENDERS[opened.config.kind] as Sender<NotificationKind>
  return sender(deps, opened, sending)
}
