import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client, configureGlobalPromptCache, PromptCache, promptCacheSingleton } from '../index.ts'
import type { PromptCommit } from '../schemas.ts'

const aCommit = (commit_hash: string): PromptCommit => ({
  owner: '-',
  repo: 'p',
  commit_hash,
  manifest: { kwargs: { template: commit_hash } },
  examples: [],
})

describe('a prompt cache', () => {
  let cache: PromptCache
  beforeEach(() => {
    vi.useFakeTimers()
    cache = new PromptCache({ maxSize: 2, ttlSeconds: 100, refreshIntervalSeconds: 10 })
  })
  afterEach(() => {
    cache.stop()
    vi.useRealTimers()
  })

  it('forgets what was not used for longest', () => {
    cache.set('a', aCommit('1'))
    cache.set('b', aCommit('2'))
    cache.get('a')
    cache.set('c', aCommit('3'))
    expect([cache.get('a'), cache.get('b'), cache.get('c')].map((commit) => commit?.commit_hash)).toEqual([
      '1',
      undefined,
      '3',
    ])
    expect(cache.size).toBe(2)
  })

  it('counts', () => {
    cache.set('a', aCommit('1'))
    cache.get('a')
    cache.get('a')
    cache.get('a')
    cache.get('b')
    expect(cache.metrics).toEqual({ hits: 3, misses: 1, refreshes: 0, refreshErrors: 0 })
    expect([cache.totalRequests, cache.hitRate]).toEqual([4, 0.75])
    cache.resetMetrics()
    expect([cache.totalRequests, cache.hitRate]).toEqual([0, 0])
  })

  it('is off at size 0', async () => {
    cache.configure({ maxSize: 0 })
    const fetch = vi.fn(async () => aCommit('1'))
    await cache.getOrFetch('a', fetch)
    await cache.getOrFetch('a', fetch)
    expect(fetch).toHaveBeenCalledTimes(2)
    expect([cache.size, cache.totalRequests, vi.getTimerCount()]).toEqual([0, 0, 0])
  })

  it('serves the stale and brings the new meanwhile', async () => {
    const refresh = vi.fn(async () => aCommit('2'))
    cache.set('a', aCommit('1'), refresh)
    await vi.advanceTimersByTimeAsync(99_000)
    expect(refresh).not.toHaveBeenCalled()
    expect(cache.get('a')?.commit_hash).toBe('1')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(cache.get('a')?.commit_hash).toBe('2')
    expect(refresh).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(90_000)
    expect(refresh).toHaveBeenCalledTimes(1)
    expect(cache.metrics.refreshes).toBe(1)
  })

  it('refreshes as the client did that asked last', async () => {
    cache.set('a', aCommit('1'), async () => aCommit('first'))
    cache.get('a', async () => aCommit('last'))
    await vi.advanceTimersByTimeAsync(110_000)
    expect(cache.get('a')?.commit_hash).toBe('last')
  })

  it('keeps the old version when the refresh fails, with a warning', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    cache.set('a', aCommit('1'), async () => {
      throw new Error('away')
    })
    await vi.advanceTimersByTimeAsync(110_000)
    expect(cache.get('a')?.commit_hash).toBe('1')
    expect(cache.metrics.refreshErrors).toBeGreaterThan(0)
    expect(warn.mock.calls[0]?.[0]).toBe(
      '[touchstone] Could not refresh a cached prompt, keeping the old version: Error: away',
    )
    warn.mockRestore()
  })

  it('does not bring back what was forgotten during its refresh', async () => {
    let answer = (_: PromptCommit) => {}
    cache.set('a', aCommit('1'), () => new Promise((resolve) => (answer = resolve)))
    await vi.advanceTimersByTimeAsync(110_000)
    cache.invalidate('a')
    answer(aCommit('2'))
    await vi.advanceTimersByTimeAsync(0)
    expect(cache.get('a')).toBeUndefined()
  })

  it('never finds anything stale without a time to live', async () => {
    cache.configure({ ttlSeconds: null })
    const refresh = vi.fn(async () => aCommit('2'))
    cache.set('a', aCommit('1'), refresh)
    await vi.advanceTimersByTimeAsync(10_000_000)
    expect(refresh).not.toHaveBeenCalled()
  })

  it('goes on refreshing what it has under a new configuration', async () => {
    cache.set('a', aCommit('1'), async () => aCommit('2'))
    cache.set('b', aCommit('1'), async () => aCommit('2'))
    cache.configure({ maxSize: 1, ttlSeconds: 5, refreshIntervalSeconds: 1 })
    expect(cache.size).toBe(1)
    await vi.advanceTimersByTimeAsync(7_000)
    expect(cache.get('b')?.commit_hash).toBe('2')
  })

  it('asks once for what several want at the same time', async () => {
    const fetch = vi.fn(async () => aCommit('1'))
    const all = await Promise.all([1, 2, 3].map(() => cache.getOrFetch('a', fetch)))
    expect(all.map(({ commit_hash }) => commit_hash)).toEqual(['1', '1', '1'])
    expect(fetch).toHaveBeenCalledTimes(1)
    const failing = vi.fn(async () => Promise.reject(new Error('away')))
    await expect(Promise.all([cache.getOrFetch('b', failing), cache.getOrFetch('b', failing)])).rejects.toThrow('away')
    expect(failing).toHaveBeenCalledTimes(1)
    expect((await cache.getOrFetch('b', fetch)).commit_hash).toBe('1')
  })

  it('does not keep an answer that a write has overtaken', async () => {
    let answer = (_: PromptCommit) => {}
    const old = cache.getOrFetch('a', () => new Promise((resolve) => (answer = resolve)))
    cache.invalidate('a')
    const fresh = await cache.getOrFetch('a', async () => aCommit('new'))
    answer(aCommit('old'))
    expect([(await old).commit_hash, fresh.commit_hash, cache.get('a')?.commit_hash]).toEqual(['old', 'new', 'new'])
  })
})

