import { padSpanId } from '../../../storage/analytics/run-aliases.ts'
import { toPathSegment } from '../../run-path.ts'
import { deriveRunId, type SpanPlace, spanIdOfPadded, toSpanIdOfRun } from './span-ids.ts'
import { compare, timeOf } from './span-paths.ts'
import type { NewSpan, RenamedRun, TraceFacts } from './trace-facts.ts'

/** The run ids of the spans of one trace. */
export class RunIds {
  /** Padded span id → run id, where they differ, and of a root that is none any more. */
  readonly aliases = new Map<string, string>()
  readonly renamed: RenamedRun | undefined
  readonly joined = new Map<string, string>()
  /** Of the spans of the block. */
  readonly placed = new Set<string>()
  private readonly bySpan = new Map<string, string>()
  private readonly hybrid = new Map<string, string>()
  private readonly root: string | undefined

  constructor(private readonly facts: TraceFacts) {
    for (const id of facts.known.keys()) this.hybrid.set(toSpanIdOfRun(id), id)
    const stored = this.findStoredRoot()
    const isReplaced = stored !== undefined && this.wasReplaced(stored)
    this.root = this.selectRoot(isReplaced ? undefined : stored)
    if (stored !== undefined && stored !== this.root) this.renamed = this.replaceRoot(stored, isReplaced)
    for (const { place } of facts.spans) {
      const id = this.choose(place)
      this.bySpan.set(place.spanId, id)
      this.placed.add(id)
      const padded = padSpanId(place.spanId)
      if (id === padded) continue
      this.aliases.set(padded, id)
      if (facts.logged.has(padded)) this.joined.set(padded, id)
    }
  }

  find(place: SpanPlace): string {
    return this.bySpan.get(place.spanId) ?? padSpanId(place.spanId)
  }

  /** The run that a span id names, which may not have arrived. */
  ofSpan(spanId: string): string {
    const { facts } = this
    const padded = padSpanId(spanId)
    const own = this.bySpan.get(spanId) ?? this.aliases.get(padded)
    if (own !== undefined) return own
    if (facts.known.has(padded)) return padded
    const derived = deriveRunId(facts.traceId, spanId)
    if (facts.known.has(derived)) return derived
    const traceSpan = toSpanIdOfRun(facts.traceId)
    return (
      facts.aliases.get(padded) ??
      this.hybrid.get(spanId) ??
      (spanId === traceSpan ? facts.traceId : facts.isTaken(padded) ? derived : padded)
    )
  }

  /** The row by which later blocks find the root, when it was placed here. */
  aliasOfTrace(): [string, string][] {
    const { facts, root } = this
    const span = facts.spans.find(({ place }) => this.find(place) === facts.traceId)?.place
    if (span === undefined) return []
    const isSet = span.runId !== undefined || root === toSpanIdOfRun(facts.traceId)
    return [[facts.traceId, isSet ? facts.traceId : padSpanId(span.spanId)]]
  }

  /** The span of the stored root. */
  private findStoredRoot(): string | undefined {
    const { traceId, known, aliases } = this.facts
    const alias = known.has(traceId) ? aliases.get(traceId) : undefined
    return alias === undefined ? undefined : alias === traceId ? toSpanIdOfRun(traceId) : spanIdOfPadded(alias)
  }

  /**
   * The span whose run gets the id of the trace: one whose attributes set it, else that of the stored root, else the earliest
   * span of the block without a parent.
   */
  private selectRoot(stored: string | undefined): string | undefined {
    const { traceId, spans } = this.facts
    if (stored === toSpanIdOfRun(traceId)) return stored
    const found = spans.filter(({ place }) => this.isRoot(place)).map((span) => this.toCandidate(span))
    const [first] = found.sort((a, b) => Number(b.isSet) - Number(a.isSet) || compare(a.segment, b.segment))
    return first?.isSet ? first.spanId : (stored ?? first?.spanId)
  }

  private toCandidate({ place: { spanId, runId }, startTime }: NewSpan): RootCandidate {
    const isSet = runId !== undefined || spanId === toSpanIdOfRun(this.facts.traceId)
    return { spanId, isSet, segment: toPathSegment(startTime, padSpanId(spanId)) }
  }

  private replaceRoot(spanId: string, isDone: boolean): RenamedRun | undefined {
    const to = this.choose({ otelTraceId: '', spanId, isRoot: false })
    this.aliases.set(padSpanId(spanId), to)
    return isDone ? undefined : { from: this.facts.traceId, to }
  }

  /**
   * Whether this block is written a second time, after a crash between its rows and their aliases: the stored root is a span of
   * the block then, and the root that the aliases name has a run of its own.
   */
  private wasReplaced(stored: string): boolean {
    const { traceId, known, spans } = this.facts
    const own = known.get(padSpanId(stored)) ?? known.get(deriveRunId(traceId, stored))
    const time = timeOf(known.get(traceId)?.dottedOrder ?? '')
    return (
      own !== undefined &&
      spans.some(({ place, startTime }) => place.spanId !== stored && timeOf(toPathSegment(startTime, '')) === time)
    )
  }

  private isRoot({ runId, isRoot, spanId }: SpanPlace): boolean {
    if (runId !== undefined) return runId === this.facts.traceId
    return isRoot || spanId === toSpanIdOfRun(this.facts.traceId)
  }

  private choose(place: SpanPlace): string {
    const { traceId, known, isTaken } = this.facts
    if (place.runId !== undefined) return place.runId
    if (place.spanId === this.root) return traceId
    const hybrid = this.hybrid.get(place.spanId)
    if (hybrid !== undefined && hybrid !== traceId) return hybrid
    const padded = padSpanId(place.spanId)
    const isFree = known.has(padded) || (!isTaken(padded) && padded !== traceId)
    // In a new trace no run has a derived id, and hashing would take most of the time of its placement.
    if (isFree && known.size === 0) return padded
    const derived = deriveRunId(traceId, place.spanId)
    return known.has(derived) || !isFree ? derived : padded
  }
}

interface RootCandidate {
  readonly spanId: string
  /** Whether attributes set the id of its run. */
  readonly isSet: boolean
  readonly segment: string
}
