/** What a client holds at most, unless told otherwise: 1 GiB. */
export const DEFAULT_MAX_SIZE_BYTES = 1024 ** 3

/** The bytes that all outboxes of one client may hold, waiting and under way together. */
export class MemoryBudget {
  readonly max: number
  #used = 0
  #warned = false

  constructor(max: number) {
    this.max = max
  }

  /** False when there is no room; a lone operation always fits, however large. */
  take(bytes: number): boolean {
    if (this.#used > 0 && this.#used + bytes > this.max) return false
    this.#used += bytes
    return true
  }

  give(bytes: number): void {
    this.#used -= bytes
  }

  /** True the first time that four fifths are in use. */
  crossedWarningMark(): boolean {
    if (this.#warned || this.#used < this.max * 0.8) return false
    this.#warned = true
    return true
  }
}
