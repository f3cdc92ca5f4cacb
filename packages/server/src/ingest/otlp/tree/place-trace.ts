import { padSpanId } from '../../../storage/analytics/run-aliases.ts'
import { parseDottedOrder, toPathSegment } from '../../run-path.ts'
import { deriveRunId, type SpanPlace, spanIdOfPadded, toSpanIdOfRun } from './span-ids.ts'

/** A run of the trace that is stored, or is written in the same block by an SDK. */
export interface KnownRun {
  readonly id: string
  readonly parentRunId: string | null
  readonly dottedOrder: string
  /** Its path is a short one, because it is deeper than paths are long; where its parent is not among the known runs. */
  readonly isDeep?: boolean | undefined
}

export interface NewSpan {
  readonly place: SpanPlace
  /** In the contract's printed form. */
  readonly startTime: string
}

/** The position of a run in its trace. */
export type PlacedRun = KnownRun

export interface TraceFacts {
  readonly traceId: string
  readonly spans: readonly NewSpan[]
  /** Without the stored placeholder, whose position follows from the others. */
  readonly known: ReadonlyMap<string, KnownRun>
  /** That placeholder, where runs below it may be missing in `known`: it starts with the earliest of them. */
  readonly placeholder?: KnownRun | undefined
  /** Whether a run id belongs to a run of another trace. */
  readonly isTaken: (id: string) => boolean
  /**
   * Padded span id → run id, of stored spans whose run has another id. The id of the trace → padded id of its root span, or the
   * id of the trace itself where attributes of the root set its run id.
   */
  readonly aliases: ReadonlyMap<string, string>
  /** Known runs that only log records have written, under the padded ids of their spans. */
  readonly logged: ReadonlySet<string>
}

/** The stored run of the root, which gets an id of its own because the attributes of another span name it as the root. */
export interface RenamedRun {
  readonly from: string
  readonly to: string
}

export interface PlacedTrace {
  /** The run of a span of the trace, which may not have arrived. */
  readonly findRunId: (spanId: string) => string
  /** By span id. */
  readonly spans: ReadonlyMap<string, PlacedRun>
  /** Known runs that have another position now; the renamed one by its new id. */
  readonly moved: readonly PlacedRun[]
  /** Stands for the root, which has not arrived. */
  readonly placeholder: PlacedRun | undefined
  /** The root or the placeholder. */
  readonly anchor: PlacedRun | undefined
  readonly renamed: RenamedRun | undefined
  /** Runs of log records by their id → the run of their span, which has another id. */
  readonly joined: ReadonlyMap<string, string>
  /** As in the facts, of the spans placed here. */
  readonly aliases: ReadonlyMap<string, string>
}

/**
 * Finds the position of each span among the runs of its trace that have arrived so far. The result depends on the set of runs and
 * on their root, and not on the order in which the others arrived; known runs whose position changes are returned too.
 *
 * The root has the id of the trace; of several spans without a parent, the earliest of those that came first is the root, and
 * the others hang under it: stored runs stay where they are, whatever starts before them. A run whose parent has not arrived
 * hangs under the root too. In the dotted order of these runs a segment with the id of the missing parent, or with the nil id,
 * stands before their own: so nothing has to be remembered beside the rows. While the root is missing, a placeholder with the id
 * of the trace and the start of the earliest of these runs takes its place.
 */
export function placeTrace(facts: TraceFacts): PlacedTrace {
  const ids = new RunIds(facts)
  const nodes = new Map<string, Node>()
  const known = [...facts.known.values()].filter(({ id }) => !ids.joined.has(id)).map((run) => rename(run, ids.renamed))
  for (const run of known) nodes.set(run.id, toKnownNode(run, facts, ids))
  for (const span of facts.spans) nodes.set(ids.find(span.place), toSpanNode(span, ids))
  const { positions: placed, placeholder, anchor } = new Placement(facts, nodes).placeAll()

  const spans = new Map<string, PlacedRun>()
  const written = new Set<string>()
  for (const { place } of facts.spans) {
    const run = placed.get(ids.find(place))
    if (run === undefined) continue
    spans.set(place.spanId, run)
    written.add(run.id)
  }
  const moved = known.flatMap((run) => {
    const now = placed.get(run.id)
    if (now === undefined || written.has(run.id)) return []
    return now.dottedOrder === run.dottedOrder && now.parentRunId === run.parentRunId ? [] : [now]
  })
  const aliases = new Map([...ids.aliases, ...ids.aliasOfTrace()])
  const { renamed, joined } = ids
  return { spans, moved, placeholder, anchor, renamed, joined, aliases, findRunId: (spanId) => ids.ofSpan(spanId) }
}

const rename = (run: KnownRun, renamed: RenamedRun | undefined) =>
  run.id === renamed?.from ? { ...run, id: renamed.to } : run

