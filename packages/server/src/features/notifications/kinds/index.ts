import type { NotificationKind } from '@touchstone/contract'
import type { OpenedConfig, SendDeps, Sender, Sending } from './kind.ts'
import type { SendResult } from './result.ts'
import { sendWebhook } from './webhook.ts'

export type { OpenedConfig, SendDeps } from './kind.ts'
export { type SendResult, toResponseText } from './result.ts'

const SENDERS: { readonly [Kind in NotificationKind]?: Sender<Kind> } = {
  webhook: sendWebhook,
}

/** Makes one try to send a notice through a channel. */
export function send(deps: SendDeps, opened: OpenedConfig, sending: Sending): Promise<SendResult> {
  const sender = SENDERS[opened.config.kind] as Sender<NotificationKind>
  return sender(deps, opened, sending)
}
