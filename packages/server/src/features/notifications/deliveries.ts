import { ApiError, type ChannelConfig, type NotificationDelivery, timeOfEpochMs } from '@touchstone/contract'
import { parseExactJson, printJson } from '@touchstone/formats/exact-json'
import type { Job } from '../../jobs/open-jobs.ts'
import type { ChannelRow, NotificationDeliveryRow } from '../../storage/relational/tables/notifications.ts'
import { assertTargetsAllowed, toOpenedConfig } from './change-config.ts'
import { type DeliveryDeps, noteResult, tryDelivery } from './deliver.ts'
import { boundNotice, type Notice } from './notice.ts'
import { sealConfig } from './secrets.ts'
import { type DeliveryTry, findProblem, toDelivery } from './send-notice.ts'
import { insertDeliveries, selectChannel, selectDelivery } from './store.ts'

type TestDeps = DeliveryDeps & Parameters<typeof toDelivery>[0]

/** Sends a test notice once and stores what the receiver did. A disabled channel is tested too, so that it can be mended. */
export async function sendTest(deps: TestDeps, channel: ChannelRow): Promise<NotificationDelivery> {
  const notice = aTestNotice(deps, channel)
  const delivery = toDelivery(deps, channel.tenant_id, { channelId: channel.id, channel, notice })
  const never = new AbortController().signal
  const result = await tryDelivery(deps, channel, delivery, never)
  const row: NotificationDeliveryRow = {
    ...delivery,
    status: result.outcome === 'delivered' ? 'delivered' : 'failed',
    attempts: 1,
    next_at: null,
    response_status: result.status,
    response_text: result.text,
    error: result.error,
    attempted_at: timeOfEpochMs(deps.clock()),
  }
  await deps.relational.transaction(async (tx) => {
    await insertDeliveries(tx, [row])
    await noteResult(tx, channel, result, deps.clock())
  })
  return presentDelivery(row)
}

/**
 * Sends a notice once to a receiver that no channel has.
 *
 * @returns what failed; undefined when it was delivered
 * @throws ApiError INVALID_REQUEST for a URL that the server may not call
 */
export async function tryChannel(
  deps: TestDeps,
  tenantId: string,
  config: ChannelConfig,
  notice: Notice,
): Promise<string | undefined> {
  assertTargetsAllowed(deps, config)
  const owner = { id: deps.ids(), tenant_id: tenantId }
  const now = timeOfEpochMs(deps.clock())
  const channel: ChannelRow = {
    ...owner,
    kind: config.kind,
    name: 'test',
    ...sealConfig(deps.secrets, owner, toOpenedConfig(config).opened),
    state: 'active',
    state_reason: null,
    failing_since: null,
    last_success_at: null,
    last_failure_at: null,
    last_failure: null,
    created_at: now,
    modified_at: now,
    created_by: null,
  }
  const payload = printJson(boundNotice(notice))
  const result = await tryDelivery(deps, channel, { id: deps.ids(), payload }, new AbortController().signal)
  return result.outcome === 'delivered' ? undefined : (result.error ?? 'The notice was not delivered.')
}

function aTestNotice({ ids, clock }: TestDeps, { id, name }: ChannelRow): Notice {
  const key = `test ${ids()}`
  return {
    causeKind: 'test',
    causeId: id,
    key,
    incident: key,
    severity: 'info',
    isResolved: false,
    title: 'Test notice of Touchstone',
    text: `The channel "${name}" works. Notices of alerts, rules and budgets arrive like this one.`,
    facts: [{ label: 'Channel', value: name }],
    links: [],
    body: {},
    at: timeOfEpochMs(clock()),
  }
}

/**
 * Sends the notice of a delivery again, as a delivery of its own: with another id, so that a receiver does not take it for a
 * repetition.
 *
 * @throws ApiError NOT_FOUND; CONFLICT when the channel is gone or disabled
 */
export async function redeliver(
  deps: TestDeps & { readonly noticeDeliveries: Job<DeliveryTry> },
  tenantId: string,
  deliveryId: string,
): Promise<NotificationDelivery> {
  const row = await deps.relational.transaction(async (tx) => {
    const before = await selectDelivery(tx, tenantId, deliveryId)
    if (before === undefined) throw new ApiError('NOT_FOUND', 'Delivery not found')
    const channel = await selectChannel(tx, tenantId, before.channel_id)
    const problem = findProblem(channel)
    if (problem !== undefined) throw new ApiError('CONFLICT', problem)
    const notice = { ...(parseExactJson(before.payload) as Notice), key: `again ${deps.ids()}` }
    const made = toDelivery(deps, tenantId, { channelId: before.channel_id, channel, notice })
    await insertDeliveries(tx, [made])
    await deps.noticeDeliveries.send({ deliveryId: made.id, tenantId, attempts: 0 }, { tx })
    return made
  })
  deps.noticeDeliveries.begin()
  return presentDelivery(row)
}

export function presentDelivery(row: Omit<NotificationDeliveryRow, 'payload'>): NotificationDelivery {
  return {
    id: row.id,
    channel_id: row.channel_id,
    channel_name: row.channel_name,
    cause_kind: row.cause_kind,
    cause_id: row.cause_id,
    title: row.title,
    severity: row.severity,
    is_resolved: row.is_resolved,
    status: row.status,
    attempts: row.attempts,
    next_at: row.next_at,
    response_status: row.response_status,
    response_text: row.response_text,
    error: row.error,
    created_at: row.created_at,
    attempted_at: row.attempted_at,
  }
}
