import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import {
  APIConnectionError,
  APIConnectionTimeoutError,
  Client,
  ConflictError,
  NotFoundError,
  overrideFetchImplementation,
} from '../index.ts'

let server: Recorder

beforeEach(async () => {
  server = await Recorder.start()
})
afterEach(() => server.stop())

const now = { 'retry-after': '0' }

describe('a call', () => {
  it('carries key, workspace and user agent, and JSON only with a body', async () => {
    const client = new Client({
      apiUrl: `${server.url}/`,
      apiKey: ' "k" ',
      workspaceId: 'w',
      headers: { 'x-more': '1' },
    })
    server.respond(() => ({ body: [] }))
    await client.listWorkspaces()
    await client.queryRuns({})
    const [get, post] = server.requests
    expect(get!.headers).toMatchObject({ 'x-api-key': 'k', 'x-tenant-id': 'w', 'x-more': '1' })
    expect(get!.headers['user-agent']).toMatch(/^touchstone-js\/\d/)
    expect(get!.headers['content-type']).toBeUndefined()
    expect(post!.headers['content-type']).toBe('application/json')
  })

  it('logs once what the server repaired', async () => {
    const warnings: string[] = []
    const client = new Client({ apiUrl: server.url, logger: { warn: (message) => warnings.push(message) } })
    server.respond(() => ({ body: { id: 'p' }, headers: { 'x-touchstone-repaired': 'name, description' } }))
    await client.createProject({ projectName: 'a\ud83e' })
    await client.createProject({ projectName: 'b\ud83e' })
    expect(warnings).toEqual([expect.stringMatching(/^\[touchstone\] .+ repaired name, description$/)])
  })

  it('logs once what the server ignored', async () => {
    const warnings: string[] = []
    const client = new Client({ apiUrl: server.url, logger: { warn: (message) => warnings.push(message) } })
    server.respond(() => ({ body: { id: 'p' }, headers: { 'x-touchstone-ignored': 'nam, query.x' } }))
    await client.createProject({ projectName: 'a' })
    await client.createProject({ projectName: 'b' })
    expect(warnings).toEqual([expect.stringMatching(/^\[touchstone\] .+ ignored nam, query\.x$/)])
  })

  it('cannot have its key replaced by an extra header', async () => {
    const client = new Client({
      apiUrl: server.url,
      apiKey: 'real',
      headers: { 'X-API-Key': 'other', 'User-Agent': 'me' },
    })
    server.respond(() => ({ body: [] }))
    await client.listWorkspaces()
    expect(server.requests[0]!.headers).toMatchObject({ 'x-api-key': 'real', 'user-agent': 'me' })
  })

  it('refuses headers that no request could carry, at construction', () => {
    expect(() => new Client({ headers: { 'bad header': 'x' } })).toThrow()
  })

  it('reads the environment at its first use, not at construction', async () => {
    const client = new Client()
    process.env.LANGSMITH_ENDPOINT = server.url
    process.env.TOUCHSTONE_API_KEY = 'mine'
    process.env.LANGSMITH_API_KEY = 'theirs'
    try {
      server.respond(() => ({ body: [] }))
      await client.listWorkspaces()
    } finally {
      delete process.env.LANGSMITH_ENDPOINT
      delete process.env.TOUCHSTONE_API_KEY
      delete process.env.LANGSMITH_API_KEY
    }
    expect(server.requests[0]!.headers['x-api-key']).toBe('mine')
  })

  it('goes through the process-wide fetch unless the client has its own', async () => {
    const seen: string[] = []
    const via =
      (name: string): typeof fetch =>
      (input, init) => {
        seen.push(name)
        return fetch(input, init)
      }
    server.respond(() => ({ body: [] }))
    overrideFetchImplementation(via('override'))
    try {
      await new Client({ apiUrl: server.url }).listWorkspaces()
      await new Client({ apiUrl: server.url, fetchImplementation: via('own') }).listWorkspaces()
    } finally {
      overrideFetchImplementation(undefined as never)
    }
    expect(seen).toEqual(['override', 'own'])
  })

  it('keeps to the limit of concurrent requests', async () => {
    let running = 0
    let most = 0
    server.respond(async () => {
      most = Math.max(most, ++running)
      // Pause: requests overlap only while each takes some time.
      await new Promise((resolve) => setTimeout(resolve, 10))
      running--
      return { body: [] }
    })
    const client = new Client({ apiUrl: server.url, callerOptions: { maxConcurrency: 2 } })
    await Promise.all(Array.from({ length: 6 }, () => client.listWorkspaces()))
    expect(most).toBe(2)
  })
})

