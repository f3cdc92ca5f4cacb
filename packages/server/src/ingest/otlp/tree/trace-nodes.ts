import { parseDottedOrder, toPathSegment } from '../../run-path.ts'
import type { RunIds } from './run-ids.ts'
import type { SpanPlace } from './span-ids.ts'
import { lastSegment, NO_PARENT, toMissingRoot, withId } from './span-paths.ts'
import type { KnownRun, NewSpan, TraceFacts } from './trace-facts.ts'

/** A run during the placement. */
export interface Node {
  readonly id: string
  /** Run id of the parent, which may not have arrived. */
  readonly link: string | undefined
  /** Last segment of the dotted order: orders runs by start, then by id. */
  readonly segment: string
  /** A dotted order that an SDK made. */
  readonly pinned?: Omit<KnownRun, 'id'> | undefined
}

export function toSpanNode({ place, startTime }: NewSpan, ids: RunIds): Node {
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

export function toKnownNode(run: KnownRun, { traceId, known }: TraceFacts, ids: RunIds): Node {
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
