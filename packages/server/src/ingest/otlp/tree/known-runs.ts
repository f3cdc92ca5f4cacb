import { padSpanId } from '../../../storage/analytics/run-aliases.ts'
import { deriveRunId, type SpanPlace } from './span-ids.ts'
import { isChildPath, mayBeDeep, startOf, toMissingRoot } from './span-paths.ts'
import type { KnownRun, PlacedTrace } from './trace-facts.ts'

/** Stored runs of one trace. */
export interface WantedRuns {
  readonly traceId: string
  /** All runs of the trace, whatever else is named. */
  readonly isWhole?: boolean | undefined
  readonly ids: readonly string[]
  /** Runs whose children are wanted, also those that wait for them. */
  readonly parentIds?: readonly string[] | undefined
  /** Span ids of runs of SDKs, whose ids begin with them. */
  readonly spanIds?: readonly string[] | undefined
}

export type FoundRun<Run> = Run & { readonly traceId: string }

/** Reads stored runs; of several traces at once. */
export type ReadRuns<Run extends KnownRun> = (wanted: readonly WantedRuns[]) => Promise<readonly FoundRun<Run>[]>

/** A trace with stored runs, of which a block has more spans. */
export interface LateTrace<Run extends KnownRun> {
  readonly traceId: string
  /** Of the spans and log records of the block. */
  readonly places: readonly SpanPlace[]
  /** Ids of the runs that an SDK sends in the same block. */
  readonly ownIds: readonly string[]
  /** The stored run with the id of the trace. */
  readonly root: Run
  readonly isPlaceholder: boolean
  /** The whole trace is needed: its thread becomes known. */
  readonly isWhole: boolean
  readonly aliases: ReadonlyMap<string, string>
  /** Whether the span reports tokens, which may be the sum of those below it. */
  readonly reportsTokens: (place: SpanPlace) => boolean
  /** Whether a stored run reports tokens. */
  readonly hasTokens: (run: Run) => boolean
  readonly place: (known: ReadonlyMap<string, Run>, placeholder: Run | undefined) => PlacedTrace
}

/**
 * Reads the stored runs on which the positions of the spans of a block depend, so that a large trace that arrives in many blocks
 * takes linear time: the runs of its spans and of their parents, the runs that waited for one of them, and what is below
 * runs that move. When the root moves, everything does, and the whole trace is read.
 *
 * Placing the spans among these runs gives the same positions as placing them among all.
 *
 * @returns runs by trace and id, and the traces that were read completely
 */
export async function readKnownRuns<Run extends KnownRun>(
  read: ReadRuns<Run>,
  traces: readonly LateTrace<Run>[],
): Promise<{ readonly runs: Map<string, Map<string, Run>>; readonly whole: ReadonlySet<string> }> {
  const gathered = new Map(traces.map((trace) => [trace.traceId, new Gathered(trace)]))
  let wanted = traces.map(listFirst)
  while (wanted.length > 0) {
    const found = await read(wanted)
    for (const run of found) gathered.get(run.traceId)?.add(run)
    for (const { traceId, isWhole } of wanted) {
      const one = gathered.get(traceId)
      if (one !== undefined && isWhole) one.isWhole = true
    }
    const unclear = [...gathered.values()].flatMap((one) => one.listUnclear())
    for (const run of unclear.length === 0 ? [] : await read(unclear)) gathered.get(run.traceId)?.addAbove(run)
    wanted = [...gathered.values()].flatMap((one) => one.listNext())
  }
  const whole = [...gathered].filter(([, one]) => one.isWhole)
  return {
    runs: new Map([...gathered].map(([traceId, { runs }]) => [traceId, runs])),
    whole: new Set(whole.map(([traceId]) => traceId)),
  }
}

function listFirst<Run extends KnownRun>(trace: LateTrace<Run>): WantedRuns {
  const { traceId, places, aliases, ownIds } = trace
  if (trace.isWhole || (trace.isPlaceholder && places.some((place) => mayBeRoot(place, traceId)))) {
    return { traceId, isWhole: true, ids: [] }
  }
  const ids = new Set([traceId, ...ownIds])
  const parentIds = new Set(ownIds.filter((id) => id !== traceId))
  const spanIds = new Set<string>()
  const addSpan = (spanId: string) => {
    const padded = padSpanId(spanId)
    for (const id of [padded, deriveRunId(traceId, spanId), aliases.get(padded)]) if (id !== undefined) ids.add(id)
    spanIds.add(spanId)
  }
  const root = aliases.get(traceId)
  if (root !== undefined && root !== traceId) for (const id of [root, deriveRunId(traceId, spanOf(root))]) ids.add(id)
  for (const place of places) {
    const { spanId, parentSpanId, parentRunId, runId, isLog } = place
    addSpan(spanId)
    if (isLog) continue
    for (const id of [padSpanId(spanId), deriveRunId(traceId, spanId), runId]) {
      // The runs that wait for this one, or are below it; those below the root follow when it moves.
      if (id !== undefined && id !== traceId) parentIds.add(id)
    }
    if (runId !== undefined) ids.add(runId)
    if (parentRunId !== undefined) ids.add(parentRunId)
    if (parentSpanId !== undefined) addSpan(parentSpanId)
    if (mayBeRoot(place, traceId)) parentIds.add(toMissingRoot(traceId))
  }
  return { traceId, ids: [...ids], parentIds: [...parentIds], spanIds: [...spanIds] }
}

