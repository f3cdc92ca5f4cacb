/** Default memory limit of a client: 1 GiB. */
export const DEFAULT_MAX_SIZE_BYTES = 1024 ** 3

/** Limits the bytes that all outboxes of one client hold, both waiting and in flight. */
export class MemoryBudget {
  readonly max: number
  #used = 0
  #warned = false

  constructor(max: number) {
    this.max = max
  }

  /** Returns false when the limit is exceeded. A single operation always fits, whatever its size. */
  take(bytes: number): boolean {
    if (this.#used > 0 && this.#used + bytes > this.max) return false
    this.#used += bytes
    return true
  }

  give(bytes: number): void {
    this.#used -= bytes
  }

  /** True the first time that 80 % are in use. */
  crossedWarningMark(): boolean {
    if (this.#warned || this.#used < this.max * 0.8) return false
    this.#warned = true
    return true
  }
}
