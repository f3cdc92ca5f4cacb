import { isUuid } from '../ids/uuid.ts'

/**
 * Formats one segment of a `dotted_order` and its start time.
 *
 * Clocks return milliseconds. The microseconds hold the first three digits of the execution order, so that siblings
 * started in the same millisecond keep their order. The `start_time` that is sent must equal this time, or the server
 * rejects the run.
 */
export function convertToDottedOrderFormat(
  epochMs: number,
  runId: string,
  executionOrder = 1,
): { dottedOrder: string; microsecondPrecisionDatestring: string } {
  const microsecondPrecisionDatestring = formatMicroseconds(epochMs, executionOrder)
  return { dottedOrder: formatSegment(microsecondPrecisionDatestring, runId), microsecondPrecisionDatestring }
}

/** Segment of a run from its start time with microseconds. */
export function formatSegment(startTime: string, runId: string): string {
  return startTime.replace(/[-:.]/g, '') + runId
}

/** `2026-01-02T03:04:05.678001Z` for millisecond 678 and execution order 1. */
export function formatMicroseconds(epochMs: number, executionOrder: number): string {
  const digits = executionOrder.toFixed(0).slice(0, 3).padStart(3, '0')
  return `${new Date(epochMs).toISOString().slice(0, -1)}${digits}Z`
}

export interface Segment {
  id: string
  startMs: number
}

/** Parses the segments of a `dotted_order`, root first; `undefined` when any segment is malformed. */
export function parseDottedOrder(text: string): Segment[] | undefined {
  const segments = text.trim().split('.').map(parseSegment)
  return segments.every((segment) => segment !== undefined) ? segments : undefined
}

const SEGMENT = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\d{3})\d{0,6}Z(.{36})$/

function parseSegment(text: string): Segment | undefined {
  const [, year, month, day, hour, minute, second, ms, id] = SEGMENT.exec(text) ?? []
  if (!isUuid(id)) return undefined
  const startMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
  return Number.isNaN(startMs) ? undefined : { id, startMs }
}
