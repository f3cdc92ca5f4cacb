import { isUuid } from '../ids/uuid.ts'

/**
 * One segment of a `dotted_order` and the start time it stands for.
 *
 * Clocks give milliseconds; the microseconds carry the first three digits of the execution order, so that siblings
 * started in one millisecond keep their order. The wire's `start_time` must be this time, or the server refuses the run.
 */
export function convertToDottedOrderFormat(
  epochMs: number,
  runId: string,
  executionOrder = 1,
): { dottedOrder: string; microsecondPrecisionDatestring: string } {
  const microsecondPrecisionDatestring = withMicroseconds(epochMs, executionOrder)
  return { dottedOrder: segmentOf(microsecondPrecisionDatestring, runId), microsecondPrecisionDatestring }
}

/** A run's own segment, of its start time with microseconds. */
export function segmentOf(startTime: string, runId: string): string {
  return startTime.replace(/[-:.]/g, '') + runId
}

/** `2026-01-02T03:04:05.678001Z` for millisecond 678 and execution order 1. */
export function withMicroseconds(epochMs: number, executionOrder: number): string {
  const digits = executionOrder.toFixed(0).slice(0, 3).padStart(3, '0')
  return `${new Date(epochMs).toISOString().slice(0, -1)}${digits}Z`
}

export interface Segment {
  id: string
  startMs: number
}

/** The segments of a `dotted_order`, root first; `undefined` when any of it is malformed. */
export function parseDottedOrder(text: string): Segment[] | undefined {
  const segments = text.trim().split('.').map(parseSegment)
  return segments.every((segment) => segment !== undefined) ? (segments as Segment[]) : undefined
}

const SEGMENT = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\d{3})\d{0,6}Z(.{36})$/

function parseSegment(text: string): Segment | undefined {
  const match = SEGMENT.exec(text)
  if (!match || !isUuid(match[8])) return undefined
  const [, year, month, day, hour, minute, second, ms, id] = match
  const startMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
  return Number.isNaN(startMs) ? undefined : { id: id!, startMs }
}