describe('the retry rule', () => {
  const cases: [number, number][] = [
    // Not 407: `fetch` hides that answer behind a network failure.
    ...[400, 401, 402, 403, 404, 405, 406, 409].map((status): [number, number] => [status, 1]),
    ...[408, 410, 413, 418, 422, 425, 429, 500, 501, 502, 503, 504].map((status): [number, number] => [status, 7]),
  ]
  it.each(cases)('makes of status %i %i attempts', async (status, attempts) => {
    server.respond(() => ({ status, headers: now, body: { detail: 'no' } }))
    const error: unknown = await new Client({ apiUrl: server.url }).getSettings().catch((error: unknown) => error)
    expect(error).toMatchObject({ status })
    expect(server.requests).toHaveLength(attempts)
  })

  it('honours the number of retries that the caller asks for', async () => {
    server.respond(() => ({ status: 500, headers: now }))
    const client = new Client({ apiUrl: server.url, callerOptions: { maxRetries: 2 } })
    await client.getSettings().catch(() => {})
    await client.getSettings({ maxRetries: 0 }).catch(() => {})
    expect(server.requests).toHaveLength(3 + 1)
  })

  it('asks the caller which statuses are worth a retry', async () => {
    server.respond((_, earlier) => ({ status: earlier === 0 ? 503 : 422, headers: now }))
    const retryStatus = (status: number) => status >= 500
    const error: unknown = await new Client({ apiUrl: server.url, callerOptions: { retryStatus } })
      .getSettings()
      .catch((error: unknown) => error)
    expect(error).toMatchObject({ status: 422 })
    expect(server.requests).toHaveLength(2)
  })

  it('waits as long as the server asks', async () => {
    server.respond((_, earlier) => (earlier === 0 ? { status: 429, headers: { 'retry-after': '1' } } : { body: [] }))
    await new Client({ apiUrl: server.url }).listWorkspaces()
    const [first, second] = server.requests
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(990)
  })

  it('never repeats after an exhausted quota', async () => {
    server.respond(() => ({ status: 429, headers: now, body: { error: { code: 'insufficient_quota' } } }))
    const failing = new Client({ apiUrl: server.url }).getSettings()
    await expect(failing).rejects.toMatchObject({ name: 'InsufficientQuotaError', status: 429 })
    expect(server.requests).toHaveLength(1)
  })

  it('repeats after a lost connection', async () => {
    server.respond((_, earlier) => (earlier === 0 ? { reset: true } : { body: { tenant_handle: 'a' } }))
    expect(await new Client({ apiUrl: server.url }).getSettings()).toEqual({ tenant_handle: 'a' })
  })

  it('does not repeat after a time-out', async () => {
    server.respond(() => ({ hang: true }))
    const failing = new Client({ apiUrl: server.url, timeout_ms: 50 }).getSettings()
    await expect(failing).rejects.toThrow(APIConnectionTimeoutError)
    await expect(failing).rejects.toMatchObject({ cause: { name: 'TimeoutError' } })
    expect(server.requests).toHaveLength(1)
  })

  it('names the address that did not answer', async () => {
    const { url } = server
    await server.stop()
    const failing = new Client({ apiUrl: url, callerOptions: { maxRetries: 0 } }).getSettings()
    await expect(failing).rejects.toThrow(APIConnectionError)
    await expect(failing).rejects.toThrow(`Failed to read the settings. No answer from ${url}/settings`)
    server = await Recorder.start()
  })
})

describe('an abort', () => {
  it('rejects with its reason, also between two attempts', async () => {
    const controller = new AbortController()
    const reason = new Error('changed my mind')
    server.respond(() => {
      // Pause: aborts the wait, whenever it has begun.
      setTimeout(() => controller.abort(reason), 20)
      return { status: 500, headers: { 'retry-after': '30' } }
    })
    const failing = new Client({ apiUrl: server.url }).getSettings({ signal: controller.signal })
    await expect(failing).rejects.toBe(reason)
    expect(server.requests).toHaveLength(1)
  })

  it('works beside the time-out when it comes from fetchOptions', async () => {
    const controller = new AbortController()
    controller.abort()
    const client = new Client({ apiUrl: server.url, fetchOptions: { signal: controller.signal } })
    await expect(client.getSettings()).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('an error answer', () => {
  it('reads as the documented sentence and keeps the names that code tests for', async () => {
    const client = new Client({ apiUrl: server.url })
    server.respond(() => ({ status: 404, body: { detail: 'Run not found' }, headers: { 'x-request-id': 'r1' } }))
    const id = '0197f2a4-3c10-7d21-9b55-2f4b8e7a1c01'
    const missing: unknown = await client.readRun(id).catch((error: unknown) => error)
    expect(missing).toBeInstanceOf(NotFoundError)
    expect(missing).toMatchObject({
      name: 'LangSmithNotFoundError',
      status: 404,
      requestId: 'r1',
      message: `Failed to read run ${id}. Received status [404]: Not Found. Message: {"detail":"Run not found"}`,
    })
    server.respond(() => ({ status: 409, body: { detail: 'Session already exists.' } }))
    const conflict = client.createProject({ projectName: 'a' })
    await expect(conflict).rejects.toBeInstanceOf(ConflictError)
    await expect(conflict).rejects.toMatchObject({ name: 'LangSmithConflictError', status: 409 })
  })

  it('hints at the workspace when the key spans several', async () => {
    server.respond(() => ({ status: 403, body: { error: 'org_scoped_key_requires_workspace' } }))
    await expect(new Client({ apiUrl: server.url }).getSettings()).rejects.toThrow(
      /workspaceId.*LANGSMITH_WORKSPACE_ID/,
    )
  })

  it('is shown to onFailedResponseHook first', async () => {
    const seen: [number, string][] = []
    server.respond(() => ({ status: 404, body: { detail: 'no' } }))
    const onFailedResponseHook = async (response: Response) => seen.push([response.status, await response.text()])
    await new Client({ apiUrl: server.url, callerOptions: { onFailedResponseHook } }).getSettings().catch(() => {})
    expect(seen).toEqual([[404, '{"detail":"no"}']])
  })
})

describe('a client that is printed', () => {
  it('shows its address and not its key', async () => {
    const client = new Client({ apiUrl: server.url, apiKey: 'very-secret', webUrl: 'https://web', workspaceId: 'w1' })
    const { inspect } = await import('node:util')
    const text = `[LangSmithClient apiUrl="${server.url}" webUrl="https://web" workspaceId="w1"]`
    expect(String(client)).toBe(text)
    expect(inspect(client)).toBe(text)
    expect(JSON.stringify({ client })).not.toContain('very-secret')
  })
})
