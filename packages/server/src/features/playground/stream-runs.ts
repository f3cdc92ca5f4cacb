import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { ApiError, type PlaygroundEvent, type PlaygroundRun, type PlaygroundVariant } from '@touchstone/contract'
import { TemplateSteps } from '@touchstone/formats/templates'
import type { FastifyReply } from 'fastify'
import type { Deps } from '../../deps.ts'
import { abortOnDisconnect } from '../../http/responses.ts'
import type { Caller } from '../../http/serve.ts'
import type { ModelEvent } from '../../models/index.ts'
import { aProblem } from '../../models/problems.ts'
import { type Held, MAX_WAIT_MS, type RenderBudget } from '../../models/render-budget.ts'
import type { RecordRuns } from '../model-jobs/index.ts'
import { assertMaySpend, type ProviderAccess, readProviderAccess } from '../model-providers/index.ts'
import { type CallDeps, callVariant, toSpending } from './call-variant.ts'
import { limitSize, type RenderedCall, renderCall } from './render-call.ts'

export type StreamDeps = CallDeps &
  Pick<Deps, 'ids' | 'log' | 'relational'> &
  Parameters<typeof readProviderAccess>[0] & { readonly recordRuns: RecordRuns; readonly renderBudget: RenderBudget }

/** Calls of one request at once. */
const MAX_AT_ONCE = 20
/** Keeps proxies from closing a connection on which no model answers yet. */
const HEARTBEAT_MS = 15_000
/** Milliseconds after which a client that reads nothing of its stream is taken for gone. */
const STALLED_MS = 60_000

/**
 * Calls all variants and streams what happens. The end of the connection cancels the calls.
 *
 * @throws ApiError NOT_FOUND for an unknown provider, SPENDING_LIMIT when a monthly limit does not allow the first call,
 *   RATE_LIMITED when it waits too long for memory; all of them before the stream begins
 */
export async function streamRuns(
  deps: StreamDeps,
  caller: Caller,
  body: PlaygroundRun,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const access = await Promise.all(
    body.variants.map(({ provider_id }) => readProviderAccess(deps, caller.tenantId, provider_id)),
  )
  const cancelled = abortOnDisconnect(reply)
  const request = { caller, body, steps: TemplateSteps.ofRows() }
  const first = await reserveFirst(deps, request, access[0], cancelled).catch((error: unknown) => {
    // The client left while the call waited for memory.
    if (cancelled.aborted) return undefined
    throw error
  })
  const stream = new EventStream()
  // A comment sends the headers, so that a client knows that its request was accepted.
  stream.write(': open\n\n')
  const heartbeat = setInterval(() => stream.write(': wait\n\n'), HEARTBEAT_MS)
  // The client may have gone while the providers were read.
  if (cancelled.aborted) stream.destroy()
  cancelled.addEventListener('abort', () => stream.destroy(), { once: true })
  const send = openSender(stream, cancelled)
  const calls = Array.from({ length: body.repeats }, (_, repeat) =>
    body.variants.map((variant, at) => () => {
      const found = access[at] as ProviderAccess
      const reserved = at === 0 && repeat === 0 ? first : undefined
      return runOne(deps, request, { variant, place: { variant: at, repeat }, found, reserved }, cancelled, send)
    }),
  ).flat()
  void runAll(calls)
    .catch((error: unknown) => {
      deps.log.error({ err: error }, 'a run of the playground failed')
      stream.destroy(error as Error)
    })
    .finally(() => {
      clearInterval(heartbeat)
      first?.release()
      stream.end()
    })
  reply
    .header('content-type', 'text/event-stream')
    .header('cache-control', 'no-store')
    .header('x-accel-buffering', 'no')
  return reply.send(stream)
}

/**
 * Sends an event, and waits until the client has read enough for the next one. It waits no longer when the memory of the call is
 * needed elsewhere (`evicted`).
 */
export type SendEvent = (event: PlaygroundEvent, evicted?: AbortSignal) => Promise<void>

export class EventStream extends PassThrough {
  /** Events that have gone on to the connection. */
  taken = 0

  override _transform(...given: Parameters<PassThrough['_transform']>): void {
    this.taken++
    super._transform(...given)
  }
}

/** A client that reads nothing for `stalledMs` has its connection ended: its calls hold memory and cost money. */
export function openSender(stream: EventStream, cancelled: AbortSignal, stalledMs = STALLED_MS): SendEvent {
  // Shared by all calls, which would add a listener each.
  let drained: Promise<void> | undefined
  return async (event, evicted) => {
    if (stream.destroyed || stream.write(`data: ${JSON.stringify(event)}\n\n`)) return
    drained ??= waitForDrain(stream, cancelled, stalledMs).finally(() => {
      drained = undefined
    })
    await (evicted === undefined ? drained : untilAborted(drained, evicted))
  }
}

