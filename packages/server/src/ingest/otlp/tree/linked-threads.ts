import type { PendingWrite } from '../../place-writes.ts'
import type { RunWrite } from '../../run-write.ts'
import { toThreadChange } from './moved-runs.ts'
import { toLinkKey } from './span-ids.ts'
import { findThread, isLog, type TraceSpans } from './span-writes.ts'
import { type BlockFacts, type ReadDeps, readLinking, readRuns, readThreadsOf } from './stored-trace.ts'

export interface LinkedThreads {
  /** Threads that traces of the block have by links, by trace. */
  readonly threads: ReadonlyMap<string, string>
  /** Changes of the runs of other stored traces, which get the same thread. */
  readonly changes: readonly PendingWrite[]
  /** The trace that the root of a trace of the block links to. */
  readonly links: ReadonlyMap<string, string>
  /** Threads of stored traces, without those that change. */
  readonly stored: ReadonlyMap<string, string>
}

interface LinkedBlock {
  readonly traces: readonly TraceSpans[]
  /** Threads of stored traces. */
  readonly stored: ReadonlyMap<string, string>
  readonly linking: BlockFacts['linking']
}

/**
 * Finds the threads of traces that are connected by links of their roots, as the runtime of AutoGen sends one conversation. A
 * thread that spans name goes before. Otherwise a trace has the thread of the trace that its root links to, or the id of that
 * trace as its thread; then the linked trace has that thread too, once it arrives. Traces that took the id of a trace before
 * it arrived get its thread.
 */
export async function findLinkedThreads(deps: ReadDeps, tenantId: string, block: LinkedBlock): Promise<LinkedThreads> {
  const { traces, stored, linking } = block
  const links = new Map(traces.flatMap((trace) => toLink(trace)))
  const waiting = traces.filter(({ traceId }) => linking.has(toLinkKey(traceId)))
  if (links.size === 0 && waiting.length === 0) return { threads: new Map(), changes: [], links, stored }
  // Only by links a trace has its own id as its thread, until its root shows another one.
  const findStored = (traceId: string) => (stored.get(traceId) === traceId ? undefined : stored.get(traceId))
  const named = new Map(traces.map(({ traceId, spans }) => [traceId, findStored(traceId) ?? findThread(spans)]))
  const outside = [...new Set(links.values())].filter((id) => !named.has(id))
  const others = await readThreadsOf(deps, tenantId, outside)
  const linked = new Set([...links.values(), ...waiting.map(({ traceId }) => traceId)])

  const findThreadOf = (traceId: string): string | undefined => {
    const passed = new Set<string>()
    let at = traceId
    for (;;) {
      const thread = named.get(at) ?? others.get(at)
      if (thread !== undefined) return thread
      const next = links.get(at)
      // Traces that link to each other in a circle have the thread of the first by id.
      if (passed.has(at)) return [...passed].sort()[0]
      passed.add(at)
      if (next === undefined) return linked.has(at) ? at : undefined
      at = next
    }
  }
  const threads = new Map<string, string>()
  for (const { traceId } of traces) {
    const thread = named.get(traceId) === undefined ? findThreadOf(traceId) : undefined
    if (thread !== undefined) threads.set(traceId, thread)
  }
  // Threads with the id of a trace of the block that turns out to have another thread.
  const replaced = new Map<string, string>()
  for (const { traceId } of waiting) {
    const thread = threads.get(traceId) ?? named.get(traceId)
    if (thread !== undefined && thread !== traceId) replaced.set(traceId, thread)
  }
  const settle = (thread: string): string => {
    let at = thread
    for (let steps = 0; steps <= replaced.size; steps++) at = replaced.get(at) ?? at
    return at
  }
  for (const [traceId, thread] of threads) threads.set(traceId, settle(thread))
  // Stored, but without a thread so far.
  const changed = new Map(outside.filter((id) => others.has(id) && others.get(id) === undefined).map((id) => [id, id]))
  for (const [traceId, thread] of replaced) {
    for (const id of await findBehind(deps, tenantId, traceId, linking)) {
      changed.set(id, settle(thread))
      if (named.has(id)) threads.set(id, settle(thread))
    }
  }
  const staying = [...stored].filter(([id, thread]) => thread === (threads.get(id) ?? named.get(id)))
  const [source] = traces.flatMap(({ spans }) => spans.map((span) => span.source))
  const changes = source === undefined ? [] : await changeThreads(deps, tenantId, source, changed)
  return { threads, changes, links, stored: new Map(staying) }
}

function toLink({ traceId, spans }: TraceSpans): [string, string][] {
  const root = spans.find((span) => !isLog(span) && span.write.span.linkedTraceId !== undefined)
  const linked = root?.write.span.linkedTraceId
  return linked === undefined || linked === traceId ? [] : [[traceId, linked]]
}

/** Stored traces that have the id of a trace as their thread, because they link to it, or to one that does. */
async function findBehind(
  deps: ReadDeps,
  tenantId: string,
  traceId: string,
  linking: BlockFacts['linking'],
): Promise<ReadonlySet<string>> {
  const behind = new Set<string>()
  let found = linking.get(toLinkKey(traceId)) ?? []
  while (found.length > 0) {
    const threads = await readThreadsOf(deps, tenantId, found)
    const next = found.filter((id) => threads.get(id) === traceId && !behind.has(id) && id !== traceId)
    for (const id of next) behind.add(id)
    found = [...(await readLinking(deps, tenantId, next)).values()].flat()
  }
  return behind
}

async function changeThreads(
  deps: ReadDeps,
  tenantId: string,
  source: RunWrite,
  threads: ReadonlyMap<string, string>,
): Promise<PendingWrite[]> {
  const wanted = [...threads.keys()].map((traceId) => ({ traceId, isWhole: true, ids: [] }))
  const runs = await readRuns(deps, tenantId, wanted)
  return runs.map(({ id, traceId }) => toThreadChange(source, traceId, { id, thread: threads.get(traceId) ?? traceId }))
}