const spanOf = (padded: string) => padded.replaceAll('-', '').slice(16)

const mayBeRoot = ({ isLog, isRoot, runId, spanId }: SpanPlace, traceId: string) =>
  !isLog && (isRoot || runId === traceId || padSpanId(spanId) === toMissingRoot(traceId))

/** The runs of one trace that were read so far. */
class Gathered<Run extends KnownRun> {
  readonly runs = new Map<string, Run>()
  isWhole = false
  /** Ids whose children were read. */
  private readonly opened = new Set<string>()
  /** Runs of which it is known whether they are deep. */
  private readonly clear = new Set<string>()
  /** Parent by id, of runs that may be deep. */
  private readonly above = new Map<string, string>()

  constructor(private readonly trace: LateTrace<Run>) {
    for (const { spanId, runId } of trace.places) {
      for (const id of [padSpanId(spanId), deriveRunId(trace.traceId, spanId), runId]) {
        if (id !== undefined && id !== trace.traceId) this.opened.add(id)
      }
    }
  }

  add({ traceId: _, ...run }: FoundRun<Run>): void {
    const one = run as unknown as Run
    if (!this.runs.has(one.id)) this.runs.set(one.id, one)
  }

  /** The parents of runs with a path that a deep run has too, or a run that starts with its parent below the root. */
  listUnclear(): WantedRuns[] {
    if (this.isWhole) return []
    const { traceId, root } = this.trace
    const parents = new Set<string>()
    for (const run of this.runs.values()) {
      if (this.clear.has(run.id)) continue
      this.clear.add(run.id)
      if (run.parentRunId === null || !mayBeDeep(run, root)) continue
      this.above.set(run.id, run.parentRunId)
      parents.add(run.parentRunId)
    }
    return parents.size === 0 ? [] : [{ traceId, ids: [...parents] }]
  }

  addAbove(parent: Run): void {
    for (const [id, parentId] of this.above) {
      const run = parentId === parent.id ? this.runs.get(id) : undefined
      if (run === undefined) continue
      this.above.delete(id)
      if (!isChildPath(run.dottedOrder, parent)) this.runs.set(id, { ...run, isDeep: true })
    }
  }

  /** What has to be read as well. */
  listNext(): WantedRuns[] {
    if (this.isWhole) return []
    const { trace } = this
    const { traceId } = trace
    const placed = trace.place(this.runs, trace.isPlaceholder ? trace.root : undefined)
    if (this.isWholeNeeded(placed)) return [{ traceId, isWhole: true, ids: [] }]
    const changed = [...placed.moved, ...placed.spans.values()].map(({ id }) => id).filter((id) => id !== traceId)
    const parentIds = [...changed, ...this.listSums()].filter((id) => !this.opened.has(id))
    for (const id of parentIds) this.opened.add(id)
    return parentIds.length === 0 ? [] : [{ traceId, ids: [], parentIds }]
  }

  private isWholeNeeded({ anchor, renamed, spans, moved }: PlacedTrace): boolean {
    const { traceId, root, isPlaceholder, places, reportsTokens } = this.trace
    if (renamed !== undefined || anchor?.dottedOrder !== root.dottedOrder) return true
    const isRootSum = (place: SpanPlace) => spans.get(place.spanId)?.id === traceId && reportsTokens(place)
    if (places.some((place) => !place.isLog && isRootSum(place))) return true
    // A placeholder starts with the earliest of the runs below it: perhaps this is another one now.
    return (
      isPlaceholder &&
      [...spans.values(), ...moved].some((now) => {
        const before = this.runs.get(now.id)
        return before !== undefined && before.dottedOrder !== now.dottedOrder && startOf(before) === startOf(root)
      })
    )
  }

  /** Runs without tokens below a span with tokens: it may be the sum of what is below them. */
  private listSums(): string[] {
    const { places, traceId, reportsTokens, hasTokens } = this.trace
    const sums = new Set(
      places.flatMap((place) => {
        const { spanId, runId } = place
        if (place.isLog || !reportsTokens(place)) return []
        return [padSpanId(spanId), deriveRunId(traceId, spanId), ...(runId === undefined ? [] : [runId])]
      }),
    )
    if (sums.size === 0) return []
    const found: string[] = []
    // Parents are read before their children.
    for (const run of this.runs.values()) {
      if (run.parentRunId === null || !sums.has(run.parentRunId) || hasTokens(run)) continue
      sums.add(run.id)
      found.push(run.id)
    }
    return found
  }
}