/** The run ids of the spans of one trace. */
class RunIds {
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

/** Stands for the parent of a run that has none and is not the root. */
const NO_PARENT = '00000000-0000-0000-0000-000000000000'

/** Stands for the root of a trace in the paths of its children while it is missing: its own id is that of the placeholder. */
export const toMissingRoot = (traceId: string) => padSpanId(toSpanIdOfRun(traceId))

const timeOf = (segment: string) => segment.slice(0, segment.indexOf('Z') + 1)
const lastSegment = (dottedOrder: string) => dottedOrder.slice(dottedOrder.lastIndexOf('.') + 1)
const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

/** A run during the placement. */
interface Node {
  readonly id: string
  /** Run id of the parent, which may not have arrived. */
  readonly link: string | undefined
  /** Last segment of the dotted order: orders runs by start, then by id. */
  readonly segment: string
  /** A dotted order that an SDK made. */
  readonly pinned?: Omit<KnownRun, 'id'> | undefined
}

function toSpanNode({ place, startTime }: NewSpan, ids: RunIds): Node {
  const id = ids.find(place)
  const segment = toPathSegment(startTime, id)
  const { dottedOrder } = place
  if (dottedOrder !== undefined) {
    const path = parseDottedOrder(dottedOrder)?.ids ?? []
    const parentRunId = path.at(-2) ?? null
    return { id, link: parentRunId ?? undefined, segment, pinned: { dottedOrder, parentRunId } }
  }
  return { id, link: findLink(place, ids), segment }
}

function findLink(place: SpanPlace, ids: RunIds): string | undefined {
  if (place.parentRunId !== undefined) return place.parentRunId
  return place.isRoot || place.parentSpanId === undefined ? undefined : ids.ofSpan(place.parentSpanId)
}

function toKnownNode(run: KnownRun, { traceId, known }: TraceFacts, ids: RunIds): Node {
  const { id, parentRunId, dottedOrder } = run
  const { renamed } = ids
  const path = parseDottedOrder(dottedOrder)?.ids
  const segment = lastSegment(dottedOrder)
  if (path === undefined) return { id, link: undefined, segment, pinned: { dottedOrder, parentRunId } }
  const isBelowMissingRoot = path.at(-2) === toMissingRoot(traceId)
  const above = isBelowMissingRoot ? traceId : path.at(-2)
  if (id === renamed?.to) return { id, link: undefined, segment: withId(segment, id) }
  if (above === NO_PARENT) return { id, link: undefined, segment }
  // Until now these were its children, because every other run under the root has another segment before its own.
  if (renamed !== undefined && above === renamed.from) return { id, link: renamed.to, segment }
  const link = above === undefined ? (parentRunId ?? undefined) : above
  // Where both name the same parent and it is missing, an SDK made the path and sends the parent later.
  const isNamedTwice = link === parentRunId && !isBelowMissingRoot
  const isKnown = (runId: string) => known.has(runId) || ids.aliases.has(runId) || ids.placed.has(runId)
  const isMissing = link !== undefined && isNamedTwice && !isKnown(link)
  return {
    id,
    link: link === undefined ? undefined : (ids.aliases.get(link) ?? link),
    segment,
    ...(isMissing && { pinned: { dottedOrder, parentRunId, isDeep: run.isDeep } }),
  }
}

/** Deeper runs get a shorter dotted order: each has one, and a chain of thousands would need gigabytes. */
const MAX_SEGMENTS = 100

interface Position extends PlacedRun {
  readonly segments: number
}

class Placement {
  private readonly positions = new Map<string, Position>()
  /** The run under which those without a parent hang. */
  private anchor: Position | undefined
  private placeholder: Position | undefined

  private readonly traceId: string

  constructor(
    private readonly facts: TraceFacts,
    private readonly nodes: Map<string, Node>,
  ) {
    this.traceId = facts.traceId
  }

  placeAll(): { positions: ReadonlyMap<string, PlacedRun> } & Pick<PlacedTrace, 'placeholder' | 'anchor'> {
    this.cutCycles()
    const root = this.nodes.get(this.traceId)
    if (root !== undefined) this.anchor = this.placeRoot(root)
    else {
      const { placeholder } = this.facts
      const orphans = [...this.nodes.values()].filter((node) => this.isOrphan(node)).map(({ segment }) => segment)
      const stored = placeholder === undefined ? [] : [lastSegment(placeholder.dottedOrder)]
      const [first] = [...orphans, ...stored].sort(compare)
      if (first !== undefined) this.placeholder = this.toPlaceholder(first)
      this.anchor = this.placeholder
    }
    for (const node of this.nodes.values()) this.place(node)
    return { positions: this.positions, placeholder: this.placeholder, anchor: this.anchor }
  }

  private isOrphan({ id, link, pinned }: Node): boolean {
    return pinned === undefined && id !== this.traceId && (link === undefined || !this.nodes.has(link))
  }

