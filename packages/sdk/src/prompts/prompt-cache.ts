import { defaultLogger } from '../logger.ts'
import { builtin } from '../runtime/runtime.ts'
import type { PromptCommit } from '../schemas.ts'

export interface CacheConfig {
  /** Most prompts kept; the least recently used goes first. 0 turns the cache off. @default 100 */
  maxSize?: number | undefined
  /** Seconds until a prompt is stale; null: never. A stale one is served until its refresh is there. @default 300 */
  ttlSeconds?: number | null | undefined
  /** Seconds between two looks for stale prompts. @default 60 */
  refreshIntervalSeconds?: number | undefined
}

export interface CacheMetrics {
  hits: number
  misses: number
  refreshes: number
  refreshErrors: number
}

type Fetch = () => Promise<PromptCommit>

interface Entry {
  value: PromptCommit
  /** Epoch milliseconds. */
  since: number
  /** Absent in what was loaded and not asked for since. */
  refresh: Fetch | undefined
}

/**
 * Pulled prompts in memory, the least recently used gone first. Stale ones are served while a timer, which keeps no
 * process alive, brings newer ones.
 *
 * A client's keys begin with its server and a digest of its credentials, so clients that share a cache share entries
 * only where they would be answered alike.
 */
export class PromptCache {
  readonly #entries = new Map<string, Entry>()
  readonly #underWay = new Map<string, Promise<PromptCommit>>()
  #maxSize = 100
  #ttlMs: number | null = 300_000
  #intervalMs = 60_000
  #timer: ReturnType<typeof setInterval> | undefined
  #isRefreshing = false
  #metrics: CacheMetrics = { hits: 0, misses: 0, refreshes: 0, refreshErrors: 0 }

  constructor(config: CacheConfig = {}) {
    this.configure(config)
  }

  /** What is not given is back to its default. Entries stay, as far as there is room. */
  configure({ maxSize = 100, ttlSeconds = 300, refreshIntervalSeconds = 60 }: CacheConfig): void {
    this.stop()
    this.#maxSize = maxSize
    this.#ttlMs = ttlSeconds === null ? null : ttlSeconds * 1000
    this.#intervalMs = refreshIntervalSeconds * 1000
    this.#makeRoom(0)
    if (this.size > 0) this.#start()
  }

