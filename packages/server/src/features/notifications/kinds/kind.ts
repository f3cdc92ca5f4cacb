import type { ChannelConfig, NotificationKind } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { Outbound } from '../../../outbound/open-outbound.ts'
import type { Notice } from '../notice.ts'
import type { SendResult } from './result.ts'

/** After this time a receiver that does not answer is given up. */
export const SEND_MS = 10_000

export type SendDeps = Pick<Deps, 'clock' | 'config'> & { readonly outbound: Outbound }

/** The decrypted configuration of a channel. */
export interface OpenedConfig<Kind extends NotificationKind = NotificationKind> {
  readonly config: Extract<ChannelConfig, { kind: Kind }>
  /** Of webhooks. */
  readonly signingSecret: string | null
}

export interface Sending {
  /** The same at each try of a delivery. */
  readonly id: string
  readonly notice: Notice
  readonly signal: AbortSignal
}

/** One try to send a notice through a kind of channel. Only unexpected failures throw. */
export type Sender<Kind extends NotificationKind> = (
  deps: SendDeps,
  opened: OpenedConfig<Kind>,
  sending: Sending,
) => Promise<SendResult>
