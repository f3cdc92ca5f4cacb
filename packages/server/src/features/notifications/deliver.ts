import { parseTime, timeOfEpochMs } from '@touchstone/contract'
import { parseExactJson } from '@touchstone/formats/exact-json'
import type { Deps } from '../../deps.ts'
import type { Job, JobRun, Jobs } from '../../jobs/open-jobs.ts'
import { DIED_TWICE } from '../../jobs/process-deaths.ts'
import type { ChannelRow, NotificationDeliveryRow } from '../../storage/relational/tables/notifications.ts'
import { type SecretBox, SecretBoxError } from '../../storage/secret-box.ts'
import { type SendDeps, type SendResult, send } from './kinds/index.ts'
import type { Notice } from './notice.ts'
import { GIVEN_UP, isGivenUp, planRetry } from './retries.ts'
import { hideSecrets, openConfig } from './secrets.ts'
import { type DeliveryTry, findProblem } from './send-notice.ts'
import {
  disableUnchanged,
  noteFailure,
  noteSuccess,
  selectChannel,
  selectDelivery,
  updatePendingDelivery,
} from './store.ts'

export type DeliveryDeps = SendDeps & Pick<Deps, 'relational' | 'log'> & { readonly secrets: SecretBox }

/** Tries of all channels at once, and of one: a receiver that hangs takes these places and no others. */
const AT_ONCE = 16
const AT_ONCE_OF_CHANNEL = 2
/** Seconds after which a delivery looks again for a place of its channel. */
const PLACE_SECONDS = 2

/**
 * Defines the job that makes one try of a delivery. A try that fails sends the job of the next one; the retries of the job
 * itself are for stops of the server and of the store. A receiver may get a notice twice, if the server stops before it has
 * stored the answer; its id is the same.
 */
export function defineNoticeDeliveries(deps: DeliveryDeps & { readonly jobs: Jobs }): Job<DeliveryTry> {
  const busy = new Map<string, number>()
  const job: Job<DeliveryTry> = deps.jobs.define<DeliveryTry>(
    'notification-delivery',
    (data, run) => deliver(deps, { job, busy }, data, run),
    {
      retryLimit: 10,
      retryDelaySeconds: 5,
      expireInSeconds: 60,
      atOnce: AT_ONCE,
      subject: 'deliveryId',
      fairBy: 'tenantId',
      giveUp: async ({ deliveryId: id, tenantId: tenant_id, attempts }) => {
        const error = `${DIED_TWICE} Deliver it again to try again.`
        const change = { status: 'failed', error, next_at: null } as const
        await updatePendingDelivery(deps.relational.db, { tenant_id, id, attempts }, change)
      },
    },
  )
  return job
}

interface Work {
  readonly job: Job<DeliveryTry>
  /** Tries under way by channel. */
  readonly busy: Map<string, number>
}

async function deliver(deps: DeliveryDeps, { job, busy }: Work, data: DeliveryTry, run: JobRun): Promise<void> {
  const { db } = deps.relational
  const delivery = await selectDelivery(db, data.tenantId, data.deliveryId)
  if (delivery?.status !== 'pending' || delivery.attempts !== data.attempts) return // it was repeated, or is gone
  const channel = await selectChannel(db, data.tenantId, delivery.channel_id)
  const problem = findProblem(channel)
  if (channel === undefined || problem !== undefined) {
    await updatePendingDelivery(db, delivery, { status: 'failed', next_at: null, error: problem ?? null })
    return
  }
  const underWay = busy.get(channel.id) ?? 0
  if (underWay >= AT_ONCE_OF_CHANNEL) {
    await job.send(data, { afterSeconds: PLACE_SECONDS })
    return
  }
  busy.set(channel.id, underWay + 1)
  try {
    const result = await tryDelivery(deps, channel, delivery, run.signal)
    await storeResult(deps, job, { channel, delivery, result })
  } finally {
    const left = (busy.get(channel.id) ?? 1) - 1
    if (left === 0) busy.delete(channel.id)
    else busy.set(channel.id, left)
  }
}

/** @throws when the server stops meanwhile: such a try does not count */
export async function tryDelivery(
  deps: DeliveryDeps,
  channel: ChannelRow,
  { id, payload }: Pick<NotificationDeliveryRow, 'id' | 'payload'>,
  signal: AbortSignal,
): Promise<SendResult> {
  try {
    const opened = openConfig(deps.secrets, channel)
    const result = await send(deps, opened, { id, notice: parseExactJson(payload) as Notice, signal })
    signal.throwIfAborted()
    return { ...result, text: result.text === null ? null : hideSecrets(result.text, opened) }
  } catch (error) {
    if (!(error instanceof SecretBoxError)) throw error
    return { outcome: 'retry', status: null, text: null, error: error.message }
  }
}

interface Tried {
  readonly channel: ChannelRow
  readonly delivery: Pick<NotificationDeliveryRow, 'id' | 'tenant_id' | 'attempts' | 'created_at'>
  readonly result: SendResult
}

/** Stores what became of a try, and the job of the next one, together. */
async function storeResult(
  deps: DeliveryDeps,
  job: Job<DeliveryTry>,
  { channel, delivery, result }: Tried,
): Promise<void> {
  const nowMs = deps.clock()
  const now = timeOfEpochMs(nowMs)
  const attempts = delivery.attempts + 1
  const ageSeconds = (nowMs - toEpochMs(delivery.created_at)) / 1000
  const plan = planRetry(result, { attempts, ageSeconds, random: Math.random() })
  const isPlanned = 'afterSeconds' in plan
  const status = result.outcome === 'delivered' ? 'delivered' : isPlanned ? 'pending' : 'failed'
  await deps.relational.transaction(async (tx) => {
    const isFirst = await updatePendingDelivery(tx, delivery, {
      status,
      attempts,
      attempted_at: now,
      next_at: isPlanned ? timeOfEpochMs(nowMs + plan.afterSeconds * 1000) : null,
      response_status: result.status,
      response_text: result.text,
      error: result.outcome === 'delivered' ? null : isPlanned ? result.error : plan.problem,
    })
    if (!isFirst) return
    if (isPlanned) {
      const next = { deliveryId: delivery.id, tenantId: delivery.tenant_id, attempts }
      await job.send(next, { tx, afterSeconds: plan.afterSeconds })
    }
    await noteResult(tx, channel, result, nowMs)
  })
}

/** Notes on the channel what became of a try, and turns it off when its receiver is gone. */
export async function noteResult(
  tx: DeliveryDeps['relational']['db'],
  channel: ChannelRow,
  { outcome, error }: SendResult,
  nowMs: number,
): Promise<void> {
  const now = timeOfEpochMs(nowMs)
  if (outcome === 'delivered') return noteSuccess(tx, channel.tenant_id, channel.id, now)
  const after = await noteFailure(tx, channel.tenant_id, channel.id, { now, error: error ?? '' })
  if (after === undefined || after.state === 'disabled') return
  const isOver = after.failing_since !== null && isGivenUp(toEpochMs(after.failing_since), nowMs)
  if (outcome !== 'gone' && !isOver) return
  const reason = outcome === 'gone' ? `The receiver does not exist any more: ${error}` : `${GIVEN_UP} Last: ${error}`
  await disableUnchanged(tx, channel, `${reason} Mend it, send a test, and turn the channel on.`)
}

const toEpochMs = (time: string) => Date.parse(parseTime(time) ?? time)
