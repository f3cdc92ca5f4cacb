import { mergeExtra } from '@touchstone/formats/cut-json'
import type { PendingWrite } from '../../place-writes.ts'
import { toPathSegment } from '../../run-path.ts'
import { RawPayload, type RunWrite } from '../../run-write.ts'
import { placeTrace } from './place-trace.ts'
import { toParentlessPath } from './span-paths.ts'
import { isLog, type SpanWrite, type TraceSpans } from './span-writes.ts'
import { type ReadDeps, readAliases, readRuns } from './stored-trace.ts'
import type { KnownRun, PlacedRun, PlacedTrace } from './trace-facts.ts'

/** The write of a span or of a log record with its position. */
export function toPlacedWrite(
  write: SpanWrite['write'],
  traceId: string,
  { spans, findRunId }: PlacedTrace,
  thread: string | undefined,
): RunWrite {
  if (write.span.isLog) return { ...write, id: findRunId(write.span.spanId), traceId }
  const run = spans.get(write.span.spanId)
  if (run === undefined) return { ...write, traceId }
  const { id, parentRunId, dottedOrder } = run
  const extra = thread === undefined || write.span.thread !== undefined ? write.extra : addThread(write.extra, thread)
  return { ...write, id, traceId, parentRunId, dottedOrder, extra }
}

/** A thread that one span of a trace names is the thread of all its runs. */
function addThread(extra: RawPayload | undefined, thread: string): RawPayload {
  const named = JSON.stringify({ metadata: { thread_id: thread } })
  // By text: the value of a large extra is only an outline.
  return RawPayload.trusted(extra === undefined ? named : mergeExtra(extra.text, named))
}

/**
 * The changes of the stored runs of a trace.
 *
 * @param stored  those that are known; all, where the thread is new
 */
export function toChanges(
  { traceId, spans }: TraceSpans,
  { spans: written, moved, renamed }: PlacedTrace,
  stored: ReadonlyMap<string, KnownRun>,
  thread: string | undefined,
): PendingWrite[] {
  const [first] = spans
  if (first === undefined || stored.size === 0) return []
  const known = new Set([...stored.keys()].map((id) => (id === renamed?.from ? renamed.to : id)))
  const extra = thread === undefined ? undefined : addThread(undefined, thread)
  const places = new Map(moved.filter(({ id }) => known.has(id)).map((run) => [run.id, run]))
  const rewritten = new Set([...written.values()].map(({ id }) => id))
  const ids = extra === undefined ? [...places.keys()] : [...known].filter((id) => !rewritten.has(id))
  return ids.map((id) => toMove(first.source, traceId, { id, ...places.get(id), extra }))
}

/** The change of a stored run that gets a thread and stays where it is. */
export const toThreadChange = (source: RunWrite, traceId: string, { id, thread }: { id: string; thread: string }) =>
  toMove(source, traceId, { id, extra: addThread(undefined, thread) })

function toMove(source: RunWrite, traceId: string, change: Partial<PlacedRun> & Pick<RunWrite, 'id' | 'extra'>) {
  const { id, parentRunId, dottedOrder, extra } = change
  const write: RunWrite = { kind: 'post', isMove: true, id, traceId, parentRunId, dottedOrder, extra, bytes: 0 }
  return { source, write }
}

/** The positions of runs that only log records write so far: below the root, until their span comes. */
export function placeLogs(
  { traceId, spans }: TraceSpans,
  { anchor, findRunId, spans: written }: PlacedTrace,
  stored: ReadonlyMap<string, KnownRun>,
): PendingWrite[] {
  if (anchor === undefined) return []
  const taken = new Set([...stored.keys(), ...[...written.values()].map(({ id }) => id)])
  const moves: PendingWrite[] = []
  for (const span of spans) {
    const { receivedAt } = span.write
    const id = isLog(span) ? findRunId(span.write.span.spanId) : undefined
    if (id === undefined || receivedAt === undefined || taken.has(id)) continue
    taken.add(id)
    const dottedOrder = toParentlessPath(anchor, toPathSegment(receivedAt, id))
    moves.push(toMove(span.source, traceId, { id, parentRunId: anchor.id, dottedOrder, extra: undefined }))
  }
  return moves
}

/**
 * Finds the positions of the stored runs below roots of SDKs that replace a placeholder, which may have another start.
 *
 * @param roots  runs whose id is that of their trace
 */
export async function placeBelowRoots(
  deps: ReadDeps,
  tenantId: string,
  roots: readonly { readonly source: RunWrite; readonly run: KnownRun }[],
): Promise<readonly PendingWrite[]> {
  const traces = roots.map(({ run }) => ({ traceId: run.id, spans: [] }))
  const whole = traces.map(({ traceId }) => ({ traceId, isWhole: true, ids: [] }))
  const [runs, aliases] = await Promise.all([readRuns(deps, tenantId, whole), readAliases(deps, tenantId, traces)])
  return roots.flatMap(({ source, run: root }) => {
    const traceId = root.id
    const stored = runs.filter((run) => run.traceId === traceId)
    const known = new Map<string, KnownRun>([...stored, root].map((run) => [run.id, run]))
    const facts = { traceId, spans: [], known, isTaken: () => false, aliases, logged: new Set<string>() }
    const moved = placeTrace(facts).moved.filter(({ id }) => id !== traceId)
    return moved.map((run) => toMove(source, traceId, { ...run, extra: undefined }))
  })
}