  /** Runs that are their own ancestors have no root: the earliest of each circle loses its parent. */
  private cutCycles(): void {
    const checked = new Set<string>()
    for (const start of this.nodes.values()) {
      const way: Node[] = []
      const onWay = new Set<string>()
      let node: Node | undefined = start
      while (node !== undefined && !checked.has(node.id) && !onWay.has(node.id)) {
        way.push(node)
        onWay.add(node.id)
        node = this.parentOf(node)
      }
      if (node !== undefined && onWay.has(node.id)) {
        const circle = way.slice(way.findIndex((one) => one.id === node?.id))
        const [first] = circle.sort((a, b) => compare(a.segment, b.segment))
        if (first !== undefined) this.nodes.set(first.id, { ...first, link: undefined })
      }
      for (const id of onWay) checked.add(id)
    }
  }

  private parentOf({ id, link, pinned }: Node): Node | undefined {
    return pinned !== undefined || id === this.traceId || link === undefined ? undefined : this.nodes.get(link)
  }

  private keep(node: Node, parentRunId: string | null, dottedOrder: string, segments: number): Position {
    const position = { id: node.id, parentRunId, dottedOrder, segments }
    this.positions.set(node.id, position)
    return position
  }

  private placeRoot(node: Node): Position {
    return node.pinned === undefined
      ? this.keep(node, null, node.segment, 1)
      : this.keep(node, node.pinned.parentRunId, node.pinned.dottedOrder, 1)
  }

  private toPlaceholder(segment: string): Position {
    return { id: this.traceId, parentRunId: null, dottedOrder: withId(segment, this.traceId), segments: 1 }
  }

  private place(node: Node): void {
    const way: Node[] = []
    for (let at: Node | undefined = node; at !== undefined && !this.positions.has(at.id); at = this.parentOf(at)) {
      way.push(at)
    }
    for (const one of way.reverse()) this.placeBelow(one, this.parentOf(one))
  }

  private placeBelow(node: Node, parent: Node | undefined): void {
    const { pinned, segment, link } = node
    if (pinned !== undefined) {
      const segments = pinned.isDeep ? MAX_SEGMENTS : pinned.dottedOrder.split('.').length
      this.keep(node, pinned.parentRunId, pinned.dottedOrder, segments)
    } else if (parent === undefined) this.placeOrphan(node)
    else {
      const above = this.positions.get(parent.id)
      if (above === undefined) return
      if (above.segments < MAX_SEGMENTS || this.anchor === undefined || link === undefined) {
        this.keep(node, parent.id, `${above.dottedOrder}.${segment}`, above.segments + 1)
      } else {
        this.keep(node, parent.id, toDeepPath(this.anchor, segment, link), MAX_SEGMENTS)
      }
    }
  }

  private placeOrphan(node: Node): void {
    const { anchor, traceId } = this
    if (anchor === undefined) return
    const missing = withId(node.segment, node.link === traceId ? toMissingRoot(traceId) : (node.link ?? NO_PARENT))
    const path = `${anchor.dottedOrder}.${missing}.${node.segment}`
    this.keep(node, anchor.id, path, anchor.segments + 2)
  }
}

/**
 * The parent of a placed run, as its own span names it: a run without a parent that hangs under the root is not one of its calls.
 */
export function findOwnParent({ parentRunId, dottedOrder }: PlacedRun): string | undefined {
  const isBelowNone = dottedOrder.endsWith(NO_PARENT, dottedOrder.lastIndexOf('.'))
  return parentRunId === null || isBelowNone ? undefined : parentRunId
}

/** The time of the last segment of a dotted order, as in a path. */
export const startOf = ({ dottedOrder }: PlacedRun) => timeOf(lastSegment(dottedOrder))

/** The path of a run that is deeper than paths are long. */
const toDeepPath = (anchor: PlacedRun, segment: string, link: string) =>
  `${anchor.dottedOrder}.${withId(segment, link)}.${segment}`

/** The path of a run without a parent that is not the root. */
export const toParentlessPath = (anchor: PlacedRun, segment: string) =>
  `${anchor.dottedOrder}.${withId(segment, NO_PARENT)}.${segment}`

/** Whether the path of a run may be a short one: it is also that of a run two levels below the root that starts with its parent. */
export function mayBeDeep({ parentRunId, dottedOrder }: KnownRun, anchor: KnownRun): boolean {
  return parentRunId !== null && dottedOrder === toDeepPath(anchor, lastSegment(dottedOrder), parentRunId)
}

export const isChildPath = (dottedOrder: string, parent: KnownRun) =>
  dottedOrder === `${parent.dottedOrder}.${lastSegment(dottedOrder)}`

/** A segment with the time of another one. */
const withId = (segment: string, id: string) => timeOf(segment) + id
