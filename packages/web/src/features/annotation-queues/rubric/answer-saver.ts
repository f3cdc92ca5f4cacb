import type { Answer } from './rubric.ts'

/** Whether an answer is stored. */
export type SaveStatus = { kind: 'saving' } | { kind: 'saved'; atMs: number } | { kind: 'failed'; error: unknown }

interface Entry {
  latest: Answer
  /** `invalid`: the reviewer has to change it before it can be written. */
  state: 'waiting' | 'written' | 'invalid'
  timer: ReturnType<typeof setTimeout> | undefined
  running: Promise<boolean> | undefined
}

/**
 * Saves the answers of one item. Writes of a key run one after the other, and only the latest answer is written, so that
 * an older one never replaces it.
 */
export class AnswerSaver {
  readonly #entries = new Map<string, Entry>()
  readonly #write: (key: string, answer: Answer) => Promise<void>
  readonly #onStatus: (key: string, status: SaveStatus | undefined) => void

  /** @param onStatus  called with undefined for an answer that is not to be stored */
  constructor(
    write: (key: string, answer: Answer) => Promise<void>,
    onStatus: (key: string, status: SaveStatus | undefined) => void,
  ) {
    this.#write = write
    this.#onStatus = onStatus
  }

  /** @param delayMs  waits for more typing */
  save(key: string, answer: Answer, delayMs = 0): void {
    const entry = this.#replace(key, answer, 'waiting')
    this.#onStatus(key, { kind: 'saving' })
    if (delayMs === 0) void this.#run(key)
    else entry.timer = setTimeout(() => void this.#run(key), delayMs)
  }

  /** Notes an answer that cannot be stored, and gives up the one that waits to be: the reviewer means another one. */
  reject(key: string, answer: Answer): void {
    this.#replace(key, answer, 'invalid')
    this.#onStatus(key, undefined)
  }

  /** Whether an answer is not stored, because it waits or is invalid. */
  hasPending(): boolean {
    return [...this.#entries.values()].some(({ state }) => state !== 'written')
  }

  /** Writes everything valid now, failed answers again. @returns whether that is stored */
  async flush(): Promise<boolean> {
    const results = await Promise.all([...this.#entries.keys()].map((key) => this.#run(key)))
    return results.every(Boolean)
  }

  #replace(key: string, latest: Answer, state: Entry['state']): Entry {
    const before = this.#entries.get(key)
    clearTimeout(before?.timer)
    const entry: Entry = { latest, state, timer: undefined, running: before?.running }
    this.#entries.set(key, entry)
    return entry
  }

  async #run(key: string): Promise<boolean> {
    const entry = this.#entries.get(key)
    if (entry?.state !== 'waiting') return true
    clearTimeout(entry.timer)
    const running = (entry.running ?? Promise.resolve(true)).then(() => this.#writeLatest(key))
    entry.running = running
    return running
  }

  async #writeLatest(key: string): Promise<boolean> {
    const entry = this.#entries.get(key)
    if (entry?.state !== 'waiting') return true
    try {
      await this.#write(key, entry.latest)
    } catch (error) {
      if (this.#entries.get(key) === entry) this.#onStatus(key, { kind: 'failed', error })
      return false
    }
    entry.state = 'written'
    if (this.#entries.get(key) === entry) this.#onStatus(key, { kind: 'saved', atMs: Date.now() })
    return true
  }
}
