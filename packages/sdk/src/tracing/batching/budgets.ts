/** Milliseconds of recording work per turn of the event loop. */
const BUDGET_MS = 5

/**
 * Runs short synchronous tasks immediately until the time budget of the current turn is spent, and the rest in later
 * turns, in order.
 *
 * Recording normally happens during the call, so that later changes to an object are not recorded. When very many runs
 * end in one turn, a responsive event loop matters more: the rest is recorded a few milliseconds late.
 */
export class TurnBudget {
  /**
   * Tasks for later turns, in order. Removing the first of a very long array would take longer than the tasks.
   */
  readonly late = new Set<() => void>()
  #spentMs = 0
  #scheduled = false

  /** @returns the task's result, or a promise of it when the task was postponed */
  run<T>(task: () => T): T | Promise<T> {
    if (this.#spentMs < BUDGET_MS && this.late.size === 0) return this.#timed(task)
    this.#schedule()
    return new Promise((resolve, reject) => {
      this.late.add(() => {
        try {
          resolve(task())
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  #timed<T>(task: () => T): T {
    const start = performance.now()
    try {
      return task()
    } finally {
      this.#spentMs += performance.now() - start
      this.#schedule()
    }
  }

  /** Runs what was postponed, once. For the end of the process, which has no later turn. */
  finish(): void {
    for (const task of this.late) {
      this.late.delete(task)
      task()
    }
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    nextTurn(() => {
      this.#scheduled = false
      this.#spentMs = 0
      for (const task of this.late) {
        if (this.#spentMs >= BUDGET_MS) return this.#schedule()
        this.late.delete(task)
        this.#timed(task)
      }
    })
  }
}

/** Lets pending input and output run first. */
function nextTurn(task: () => void): void {
  if (typeof setImmediate === 'function') setImmediate(task)
  else setTimeout(task, 0)
}

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
  reserve(bytes: number): boolean {
    if (this.#used > 0 && this.#used + bytes > this.max) return false
    this.#used += bytes
    return true
  }

  release(bytes: number): void {
    this.#used -= bytes
  }

  /** True the first time that 80 % are in use. */
  hasJustReachedWarning(): boolean {
    if (this.#warned || this.#used < this.max * 0.8) return false
    this.#warned = true
    return true
  }
}
