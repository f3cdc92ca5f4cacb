import { MISSING_ROOT } from '../../merge-run.ts'
import { parseDottedOrder } from '../../run-path.ts'
import { RawPayload, type RunWrite } from '../../run-write.ts'
import { isLog, type TraceSpans } from './span-writes.ts'
import type { PlacedTrace } from './trace-facts.ts'

/**
 * The write of the run that stands for the missing root. It is no create: whatever creates the run replaces it, and the end of
 * its last child is its own.
 *
 * @see docs/decisions/0105-a-placeholder-for-the-root.md
 */
export function toPlaceholder(
  { traceId, spans }: TraceSpans,
  { placeholder }: PlacedTrace,
  before: { readonly sessionId?: string; readonly ends: readonly (string | undefined)[] },
  thread: string | undefined,
): RunWrite | undefined {
  const first = spans.find((span) => !isLog(span))
  const startTime = placeholder && parseDottedOrder(placeholder.dottedOrder)?.startTime
  if (placeholder === undefined || startTime === undefined || first === undefined) return undefined
  const { sessionId, defaultSessionId } = first.write
  const endTime = [...before.ends, ...spans.map(({ write }) => write.endTime), startTime].reduce((a = '', b = '') =>
    a > b ? a : b,
  )
  const extra = JSON.stringify({
    metadata: thread === undefined ? {} : { thread_id: thread },
    otel: { placeholder: true },
  })
  return {
    kind: 'patch',
    isPlaceholder: true,
    id: placeholder.id,
    traceId,
    parentRunId: placeholder.parentRunId,
    dottedOrder: placeholder.dottedOrder,
    name: MISSING_ROOT,
    runType: 'chain',
    sessionId: before.sessionId ?? sessionId,
    defaultSessionId,
    startTime,
    endTime,
    extra: RawPayload.trusted(extra),
    bytes: 0,
  }
}
