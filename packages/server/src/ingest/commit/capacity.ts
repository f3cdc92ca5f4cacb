import { ApiError } from '@touchstone/contract'

export interface CapacityLimits {
  /** Items and bytes in memory; over it, requests wait. */
  readonly maxUnappliedRows: number
  readonly maxUnappliedBytes: number
  /** Items and bytes including those of waiting requests; over it, a request is refused. */
  readonly maxWaitingRows: number
  readonly maxWaitingBytes: number
}

interface WaitingRequest {
  readonly rows: number
  readonly bytes: number
  readonly enter: () => void
  readonly refuse: (error: ApiError) => void
}

/** Bounds the items that are accepted and not in the store yet. Requests wait in their order. */
export class Capacity {
  #rows = 0
  #bytes = 0
  #waiting: WaitingRequest[] = []
  #waitingRows = 0
  #waitingBytes = 0

  constructor(private readonly limits: CapacityLimits) {}

  /** Items that are accepted. */
  get rows(): number {
    return this.#rows
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Counts items without waiting. */
  take(rows: number, bytes: number): void {
    this.#rows += rows
    this.#bytes += bytes
  }

  /**
   * Waits until items fit, and counts them. Any submission fits into an empty buffer: a request larger than the limit must
   * be possible.
   *
   * @throws ApiError RATE_LIMITED when too much waits already
   */
  async waitFor(rows: number, bytes: number): Promise<void> {
    if (this.#waiting.length === 0 && this.#fits(rows, bytes)) return this.take(rows, bytes)
    const all = this.#rows + this.#waitingRows
    const allBytes = this.#bytes + this.#waitingBytes
    if (all + rows > this.limits.maxWaitingRows || allBytes + bytes > this.limits.maxWaitingBytes) {
      throw new ApiError('RATE_LIMITED', `${all} runs are waiting to be stored; send this batch again shortly.`)
    }
    this.#waitingRows += rows
    this.#waitingBytes += bytes
    await new Promise<void>((enter, refuse) => this.#waiting.push({ rows, bytes, enter, refuse }))
  }

  /** Gives up counted items, and lets waiting requests in. */
  free(rows: number, bytes: number): void {
    this.#rows -= rows
    this.#bytes -= bytes
    for (let next = this.#waiting[0]; next && this.#fits(next.rows, next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift()
      this.#waitingRows -= next.rows
      this.#waitingBytes -= next.bytes
      this.take(next.rows, next.bytes)
      next.enter()
    }
  }

  /** Refuses the requests that wait. */
  close(): void {
    for (const { refuse } of this.#waiting.splice(0)) refuse(new ApiError('UNAVAILABLE', 'The server is stopping.'))
  }

  #fits(rows: number, bytes: number): boolean {
    if (this.#rows === 0) return true
    const { maxUnappliedRows, maxUnappliedBytes } = this.limits
    return this.#rows + rows <= maxUnappliedRows && this.#bytes + bytes <= maxUnappliedBytes
  }
}