  /** @param refresh how to bring a newer one, from now on */
  get(key: string, refresh?: Fetch): PromptCommit | undefined {
    if (this.#maxSize === 0) return undefined
    const entry = this.#entries.get(key)
    this.#metrics[entry ? 'hits' : 'misses']++
    if (!entry) return undefined
    // The last of the map is the one used last.
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    entry.refresh = refresh ?? entry.refresh
    return entry.value
  }

  set(key: string, value: PromptCommit, refresh?: Fetch): void {
    if (this.#maxSize === 0) return
    this.#entries.delete(key)
    this.#makeRoom(1)
    this.#entries.set(key, { value, since: Date.now(), refresh })
    this.#start()
  }

  /** What is kept, else what `fetch` brings, which whoever asks meanwhile shares. */
  async getOrFetch(key: string, fetch: Fetch): Promise<PromptCommit> {
    const found = this.get(key, fetch)
    if (found) return found
    if (this.#maxSize === 0) return await fetch()
    const shared = this.#underWay.get(key)
    if (shared) return await shared
    const started = fetch()
    this.#underWay.set(key, started)
    try {
      const value = await started
      // Something may have been written since the question: then the answer is old, and nobody's but the asker's.
      if (this.#underWay.get(key) === started) this.set(key, value, fetch)
      return value
    } finally {
      if (this.#underWay.get(key) === started) this.#underWay.delete(key)
    }
  }

  invalidate(key: string): void {
    this.invalidateWhere((one) => one === key)
  }

  /** Forgets every entry whose key passes, and what is being fetched for it. */
  invalidateWhere(test: (key: string) => boolean): void {
    for (const map of [this.#entries, this.#underWay]) {
      for (const key of map.keys()) if (test(key)) map.delete(key)
    }
  }

  clear(): void {
    this.invalidateWhere(() => true)
  }

  get size(): number {
    return this.#entries.size
  }

  /** Ends the refreshing until something is set. */
  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  get metrics(): CacheMetrics {
    return { ...this.#metrics }
  }

  get totalRequests(): number {
    return this.#metrics.hits + this.#metrics.misses
  }

  /** 0 to 1; 0 before the first request. */
  get hitRate(): number {
    return this.totalRequests === 0 ? 0 : this.#metrics.hits / this.totalRequests
  }

  resetMetrics(): void {
    this.#metrics = { hits: 0, misses: 0, refreshes: 0, refreshErrors: 0 }
  }

  /**
   * Writes the entries to a JSON file, for a process that starts without the server.
   *
   * @throws where there are no files
   */
  dump(path: string): void {
    const [fs, paths] = [builtin('node:fs'), builtin('node:path')]
    if (!fs || !paths) throw new Error('A prompt cache is dumped to a file, and this platform has none.')
    const entries = Object.fromEntries(Array.from(this.#entries, ([key, { value }]) => [key, value]))
    fs.mkdirSync(paths.dirname(path), { recursive: true })
    const draft = `${path}.tmp`
    try {
      fs.writeFileSync(draft, JSON.stringify({ entries }, null, 2))
      fs.renameSync(draft, path)
    } catch (error) {
      fs.rmSync(draft, { force: true })
      throw error
    }
  }

  /**
   * Reads what `dump` wrote, as fresh as if it came now and as far as there is room.
   *
   * @returns how many entries; 0 for a file that is not there or not a dump
   */
  load(path: string): number {
    let count = 0
    for (const [key, value] of readDump(path)) {
      if (this.size >= this.#maxSize) break
      this.set(key, value)
      count++
    }
    return count
  }

  /** At most so many entries that `more` have room. */
  #makeRoom(more: number): void {
    for (const key of this.#entries.keys()) {
      if (this.size + more <= this.#maxSize) return
      this.#entries.delete(key)
    }
  }

  #start(): void {
    if (this.#timer !== undefined || this.#ttlMs === null) return
    this.#timer = setInterval(() => void this.#refreshStale(), this.#intervalMs)
    // In browsers a timer is a number, and nothing waits for it.
    ;(this.#timer as { unref?: () => void }).unref?.()
  }

  async #refreshStale(): Promise<void> {
    if (this.#isRefreshing || this.#ttlMs === null) return
    const before = Date.now() - this.#ttlMs
    this.#isRefreshing = true
    for (const [key, entry] of [...this.#entries]) {
      if (entry.since <= before) await this.#refresh(key, entry)
    }
    this.#isRefreshing = false
  }

  async #refresh(key: string, entry: Entry): Promise<void> {
    if (!entry.refresh) return
    try {
      const value = await entry.refresh()
      // Of an entry that went meanwhile there is nothing to refresh; one that stays keeps its place in the order.
      if (this.#entries.get(key) === entry) Object.assign(entry, { value, since: Date.now() })
      this.#metrics.refreshes++
    } catch (error) {
      this.#metrics.refreshErrors++
      defaultLogger.warn(`[touchstone] A cached prompt could not be refreshed, the old one stays: ${error}`)
    }
  }
}

function readDump(path: string): [string, PromptCommit][] {
  try {
    const { entries } = JSON.parse(builtin('node:fs')?.readFileSync(path, 'utf8') ?? '{}')
    return typeof entries === 'object' && entries !== null ? Object.entries(entries) : []
  } catch {
    return []
  }
}

/** The older name. */
export { PromptCache as Cache }

const SHARED = Symbol.for('touchstone:prompt_cache')

/** Shared by every client of the process, in both module systems, unless a client has one of its own. */
export const promptCacheSingleton: PromptCache = theOnly()

function theOnly(): PromptCache {
  const globals = globalThis as { [SHARED]?: PromptCache }
  globals[SHARED] ??= new PromptCache()
  return globals[SHARED]
}

/** How the shared cache works; what is not given is back to its default. */
export function configureGlobalPromptCache(config: CacheConfig): void {
  promptCacheSingleton.configure(config)
}
