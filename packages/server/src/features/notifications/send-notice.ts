import { timeOfEpochMs } from '@touchstone/contract'
import { printJson } from '@touchstone/formats/exact-json'
import type { Deps } from '../../deps.ts'
import type { Job } from '../../jobs/open-jobs.ts'
import type { Database } from '../../storage/relational/port.ts'
import type { ChannelRow } from '../../storage/relational/tables/notifications.ts'
import { boundNotice, type Notice } from './notice.ts'
import { insertDeliveries, selectChannelMap, selectDeliveryIds } from './store.ts'

/** Job data of one try. */
export interface DeliveryTry {
  readonly deliveryId: string
  /** Whose turn it is. */
  readonly tenantId: string
  /** Tries before this one. */
  readonly attempts: number
}

/** What the senders of notices need. */
export type NoticeDeps = Pick<Deps, 'clock' | 'ids'> & { readonly noticeDeliveries: Job<DeliveryTry> }

/**
 * Sends a notice through channels, once per channel and key. The deliveries and their jobs are part of the transaction; call
 * `noticeDeliveries.begin()` after its commit to send at once rather than a moment later. An unknown or disabled channel
 * gets a failed delivery with the reason.
 *
 * @returns the ids of the deliveries in the order of the channels, also of those that an earlier call made
 */
export async function sendNotice(
  deps: NoticeDeps,
  tx: Database,
  tenantId: string,
  channelIds: readonly string[],
  notice: Notice,
): Promise<string[]> {
  const ids = [...new Set(channelIds)]
  if (ids.length === 0) return []
  const bounded = boundNotice(notice)
  const found = await selectChannelMap(tx, tenantId, ids)
  const rows = ids.map((channelId) =>
    toDelivery(deps, tenantId, { channelId, channel: found.get(channelId), notice: bounded }),
  )
  const inserted = await insertDeliveries(tx, rows)
  for (const { id, status } of rows) {
    if (!inserted.has(id) || status !== 'pending') continue
    await deps.noticeDeliveries.send({ deliveryId: id, tenantId, attempts: 0 }, { tx })
  }
  if (inserted.size === rows.length) return rows.map(({ id }) => id)
  const stored = await selectDeliveryIds(tx, tenantId, ids, bounded.key)
  return ids.flatMap((channelId) => stored.get(channelId) ?? [])
}

interface Addressed {
  readonly channelId: string
  readonly channel: ChannelRow | undefined
  readonly notice: Notice
}

/** A delivery before its first try. */
export function toDelivery({ clock, ids }: Pick<Deps, 'clock' | 'ids'>, tenantId: string, addressed: Addressed) {
  const { channelId, channel, notice } = addressed
  const now = timeOfEpochMs(clock())
  const problem = findProblem(channel)
  return {
    id: ids(),
    tenant_id: tenantId,
    channel_id: channelId,
    channel_name: channel?.name ?? '',
    cause_kind: notice.causeKind,
    cause_id: notice.causeId,
    key: notice.key,
    title: notice.title,
    severity: notice.severity,
    is_resolved: notice.isResolved,
    payload: printJson(notice),
    status: problem === undefined ? ('pending' as const) : ('failed' as const),
    attempts: 0,
    next_at: problem === undefined ? now : null,
    response_status: null,
    response_text: null,
    error: problem ?? null,
    created_at: now,
    attempted_at: null,
  }
}

/** Why nothing can be sent through a channel. */
export function findProblem(channel: ChannelRow | undefined): string | undefined {
  if (channel === undefined) return 'The channel does not exist. Choose another one.'
  return channel.state === 'disabled' ? `The channel is disabled: ${channel.state_reason}` : undefined
}

/** The first of these ids that no channel of the workspace has. */
export async function assertChannels(
  db: Database,
  tenantId: string,
  ids: readonly string[],
): Promise<string | undefined> {
  const found = await selectChannelMap(db, tenantId, ids)
  return ids.find((id) => !found.has(id))
}

export interface ChannelProblem {
  readonly id: string
  readonly problem: string
  /** It was deleted. */
  readonly isGone: boolean
}

/** The channels of these through which nothing can be sent, and why. */
export async function findChannelProblems(
  db: Database,
  tenantId: string,
  ids: readonly string[],
): Promise<ChannelProblem[]> {
  const found = await selectChannelMap(db, tenantId, ids)
  return ids.flatMap((id) => {
    const channel = found.get(id)
    const problem = findProblem(channel)
    return problem === undefined ? [] : [{ id, problem, isGone: channel === undefined }]
  })
}
