import { isObject } from '../guards.ts'
import { defaultLogger } from '../logger.ts'
import { builtin } from '../runtime/runtime.ts'
import type { PromptCommit } from '../schemas.ts'

export interface CacheConfig {
  /** Maximum number of prompts; the least recently used is removed first. 0 disables the cache. @default 100 */
  maxSize?: number | undefined
  /**
   * Seconds until a prompt is stale; null: never. A stale prompt is served until its refresh has finished. @default 300
   */
  ttlSeconds?: number | null | undefined
  /** Seconds between checks for stale prompts. @default 60 */
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
  refreshedAt: number
  /** Absent for entries that were loaded from a file and not requested since. */
  refresh: Fetch | undefined
}

/**
 * In-memory LRU cache of pulled prompts. Stale prompts are served while a timer refreshes them; the timer does not keep
 * the process alive.
 *
 * A client's keys start with its server and a digest of its credentials, so clients share entries only when the server
 * would answer them alike.
 */
export class PromptCache {
  readonly #entries = new Map<string, Entry>()
  readonly #pending = new Map<string, Promise<PromptCommit>>()
  #maxSize = 100
  #ttlMs: number | null = 300_000
  #intervalMs = 60_000
  #timer: ReturnType<typeof setInterval> | undefined
  #isRefreshing = false
  #metrics: CacheMetrics = { hits: 0, misses: 0, refreshes: 0, refreshErrors: 0 }

  constructor(config: CacheConfig = {}) {
    this.configure(config)
  }

  /** Options that are not given are reset to their defaults. Entries are kept up to `maxSize`. */
  configure({ maxSize = 100, ttlSeconds = 300, refreshIntervalSeconds = 60 }: CacheConfig): void {
    this.stop()
    this.#maxSize = maxSize
    this.#ttlMs = ttlSeconds === null ? null : ttlSeconds * 1000
    this.#intervalMs = refreshIntervalSeconds * 1000
    this.#evictFor(0)
    if (this.size > 0) this.#start()
  }

  /** @param refresh fetches a newer version later */
  get(key: string, refresh?: Fetch): PromptCommit | undefined {
    if (this.#maxSize === 0) return undefined
    const entry = this.#entries.get(key)
    this.#metrics[entry ? 'hits' : 'misses']++
    if (!entry) return undefined
    // Map order is usage order, so a used entry is moved to the end.
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    entry.refresh = refresh ?? entry.refresh
    return entry.value
  }

  set(key: string, value: PromptCommit, refresh?: Fetch): void {
    if (this.#maxSize === 0) return
    this.#entries.delete(key)
    this.#evictFor(1)
    this.#entries.set(key, { value, refreshedAt: Date.now(), refresh })
    this.#start()
  }

  /** Returns the cached prompt, or fetches it. Concurrent calls share one request. */
  async getOrFetch(key: string, fetch: Fetch): Promise<PromptCommit> {
    const found = this.get(key, fetch)
    if (found) return found
    if (this.#maxSize === 0) return await fetch()
    const shared = this.#pending.get(key)
    if (shared) return await shared
    const started = fetch()
    this.#pending.set(key, started)
    try {
      const value = await started
      // If the key was invalidated during the request, the result is outdated and is not stored.
      if (this.#pending.get(key) === started) this.set(key, value, fetch)
      return value
    } finally {
      if (this.#pending.get(key) === started) this.#pending.delete(key)
    }
  }

  invalidate(key: string): void {
    this.invalidateWhere((candidate) => candidate === key)
  }

  /** Removes entries whose key matches, and discards their pending requests. */
  invalidateWhere(test: (key: string) => boolean): void {
    for (const map of [this.#entries, this.#pending]) {
      for (const key of map.keys()) if (test(key)) map.delete(key)
    }
  }

  clear(): void {
    this.invalidateWhere(() => true)
  }

  get size(): number {
    return this.#entries.size
  }

  /** Stops refreshing until the next `set`. */
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

  /** 0 to 1; 0 staleBefore the first request. */
  get hitRate(): number {
    return this.totalRequests === 0 ? 0 : this.#metrics.hits / this.totalRequests
  }

  resetMetrics(): void {
    this.#metrics = { hits: 0, misses: 0, refreshes: 0, refreshErrors: 0 }
  }

  /**
   * Writes the entries to a JSON file, for a process that starts without the server.
   *
   * @throws Error on platforms without a file system
   */
  dump(path: string): void {
    const [fs, paths] = [builtin('node:fs'), builtin('node:path')]
    if (!fs || !paths) throw new Error('Cannot dump the prompt cache: this platform has no file system.')
    const entries = Object.fromEntries(Array.from(this.#entries, ([key, { value }]) => [key, value]))
    fs.mkdirSync(paths.dirname(path), { recursive: true })
    const temporaryPath = `${path}.tmp`
    try {
      fs.writeFileSync(temporaryPath, JSON.stringify({ entries }, null, 2))
      fs.renameSync(temporaryPath, path)
    } catch (error) {
      fs.rmSync(temporaryPath, { force: true })
      throw error
    }
  }

  /**
   * Reads a file written by `dump`, as fresh entries, up to `maxSize`.
   *
   * @returns the number of entries; 0 when the file is missing or invalid
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

  /** Removes the oldest entries, so that `more` entries fit. */
  #evictFor(more: number): void {
    for (const key of this.#entries.keys()) {
      if (this.size + more <= this.#maxSize) return
      this.#entries.delete(key)
    }
  }

  #start(): void {
    if (this.#timer !== undefined || this.#ttlMs === null) return
    this.#timer = setInterval(() => void this.#refreshStale(), this.#intervalMs)
    // In browsers a timer is a number without `unref`.
    ;(this.#timer as { unref?: () => void }).unref?.()
  }

  async #refreshStale(): Promise<void> {
    if (this.#isRefreshing || this.#ttlMs === null) return
    const staleBefore = Date.now() - this.#ttlMs
    this.#isRefreshing = true
    for (const [key, entry] of [...this.#entries]) {
      if (entry.refreshedAt <= staleBefore) await this.#refresh(key, entry)
    }
    this.#isRefreshing = false
  }

  async #refresh(key: string, entry: Entry): Promise<void> {
    if (!entry.refresh) return
    try {
      const value = await entry.refresh()
      // The entry may have been removed meanwhile. A refresh does not change the usage order.
      if (this.#entries.get(key) === entry) Object.assign(entry, { value, refreshedAt: Date.now() })
      this.#metrics.refreshes++
    } catch (error) {
      this.#metrics.refreshErrors++
      defaultLogger.warn(`[touchstone] Could not refresh a cached prompt, keeping the old version: ${error}`)
    }
  }
}

function readDump(path: string): [string, PromptCommit][] {
  try {
    const { entries } = JSON.parse(builtin('node:fs')?.readFileSync(path, 'utf8') ?? '{}')
    return isObject(entries) ? Object.entries(entries as Record<string, PromptCommit>) : []
  } catch {
    return []
  }
}

/** The former name. */
export { PromptCache as Cache }

const SHARED = Symbol.for('touchstone:prompt_cache')

/** Shared by all clients of the process, in both module systems, unless a client has its own cache. */
export const promptCacheSingleton: PromptCache = getSharedCache()

function getSharedCache(): PromptCache {
  const globals = globalThis as { [SHARED]?: PromptCache }
  globals[SHARED] ??= new PromptCache()
  return globals[SHARED]
}

/** Configures the shared cache; options that are not given are reset to their defaults. */
export function configureGlobalPromptCache(config: CacheConfig): void {
  promptCacheSingleton.configure(config)
}