describe('a prompt cache in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-cache-'))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('is restored up to the maximum size', () => {
    const path = join(folder, 'deep/er/cache.json')
    const cache = new PromptCache()
    for (const key of ['a', 'b', '__proto__']) cache.set(key, aCommit(key))
    cache.dump(path)
    expect(readdirSync(join(folder, 'deep/er'))).toEqual(['cache.json'])
    expect(Object.keys(JSON.parse(readFileSync(path, 'utf8')).entries)).toEqual(['a', 'b', '__proto__'])
    const next = new PromptCache()
    expect(next.load(path)).toBe(3)
    expect(next.get('__proto__')).toEqual(aCommit('__proto__'))
    expect(new PromptCache({ maxSize: 2 }).load(path)).toBe(2)
    expect(new PromptCache({ maxSize: 0 }).load(path)).toBe(0)
    for (const one of [cache, next]) one.stop()
  })

  it('is nothing where there is none, or no dump', () => {
    expect(new PromptCache().load(join(folder, 'none.json'))).toBe(0)
    for (const text of ['', 'no JSON', '[]', 'null', '{"entries":null}']) {
      const path = join(mkdtempSync(join(tmpdir(), 'touchstone-cache-')), 'bad.json')
      writeFileSync(path, text)
      expect(new PromptCache().load(path)).toBe(0)
    }
  })
})