async function waitForDrain(stream: EventStream, cancelled: AbortSignal, stalledMs: number): Promise<void> {
  for (;;) {
    const { taken } = stream
    try {
      await once(stream, 'drain', { signal: AbortSignal.any([cancelled, AbortSignal.timeout(stalledMs)]) })
      return
    } catch {
      if (!cancelled.aborted && !stream.destroyed && stream.taken > taken) continue
      stream.destroy()
      return
    }
  }
}

/** Waits for work, or until the signal is aborted. */
async function untilAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const isDone = new AbortController()
  const aborted = once(signal, 'abort', { signal: isDone.signal }).catch(() => undefined)
  await Promise.race([work, aborted])
  isDone.abort()
}

/**
 * The first call. A limit that does not allow it is the response; limits that do not allow another one are problems of
 * that call, and the others are made.
 *
 * @throws ApiError SPENDING_LIMIT, RATE_LIMITED
 */
async function reserveFirst(
  deps: StreamDeps,
  request: RunRequest,
  access: ProviderAccess | undefined,
  signal: AbortSignal,
): Promise<Held<RenderedCall>> {
  const { caller, body } = request
  const held = await reserve(deps, request, 0, signal)
  const variant = body.variants[0] as PlaygroundVariant
  const of = { tenantId: caller.tenantId, variant, provider: access?.provider ?? null }
  try {
    if ('call' in held.made) await assertMaySpend(deps, toSpending(deps, of, held.made.call))
    return held
  } catch (error) {
    held.release()
    throw error
  }
}

async function runAll(calls: readonly (() => Promise<void>)[]): Promise<void> {
  const waiting = calls[Symbol.iterator]()
  const work = async () => {
    for (const call of waiting) await call()
  }
  await Promise.all(Array.from({ length: Math.min(MAX_AT_ONCE, calls.length) }, work))
}

interface RunRequest {
  readonly caller: Caller
  readonly body: PlaygroundRun
  /** Of all calls. */
  readonly steps: TemplateSteps
}

interface One {
  readonly variant: PlaygroundVariant
  readonly place: { readonly variant: number; readonly repeat: number }
  readonly found: ProviderAccess
  readonly reserved: Held<RenderedCall> | undefined
}

/** The rendered call of a variant. @throws ApiError RATE_LIMITED when there is no memory for it in time */
function reserve(deps: StreamDeps, { caller, body, steps }: RunRequest, at: number, signal: AbortSignal) {
  const variant = body.variants[at] as PlaygroundVariant
  const wait = { workspace: caller.tenantId, signal, maxWaitMs: MAX_WAIT_MS }
  return deps.renderBudget.reserve(wait, () => limitSize(renderCall(variant, body.variables, steps)))
}

/** A refusal for memory within the stream is the problem of its call. */
async function reserveOrProblem(...given: Parameters<typeof reserve>): Promise<Held<RenderedCall>> {
  try {
    return await reserve(...given)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const problem = aProblem('rate_limited', error.message, { retry_after_seconds: error.retryAfterSeconds ?? null })
    const made: RenderedCall = { problem, variable: null }
    return { made, evicted: new AbortController().signal, heard() {}, release() {} }
  }
}

async function runOne(
  deps: StreamDeps,
  request: RunRequest,
  { variant, place, found, reserved }: One,
  signal: AbortSignal,
  send: SendEvent,
): Promise<void> {
  if (signal.aborted) return
  const { caller, body } = request
  const runId = deps.ids()
  await send({ type: 'started', ...place, run_id: runId, trace_id: runId })
  const planned = {
    tenantId: caller.tenantId,
    runId,
    variant,
    ...found,
    place: { session_name: body.project },
  }
  const held =
    reserved ??
    (await reserveOrProblem(deps, request, place.variant, signal).catch((error: unknown) => {
      // The client left while the call waited for memory.
      if (signal.aborted) return undefined
      throw error
    }))
  if (held === undefined) return
  const onPart = (event: ModelEvent) => {
    if (event.type === 'text' || event.type === 'reasoning' || event.type === 'tool_call') {
      return send({ ...event, ...place }, held.evicted)
    }
  }
  const call = (rendered: RenderedCall) => callVariant(deps, { ...planned, rendered }, { signal, onPart, held })
  const { end, run } = await call(held.made)
    .catch((error: unknown) => {
      // Calls of the same request may have used up the limit.
      if (!(error instanceof ApiError && error.code === 'SPENDING_LIMIT')) throw error
      return call({ problem: aProblem('spending_limit', error.message), variable: null })
    })
    .finally(() => held.release())
  try {
    await deps.recordRuns(caller, { runs: [{ kind: 'post', main: JSON.stringify(run) }], feedback: [] })
  } catch (error) {
    deps.log.warn({ err: error, run: runId }, 'a run of the playground could not be recorded')
  }
  await send({ ...end, ...place })
}
