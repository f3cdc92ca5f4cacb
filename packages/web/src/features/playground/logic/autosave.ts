/** What became of an attempt to save: only `failed` is worth another try without a change. */
export type SaveOutcome = 'saved' | 'failed' | 'refused' | 'conflict'

/** Quiet time after a change before it is saved. */
export const SAVE_AFTER_MS = 1_500
/** Longest time that a change waits while others follow, such as the parts of an answer. */
export const MAX_WAIT_MS = 5_000
export const RETRY_AFTER_MS = 10_000

/** Decides when a page is saved. Changes count as saved only after a save that began later than they did has succeeded. */
export class Autosaver {
  readonly #save: () => Promise<SaveOutcome>
  #changes = 0
  /** Changes before the save that began last. */
  #sentChanges = 0
  #savedChanges = 0
  /** When the oldest change was made that no save has begun for. */
  #waitingSinceMs: number | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> | undefined
  #isHeld = false
  #isClosed = false

  /** @param save  saves the newest state; never rejects */
  constructor(save: () => Promise<SaveOutcome>) {
    this.#save = save
  }

  get isDirty(): boolean {
    return this.#changes > this.#savedChanges
  }

  /** Whether a change waits for a save that has not begun. */
  get hasUnsent(): boolean {
    return this.#changes > this.#sentChanges
  }

  /** Saves soon. */
  change(): void {
    this.#changes++
    if (this.#isHeld || this.#isClosed) return
    const now = Date.now()
    this.#waitingSinceMs ??= now
    this.#saveAfter(Math.max(0, Math.min(SAVE_AFTER_MS, this.#waitingSinceMs + MAX_WAIT_MS - now)))
  }

  /** Saves what has changed now, after the save that runs, because each needs the version of the one before. */
  async flush(): Promise<void> {
    this.#clearTimer()
    while (this.#running !== undefined) await this.#running
    if (!this.isDirty || this.#isHeld) return
    this.#running = this.#attempt()
    await this.#running
  }

  /** Saves although the last save was in conflict with a change of another member. */
  async resume(): Promise<void> {
    this.#isHeld = false
    this.#changes++
    await this.flush()
  }

  /** Gives up what is not saved. */
  discard(): void {
    this.#clearTimer()
    this.#waitingSinceMs = undefined
    this.#sentChanges = this.#changes
    this.#savedChanges = this.#changes
  }

  /** Saves for the last time. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.flush()
  }

  async #attempt(): Promise<void> {
    this.#clearTimer()
    this.#waitingSinceMs = undefined
    const changes = this.#changes
    this.#sentChanges = changes
    const outcome = await this.#save()
    this.#running = undefined
    if (outcome === 'saved') this.#savedChanges = changes
    else this.#sentChanges = this.#savedChanges
    this.#isHeld = outcome === 'conflict'
    if (this.#isHeld) this.#clearTimer()
    else if (outcome === 'failed' && !this.#isClosed && this.#timer === undefined) this.#saveAfter(RETRY_AFTER_MS)
  }

  #saveAfter(ms: number): void {
    this.#clearTimer()
    this.#timer = setTimeout(() => void this.flush(), ms)
  }

  #clearTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