describe('pulls of clients that share the cache', () => {
  let server: Recorder
  let version: number
  beforeEach(async () => {
    version = 1
    configureGlobalPromptCache({})
    promptCacheSingleton.clear()
    promptCacheSingleton.resetMetrics()
    server = await Recorder.start(({ method, path }) => {
      if (path === '/settings') return { body: { id: 'w1', tenant_handle: 'acme' } }
      if (method === 'POST' && path.startsWith('/commits'))
        return { body: { commit: { id: '1', commit_hash: `v${++version}` } } }
      if (/^\/commits\/[^/]+\/[^/]+$/.test(path))
        return { body: { commits: [{ id: '1', commit_hash: `v${version}` }] } }
      if (path.endsWith('/history')) return { body: { commits: [{ id: '1', commit_hash: `v${version}` }], total: 1 } }
      if (path.startsWith('/commits'))
        return { body: { commit_hash: `v${version}`, manifest: { a: [1] }, examples: [] } }
      return { body: { repo: {} } }
    })
  })
  afterEach(() => server.stop())

  const aClient = (config: object = {}) => new Client({ apiUrl: server.url, apiKey: 'k', ...config })
  const pulls = () =>
    server.requests.filter(({ path, method }) => method === 'GET' && /^\/commits\/[^/]+\/[^/]+\/[^/]+$/.test(path))
      .length

  it('ask once, also when they ask at the same time', async () => {
    const one = aClient()
    await Promise.all([one.pullPromptCommit('p'), one.pullPromptCommit('p'), aClient().pullPromptCommit('p')])
    await aClient().pullPromptCommit('p')
    expect(pulls()).toBe(1)
    expect(promptCacheSingleton.metrics).toMatchObject({ hits: 1, misses: 3 })
  })

  it('tell apart the model, the identifier, and a tag that reads like the model', async () => {
    const client = aClient()
    await client.pullPromptCommit('p')
    await client.pullPromptCommit('p', { includeModel: true })
    await client.pullPromptCommit('p:with_model')
    await client.pullPromptCommit('p:latest')
    expect([pulls(), promptCacheSingleton.size]).toEqual([4, 4])
  })

  it('keep apart servers, keys, workspaces and headers, and write no key down', async () => {
    const other = await Recorder.start(() => ({ body: { commit_hash: 'other', manifest: {}, examples: [] } }))
    await aClient().pullPromptCommit('p')
    expect(await aClient({ apiUrl: other.url }).pullPromptCommit('p')).toMatchObject({ commit_hash: 'other' })
    await other.stop()
    const changing = aClient()
    changing.headers = { authorization: 'Bearer 1' }
    for (const client of [aClient({ apiKey: 'secret-key' }), aClient({ workspaceId: 'w2' }), changing]) {
      await client.pullPromptCommit('p')
    }
    expect(pulls()).toBe(4)
    const path = join(mkdtempSync(join(tmpdir(), 'touchstone-cache-')), 'dump.json')
    promptCacheSingleton.dump(path)
    expect(readFileSync(path, 'utf8')).not.toMatch(/secret-key|Bearer/)
  })

  it('hear of what any of them writes', async () => {
    const [reader, writer] = [aClient(), aClient({ apiKey: 'other' })]
    const read = async () => (await reader.pullPromptCommit('acme/p:production')).commit_hash
    expect(await read()).toBe('v1')
    await writer.createCommit('p', { id: ['PromptTemplate'] })
    expect(await read()).toBe('v2')
    await writer.pushPrompt('p', { object: { id: ['PromptTemplate'] } })
    expect(await read()).toBe('v3')
    version++
    expect(await read()).toBe('v3')
    await writer.tagCommit('p', 'production')
    expect(await read()).toBe('v4')
    version++
    await writer.deleteCommitTag('p', 'production')
    expect(await read()).toBe('v5')
    version++
    await writer.createCommit('another', {})
    expect(await read()).toBe('v5')
    await writer.deletePrompt('p')
    expect(promptCacheSingleton.size).toBe(0)
  })

  it('get a copy of their own', async () => {
    const client = aClient()
    const first = await client.pullPromptCommit('p')
    first.manifest.a.push(2)
    expect((await client.pullPromptCommit('p')).manifest).toEqual({ a: [1] })
  })

  it('bypass it on request', async () => {
    await aClient().pullPromptCommit('p', { skipCache: true })
    await aClient({ disablePromptCache: true }).pullPromptCommit('p')
    await aClient({ cache: false }).pullPromptCommit('p')
    const own = new PromptCache()
    const client = aClient({ cache: own })
    await client.pullPromptCommit('p')
    await client.pullPromptCommit('p')
    own.stop()
    expect([pulls(), promptCacheSingleton.size, own.size]).toEqual([4, 0, 1])
  })

  it('may stop waiting without taking the answer from others', async () => {
    const controller = new AbortController()
    let answer = () => {}
    const waiting = new Promise<void>((resolve) => (answer = resolve))
    server.respond(async () => {
      await waiting
      return { body: { commit_hash: 'late', manifest: {}, examples: [] } }
    })
    const client = aClient()
    const impatient = client.pullPromptCommit('p', {}, { signal: controller.signal })
    const patient = client.pullPromptCommit('p')
    controller.abort(new Error('enough'))
    await expect(impatient).rejects.toThrow('enough')
    answer()
    expect(await patient).toMatchObject({ commit_hash: 'late' })
    const gone = client.pullPromptCommit('p', {}, { signal: AbortSignal.abort(new Error('gone')) })
    await expect(gone).rejects.toThrow('gone')
  })

  it('let the process end', async () => {
    await aClient().pullPromptCommit('p')
    const timers = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout')
    promptCacheSingleton.stop()
    expect(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout')).toEqual(timers)
  })
})
