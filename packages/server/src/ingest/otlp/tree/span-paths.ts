import { padSpanId } from '../../../storage/analytics/run-aliases.ts'
import { toSpanIdOfRun } from './span-ids.ts'
import type { KnownRun, PlacedRun } from './trace-facts.ts'

/** Stands for the parent of a run that has none and is not the root. */
export const NO_PARENT = '00000000-0000-0000-0000-000000000000'

/** Stands for the root of a trace in the paths of its children while it is missing: its own id is that of the placeholder. */
export const toMissingRoot = (traceId: string) => padSpanId(toSpanIdOfRun(traceId))

export const timeOf = (segment: string) => segment.slice(0, segment.indexOf('Z') + 1)
export const lastSegment = (dottedOrder: string) => dottedOrder.slice(dottedOrder.lastIndexOf('.') + 1)
export const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

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
export const toDeepPath = (anchor: PlacedRun, segment: string, link: string) =>
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
export const withId = (segment: string, id: string) => timeOf(segment) + id
