import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { PlaygroundEvent, PlaygroundRun, PlaygroundVariant } from '@touchstone/contract'
import type { FastifyReply } from 'fastify'
import type { Deps } from '../../deps.ts'
import { abortOnDisconnect } from '../../http/responses.ts'
import type { Caller } from '../../http/serve.ts'
import type { ModelEvent } from '../../models/index.ts'
import { type ProviderAccess, readProviderAccess } from '../model-providers/index.ts'
import { type CallDeps, callVariant } from './call-variant.ts'
import type { RecordRuns } from './record-call.ts'
import type { RenderBudget } from './render-budget.ts'
import { renderCall } from './render-call.ts'

export type StreamDeps = CallDeps &
  Pick<Deps, 'ids' | 'log' | 'relational'> &
  Parameters<typeof readProviderAccess>[0] & { readonly recordRuns: RecordRuns; readonly renderBudget: RenderBudget }

/** Calls of one request at once. */
const MAX_AT_ONCE = 20
/** Keeps proxies from closing a connection on which no model answers yet. */
const HEARTBEAT_MS = 15_000

/**
 * Calls all variants and streams what happens. The end of the connection cancels the calls.
 *
 * @throws ApiError NOT_FOUND for an unknown provider, before the stream begins
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
  const stream = new PassThrough()
  // A comment sends the headers, so that a client knows that its request was accepted.
  stream.write(': open\n\n')
  const heartbeat = setInterval(() => stream.write(': wait\n\n'), HEARTBEAT_MS)
  // The client may have gone while the providers were read.
  if (cancelled.aborted) stream.destroy()
  cancelled.addEventListener('abort', () => stream.destroy(), { once: true })
  // Shared by all calls, which would add a listener each.
  let drained: Promise<unknown> | undefined
  const send = async (event: PlaygroundEvent) => {
    if (stream.destroyed || stream.write(`data: ${JSON.stringify(event)}\n\n`)) return
    drained ??= once(stream, 'drain', { signal: cancelled })
      .catch(() => undefined)
      .finally(() => {
        drained = undefined
      })
    await drained
  }
  const calls = Array.from({ length: body.repeats }, (_, repeat) =>
    body.variants.map((variant, at) => () => {
      const found = access[at] as ProviderAccess
      return runOne(deps, caller, { variant, place: { variant: at, repeat }, found, body }, cancelled, send)
    }),
  ).flat()
  void runAll(calls)
    .catch((error: unknown) => {
      deps.log.error({ err: error }, 'a run of the playground failed')
      stream.destroy(error as Error)
    })
    .finally(() => {
      clearInterval(heartbeat)
      stream.end()
    })
  reply
    .header('content-type', 'text/event-stream')
    .header('cache-control', 'no-store')
    .header('x-accel-buffering', 'no')
  return reply.send(stream)
}

async function runAll(calls: readonly (() => Promise<void>)[]): Promise<void> {
  const waiting = calls[Symbol.iterator]()
  const work = async () => {
    for (const call of waiting) await call()
  }
  await Promise.all(Array.from({ length: Math.min(MAX_AT_ONCE, calls.length) }, work))
}

interface One {
  readonly variant: PlaygroundVariant
  readonly place: { readonly variant: number; readonly repeat: number }
  readonly found: ProviderAccess
  readonly body: PlaygroundRun
}

async function runOne(
  deps: StreamDeps,
  caller: Caller,
  { variant, place, found, body }: One,
  signal: AbortSignal,
  send: (event: PlaygroundEvent) => Promise<void>,
): Promise<void> {
  if (signal.aborted) return
  const runId = deps.ids()
  await send({ type: 'started', ...place, run_id: runId, trace_id: runId })
  const planned = {
    tenantId: caller.tenantId,
    runId,
    variant,
    ...found,
    place: { session_name: body.project },
  }
  const onPart = (event: ModelEvent) => {
    if (event.type === 'text' || event.type === 'reasoning' || event.type === 'tool_call') {
      return send({ ...event, ...place })
    }
  }
  const called = await deps.renderBudget
    .hold(
      signal,
      () => renderCall(variant, body.variables),
      (rendered) => callVariant(deps, { ...planned, rendered }, { signal, onPart }),
    )
    .catch((error: unknown) => {
      // The client left while the call waited for memory.
      if (signal.aborted) return undefined
      throw error
    })
  if (called === undefined) return
  const { end, run } = called
  try {
    await deps.recordRuns(caller, { runs: [{ kind: 'post', main: JSON.stringify(run) }], feedback: [] })
  } catch (error) {
    deps.log.warn({ err: error, run: runId }, 'a run of the playground could not be recorded')
  }
  await send({ ...end, ...place })
}
