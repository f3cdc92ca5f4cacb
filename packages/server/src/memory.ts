import { totalmem } from 'node:os'

const MiB = 1024 * 1024
const GiB = 1024 * MiB

/** The least memory with which a server with embedded engines starts and serves light use; steady ingest needs 1 GB. */
export const MINIMUM_MEMORY_BYTES = 512 * MiB

/** What each part of the server may use, in bytes, by the memory that there is. */
export interface MemoryPlan {
  readonly availableBytes: number
  /** Request bodies of all requests together. */
  readonly bytesInFlight: number
  /** One request body after decompression; never more than all together, or it would be answered 429 for ever. */
  readonly bodyBytes: number
  /** Runs that wait to be stored. */
  readonly waitingBytes: number
  /** Runs of one insert. */
  readonly groupBytes: number
  /** `shared_buffers` of the embedded PostgreSQL. */
  readonly relationalBufferBytes: number
  /** Everything that the embedded column store may allocate; a query beyond it fails. */
  readonly analyticsBytes: number
  /** Each cache of the embedded column store. */
  readonly analyticsCacheBytes: number
}

/**
 * Memory that this process may use: the limit of its cgroup (v1 or v2, as a container or a systemd unit sets it), or the
 * memory of the machine where that is less or there is none.
 */
export function readAvailableMemory(): number {
  // Undefined or 0 where the limit is unknown, and a number beyond all memory where there is none.
  const constrained = process.constrainedMemory()
  return constrained === undefined || constrained <= 0 ? totalmem() : Math.min(constrained, totalmem())
}

/** What an idle server with embedded engines uses, rounded up. */
const IDLE_BYTES = 480 * MiB

/** Divides memory among the parts. From 6.5 GiB on the budgets of requests no longer grow. */
export function planMemory(availableBytes: number): MemoryPlan {
  const share = (divisor: number, least: number, most: number) =>
    Math.floor(Math.min(most, Math.max(least, availableBytes / divisor)) / MiB) * MiB
  // A byte of a request costs about five by the time it is stored, on top of what an idle server needs.
  const spareBytes = Math.max(0, availableBytes - IDLE_BYTES)
  const bytesInFlight = Math.floor(Math.min(256 * MiB, Math.max(8 * MiB, spareBytes / 24)) / MiB) * MiB
  return {
    availableBytes,
    bytesInFlight,
    bodyBytes: Math.min(100 * MiB, bytesInFlight),
    waitingBytes: bytesInFlight,
    groupBytes: share(128, 1 * MiB, 16 * MiB),
    relationalBufferBytes: share(32, 8 * MiB, 128 * MiB),
    analyticsBytes: availableBytes < 2 * GiB ? share(5, 96 * MiB, 2 * GiB) : share(5 / 3, GiB, Number.MAX_SAFE_INTEGER),
    analyticsCacheBytes: share(64, 4 * MiB, 5 * GiB),
  }
}
