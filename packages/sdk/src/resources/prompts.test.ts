import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client, ConflictError, promptCacheSingleton } from '../index.ts'

const HASH = '3f1c0b7d52a14c8e9a0d6f7b2c4e8d1f0a9b8c7d6e5f40312233445566778899'
const COMMIT = '77c1a9f2-16cf-4b0b-9b3a-5a0c7e1d0001'
const settings = { id: 'w1', display_name: 'Acme', created_at: '2025-01-01T00:00:00.000Z' }
const manifest = { lc: 1, type: 'constructor', id: ['langchain', 'PromptTemplate'], kwargs: { template: 'Hi' } }
let server: Recorder
let client: Client
/** What the server has: prompts by path, its handle, the newest commit. */
let hub: { repos: string[]; handle: string | null; head: string | undefined }

beforeEach(async () => {
  hub = { repos: ['-/joke', 'acme/joke', 'other/joke'], handle: 'acme', head: HASH }
  server = await Recorder.start(({ method, path }) => {
    const [, noun, owner, name, more] = path.split('/')
    if (path === '/settings') return { body: { ...settings, tenant_handle: hub.handle } }
    if (path === '/repos') return { body: { repo: { repo_handle: 'joke' }, repos: [], total: 0 } }
    if (noun === 'repos' && more === 'tags') return { body: {} }
    if (noun === 'repos' && !hub.repos.includes(`${owner}/${name}`))
      return { status: 404, body: { detail: 'not found' } }
    if (noun === 'commits' && method === 'POST')
      return { status: 201, body: { commit: { id: COMMIT, commit_hash: HASH } } }
    if (noun === 'commits' && more === undefined)
      return { body: { commits: hub.head ? [{ commit_hash: hub.head }] : [], total: 1 } }
    if (noun === 'commits')
      return { body: { commit_hash: HASH, manifest, examples: [], is_foreign: owner === 'other' } }
    return { body: noun === 'likes' ? { likes: 1 } : { repo: { repo_handle: name } } }
  })
  client = new Client({ apiUrl: server.url, apiKey: 'k' })
  promptCacheSingleton.clear()
})
afterEach(() => server.stop())

const calls = () => server.requests.map(({ method, path }) => `${method} ${path}`)
const bodyOf = (call: string) => {
  const request = server.requests.find(({ method, path }) => `${method} ${path}` === call)
  return JSON.parse(request!.body.toString())
}
const lastBody = () => JSON.parse(server.requests.at(-1)!.body.toString())
const host = () => server.url.replace('/api/v1', '')

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

describe('every call of a prompt', () => {
  it.each([
    ['promptExists', () => client.promptExists('o/p/x')],
    ['getPrompt', () => client.getPrompt('o/p/x')],
    ['likePrompt', () => client.likePrompt('o/p/x')],
    ['unlikePrompt', () => client.unlikePrompt('o/p/x')],
    ['listCommits', () => client.listCommits('o/p/x').next()],
    ['createCommit', () => client.createCommit('o/p/x', manifest)],
    ['updatePrompt', () => client.updatePrompt('o/p/x', {})],
    ['deletePrompt', () => client.deletePrompt('o/p/x')],
    ['pullPromptCommit', () => client.pullPromptCommit('o/p/x')],
    ['_pullPrompt', () => client._pullPrompt('o/p/x')],
    ['pushPrompt', () => client.pushPrompt('o/p/x')],
    ['agentExists', () => client.agentExists('o/p/x')],
    ['pullSkill', () => client.pullSkill('o/p/x')],
    ['pushAgent', () => client.pushAgent('o/p/x', { files: {} })],
    ['deleteSkill', () => client.deleteSkill('o/p/x')],
  ])('refuses a wrong identifier before any request: %s', async (_, call) => {
    await expect(call()).rejects.toThrow('Invalid prompt identifier format: "o/p/x". Expected one of:')
    expect(server.requests).toHaveLength(0)
  })
})

describe('looking for a prompt', () => {
  it('tells that there is none without an error', async () => {
    expect(await client.getPrompt('gone')).toBeNull()
    expect(await client.promptExists('gone')).toBe(false)
    expect(await client.getPrompt('joke:production')).toEqual({ repo_handle: 'joke' })
    expect(await client.promptExists('other/joke')).toBe(true)
    expect(calls().at(-1)).toBe('GET /repos/other/joke')
  })

  it('fails of everything else in the words that callers know', async () => {
    server.respond(() => ({ status: 403, body: { detail: 'no' } }))
    const words = [
      [() => client.getPrompt('p'), 'get prompt'],
      [() => client.promptExists('p'), 'get prompt'],
      [() => client.likePrompt('p'), 'like prompt'],
      [() => client.unlikePrompt('p'), 'unlike prompt'],
      [() => client.pullPromptCommit('p'), 'pull prompt commit'],
      [() => client.listPrompts().next(), 'fetch /repos'],
      [() => client.listCommits('p').next(), 'fetch /commits/-/p'],
      [() => client.agentExists('p'), 'check repo exists'],
      [() => client.pullAgent('p'), 'pull directory'],
    ] as const
    for (const [call, doing] of words) {
      await expect(call()).rejects.toThrow(
        `Failed to ${doing}. Received status [403]: Forbidden. Message: {"detail":"no"}`,
      )
    }
  })
})

describe('listing prompts', () => {
  it('lists the latest first without archived prompts by default', async () => {
    await collect(client.listPrompts())
    await collect(client.listPrompts({ isPublic: false, isArchived: true, sortField: 'num_likes', query: 'a b' }))
    expect(server.requests.map(({ query }) => String(query))).toEqual([
      'sort_field=updated_at&sort_direction=desc&is_archived=false&offset=0&limit=100',
      'sort_field=num_likes&sort_direction=desc&is_archived=true&is_public=false&query=a+b&offset=0&limit=100',
    ])
  })

  it('goes on while pages are full', async () => {
    server.respond(({ query }) => {
      const left = Math.min(100, 130 - Number(query.get('offset')))
      return { body: { repos: Array.from({ length: left }, () => ({})), total: 130 } }
    })
    expect(await collect(client.listPrompts())).toHaveLength(130)
    expect(server.requests).toHaveLength(2)
  })

  it('lists the commits of a prompt whatever commit the identifier names', async () => {
    expect(await collect(client.listCommits('joke:production'))).toEqual([{ commit_hash: HASH }])
    await collect(client.listCommits('joke', { tag: 'production', limit: 1 }))
    expect(calls()).toEqual(['GET /commits/-/joke', 'GET /commits/-/joke'])
    expect(String(server.requests[1]!.query)).toBe('tag=production&offset=0&limit=1')
  })
})

describe('querying prompts', () => {
  it('reads one page, narrowed and sorted', async () => {
    expect(await client.queryPrompts()).toMatchObject({ repos: [], total: 0 })
    await client.queryPrompts({ isPublic: true, tags: ['fun', 'a,b'], sortField: 'num_likes', limit: 5, offset: 10 })
    expect(server.requests.map(({ query }) => String(query))).toEqual([
      '',
      'is_public=true&tags=fun&tags=a%2Cb&sort_field=num_likes&limit=5&offset=10',
    ])
  })

  it('reads the history without manifests', async () => {
    await client.readPromptHistory('joke:ignored', { startsWith: '3f1', limit: 20 })
    expect(calls()).toEqual(['GET /repos/-/joke/history'])
    expect(String(server.requests[0]!.query)).toBe('starts_with=3f1&limit=20')
  })

  it('forks into the workspace of the client', async () => {
    expect(await client.forkPrompt('other/joke', { name: 'my-joke', isPublic: false })).toEqual({ repo_handle: 'joke' })
    expect(calls()).toEqual(['POST /repos/other/joke/fork'])
    expect(lastBody()).toEqual({ repo_handle: 'my-joke', is_public: false })
  })
})

describe('liking a prompt', () => {
  it('sets and unsets it', async () => {
    expect(await client.likePrompt('other/joke')).toEqual({ likes: 1 })
    expect(lastBody()).toEqual({ like: true })
    await client.unlikePrompt('other/joke')
    expect(lastBody()).toEqual({ like: false })
    expect(calls()).toEqual(['POST /likes/other/joke', 'POST /likes/other/joke'])
  })
})

describe('creating a prompt', () => {
  it('sends what is said about it, without what is empty', async () => {
    await client.createPrompt('acme/new', { description: 'Jokes', readme: '', tags: [] })
    expect(calls()).toEqual(['GET /settings', 'POST /repos'])
    expect(lastBody()).toEqual({ repo_handle: 'new', description: 'Jokes', tags: [], is_public: false })
  })

  it('needs a handle to be public, and looks at that before the identifier', async () => {
    hub.handle = null
    const creating = client.createPrompt('o/p/x', { isPublic: true })
    await expect(creating).rejects.toThrow(
      `Cannot create a public prompt without first\n\n        creating a LangChain Hub handle.\n        You can add a handle by creating a public prompt at:\n\n        ${host()}/prompts`,
    )
    await expect(client.createPrompt('o/p/x')).rejects.toThrow('Invalid prompt identifier')
    expect(calls()).toEqual(['GET /settings'])
  })

  it('hears of a handle that was given since', async () => {
    hub.handle = null
    await client.createPrompt('new')
    hub.handle = 'acme'
    await client.createPrompt('acme/new', { isPublic: true })
    await client.createPrompt('acme/newer', { isPublic: true })
    expect(calls().filter((call) => call === 'GET /settings')).toHaveLength(2)
  })

  it('is for owners alone', async () => {
    await expect(client.createPrompt('other/new')).rejects.toThrow(
      'Cannot create a prompt for another tenant.\n\n      Current tenant: acme\n\n      Requested tenant: other',
    )
    expect(calls()).toEqual(['GET /settings'])
  })
})

describe('updating a prompt', () => {
  it('checks that it exists, then whose it is, then that there is something to change', async () => {
    await expect(client.updatePrompt('other/gone', {})).rejects.toThrow(
      'Prompt does not exist, you must create it first.',
    )
    expect(calls()).toEqual(['GET /repos/other/gone'])
    await expect(client.updatePrompt('other/joke', {})).rejects.toThrow('Cannot update a prompt for another tenant.')
    await expect(client.updatePrompt('joke', {})).rejects.toThrow('No valid update options provided')
    expect(calls().some((call) => call.startsWith('PATCH'))).toBe(false)
  })

  it('takes what is empty or false as given', async () => {
    const answer = await client.updatePrompt('acme/joke', {
      description: '',
      tags: [],
      isPublic: false,
      isArchived: true,
    })
    expect(answer).toEqual({ repo: { repo_handle: 'joke' } })
    expect(calls()).toEqual(['GET /repos/acme/joke', 'GET /settings', 'PATCH /repos/acme/joke'])
    expect(lastBody()).toEqual({ description: '', tags: [], is_public: false, is_archived: true })
  })
})

describe('deleting a prompt', () => {
  it('checks that it exists, then whose it is', async () => {
    await expect(client.deletePrompt('gone')).rejects.toThrow('Prompt does not exist, you must create it first.')
    await expect(client.deletePrompt('other/joke')).rejects.toThrow('Cannot delete a prompt for another tenant.')
    expect(await client.deletePrompt('joke')).toBeUndefined()
    expect(calls().at(-1)).toBe('DELETE /repos/-/joke')
  })

  it('is content with an empty answer', async () => {
    server.respond(({ method, path }) =>
      method === 'DELETE' ? { status: 204 } : { body: path === '/settings' ? settings : { repo: {} } },
    )
    expect(await client.deletePrompt('joke')).toBeUndefined()
  })
})

describe('committing', () => {
  it('follows the newest commit by default and returns the page of the commit', async () => {
    const page = `${host()}/prompts/joke/3f1c0b7d?organizationId=w1`
    expect(await client.createCommit('joke', manifest)).toBe(page)
    expect(await client.createCommit('joke:ignored', manifest, { parentCommitHash: 'latest' })).toBe(page)
    const commit = 'POST /commits/-/joke'
    const first = ['GET /repos/-/joke', 'GET /commits/-/joke', commit, 'GET /settings']
    expect(calls()).toEqual([...first, 'GET /repos/-/joke', 'GET /commits/-/joke', commit])
    expect(String(server.requests[1]!.query)).toBe('limit=1&offset=0')
    expect(bodyOf(commit)).toEqual({ manifest, parent_commit: HASH })
    await client.createCommit('joke', manifest, { parentCommitHash: 'abcdef12', description: 'better' })
    expect(lastBody()).toEqual({ manifest, parent_commit: 'abcdef12', description: 'better' })
  })

  it('has no parent the first time', async () => {
    hub.head = undefined
    await client.createCommit('joke', { toJSON: () => manifest })
    expect(bodyOf('POST /commits/-/joke')).toEqual({ manifest })
  })

  it('names the commit, once or several times', async () => {
    await client.createCommit('joke', manifest, { tags: 'production' })
    expect(bodyOf('POST /repos/-/joke/tags')).toEqual({ tag_name: 'production', commit_id: COMMIT })
    await client.createCommit('joke', manifest, { tags: ['production', 'v1'] })
    expect(calls().filter((call) => call === 'POST /repos/-/joke/tags')).toHaveLength(3)
  })

  it('takes a commit that is not wrapped', async () => {
    server.respond(({ path, method }) => {
      if (path === '/settings') return { body: settings }
      if (path.startsWith('/repos')) return { body: { repo: {} } }
      return { body: method === 'POST' ? { id: COMMIT, commit_hash: HASH } : { commits: [] } }
    })
    expect(await client.createCommit('joke', manifest)).toContain('/prompts/joke/3f1c0b7d?')
  })

  it('needs the prompt', async () => {
    await expect(client.createCommit('gone', manifest)).rejects.toThrow(
      'Prompt does not exist, you must create it first.',
    )
    expect(calls()).toEqual(['GET /repos/-/gone'])
  })

  it.each([
    [{ detail: 'try later' }, 'try later'],
    [{ detail: [{ msg: 'a' }] }, '[{"msg":"a"}]'],
    [{ error: 'no' }, '{"error":"no"}'],
    ['oops', 'oops'],
  ])('tells why the newest commit could not be looked up: %j', async (body, detail) => {
    server.respond(({ path }) => (path.startsWith('/repos') ? { body: { repo: {} } } : { status: 403, body }))
    const error: unknown = await client.createCommit('joke', manifest).catch((error: unknown) => error)
    expect(error).toMatchObject({ message: `Error 403: Forbidden\n${detail}`, status: 403, statusCode: 403 })
  })

  it.each([
    ['its own commit', manifest, HASH, true],
    ['the commit of another', { id: ['other'] }, HASH, false],
    ['the same after another', manifest, 'another', false],
  ])('after a lost answer that meets %s takes it for its own or not', async (_, stored, parent_commit_hash, isOwn) => {
    let attempts = 0
    server.respond(({ path, method }) => {
      if (path === '/settings') return { body: settings }
      if (path.startsWith('/repos')) return { body: { repo: {} } }
      if (method === 'GET')
        return {
          body: { commits: [{ id: COMMIT, commit_hash: 'f'.repeat(64), manifest: stored, parent_commit_hash }] },
        }
      return attempts++ === 0 ? { reset: true } : { status: 409, body: { error: 'Nothing to commit' } }
    })
    const committing = client.createCommit('joke', manifest, { parentCommitHash: HASH, tags: 'production' })
    if (isOwn) expect(await committing).toContain('/prompts/joke/ffffffff?')
    else await expect(committing).rejects.toThrow('Nothing to commit')
    expect(calls().filter((call) => call.endsWith('/tags'))).toHaveLength(isOwn ? 1 : 0)
  })

  it('passes a conflict on', async () => {
    server.respond(({ path, method }) => {
      if (path.startsWith('/repos')) return { body: { repo: {} } }
      return method === 'POST' ? { status: 409, body: { error: 'Nothing to commit' } } : { body: { commits: [] } }
    })
    const committing = client.createCommit('joke', manifest, { tags: 'production' })
    await expect(committing).rejects.toBeInstanceOf(ConflictError)
    await expect(committing).rejects.toThrow('Failed to create commit. Received status [409]: Conflict.')
    expect(calls().filter((call) => call.endsWith('/tags'))).toEqual([])
  })
})

describe('pushing a prompt', () => {
  it('creates it, commits, and looks for it once', async () => {
    hub.head = undefined
    const url = await client.pushPrompt('new', { object: manifest, description: 'Jokes', commitTags: ['v1'] })
    expect(url).toBe(`${host()}/prompts/new/3f1c0b7d?organizationId=w1`)
    expect(calls()).toEqual([
      'GET /repos/-/new',
      'GET /settings',
      'POST /repos',
      'GET /commits/-/new',
      'POST /commits/-/new',
      'POST /repos/-/new/tags',
    ])
    expect(bodyOf('POST /repos')).toEqual({ repo_handle: 'new', description: 'Jokes', is_public: false })
  })

  it('changes what is said about one that exists, and only if something is', async () => {
    await client.pushPrompt('joke', { object: manifest, parentCommitHash: HASH, commitDescription: 'b' })
    expect(calls()).toEqual(['GET /repos/-/joke', 'POST /commits/-/joke', 'GET /settings'])
    expect(bodyOf('POST /commits/-/joke')).toEqual({ manifest, parent_commit: HASH, description: 'b' })
    server.requests.length = 0
    await client.pushPrompt('joke', { object: manifest, parentCommitHash: HASH, isPublic: false, readme: '' })
    expect(calls()).toEqual(['GET /repos/-/joke', 'PATCH /repos/-/joke', 'POST /commits/-/joke'])
    expect(bodyOf('PATCH /repos/-/joke')).toEqual({ is_public: false, readme: '' })
  })

  it('without an object commits nothing', async () => {
    expect(await client.pushPrompt('joke', { tags: ['fun'] })).toBe(`${host()}/prompts/joke?organizationId=w1`)
    expect(await client.pushPrompt('other/joke')).toBe(`${host()}/hub/other/joke`)
    expect(await client.pushPrompt('other/joke:3f1c0b7d52')).toBe(`${host()}/hub/other/joke/3f1c0b7d`)
    expect(await client.pushPrompt('acme/joke:production')).toBe(`${host()}/prompts/joke/producti?organizationId=w1`)
    expect(calls().some((call) => call.startsWith('POST'))).toBe(false)
  })

  it('creates nothing for others', async () => {
    await expect(client.pushPrompt('other/new', { object: manifest })).rejects.toThrow(
      'Cannot create a prompt for another tenant.',
    )
    expect(calls()).toEqual(['GET /repos/other/new', 'GET /settings'])
  })
})

describe('pulling a prompt', () => {
  it('gives the commit under the names it was asked by', async () => {
    expect(await client.pullPromptCommit('joke:production', { includeModel: true })).toEqual({
      owner: '-',
      repo: 'joke',
      commit_hash: HASH,
      manifest,
      examples: [],
      hub_model_config: undefined,
      hub_model_provider: undefined,
      is_foreign: false,
    })
    expect(calls()).toEqual(['GET /commits/-/joke/production'])
    expect(String(server.requests[0]!.query)).toBe('include_model=true')
    await client.pullPromptCommit('acme/joke')
    expect(calls()[1]).toBe('GET /commits/acme/joke/latest')
    expect(String(server.requests[1]!.query)).toBe('')
  })

  it('renames what is known of the model', async () => {
    const model = { model_config: { temperature: 0 }, model_provider: 'ChatOpenAI' }
    server.respond(() => ({ body: { commit_hash: HASH, manifest, examples: [], description: 'a', ...model } }))
    expect(await client.pullPromptCommit('joke')).toMatchObject({
      description: 'a',
      hub_model_config: { temperature: 0 },
      hub_model_provider: 'ChatOpenAI',
    })
  })

  it('marks prompts of others, and as text for a loader wants them trusted first', async () => {
    expect(await client.pullPromptCommit('other/joke')).toMatchObject({ is_foreign: true })
    expect(await client._pullPrompt('acme/joke')).toBe(JSON.stringify(manifest))
    await expect(client._pullPrompt('other/joke')).rejects.toThrow(
      'Pulling a public prompt by owner/name is disabled by default because prompts may contain untrusted serialized ' +
        'LangChain objects. If you trust this prompt, set `dangerouslyPullPublicPrompt: true` to acknowledge the risk.',
    )
    const trusted = await client._pullPrompt('other/joke', { dangerouslyPullPublicPrompt: true })
    expect(trusted).toBe(JSON.stringify(manifest))
  })
})

describe('tags of commits', () => {
  it('are listed, moved, removed and looked back on', async () => {
    server.respond(({ path, method }) => {
      if (path.endsWith('/history')) return { body: { transitions: [{ id: '1' }], total: 1 } }
      if (path.endsWith('/tags') && method === 'GET') return { body: [{ tag_name: 'production' }] }
      return { body: { commit_hash: HASH, manifest, examples: [] } }
    })
    expect(await client.listCommitTags('joke')).toEqual([{ tag_name: 'production' }])
    await client.deleteCommitTag('joke', 'a/b')
    expect(calls().at(-1)).toBe('DELETE /repos/-/joke/tags/a%2Fb')
    expect(await collect(client.listCommitTagHistory('joke', 'production'))).toEqual([{ id: '1' }])
    expect(calls().at(-1)).toBe('GET /repos/-/joke/tags/production/history')
  })

  it.each([
    ['joke', '/repos/-/joke/history', 'limit=1'],
    ['joke:3F1C0B7D', '/repos/-/joke/history', 'starts_with=3F1C0B7D&limit=2'],
    ['joke:staging', '/repos/-/joke/tags/staging', ''],
    ['joke:abcd', '/repos/-/joke/tags/abcd', ''],
  ])('name the commit of %s without its manifest and without a pull', async (identifier, path, query) => {
    server.respond(({ method }) => ({
      body: method === 'POST' ? {} : { commits: [{ id: COMMIT, commit_hash: HASH }], total: 1, commit_id: COMMIT },
    }))
    await client.tagCommit(identifier, 'production')
    expect(calls()).toEqual([`GET ${path}`, 'POST /repos/-/joke/tags'])
    expect(server.requests[0]?.query.toString()).toBe(query)
    expect(lastBody()).toEqual({ tag_name: 'production', commit_id: COMMIT })
  })

  it('may have the form of a hash, and need a hash of one commit', async () => {
    let found = 0
    server.respond(({ path, method }) => {
      if (path.includes('/history')) {
        return { body: { commits: Array.from({ length: found }, () => ({ id: 'other' })), total: found } }
      }
      if (path.startsWith('/commits/')) return { status: 404, body: { detail: 'Commit not found: ambiguous' } }
      return { body: method === 'POST' ? {} : { commit_id: COMMIT } }
    })
    await client.tagCommit('joke:deadbeef', 'production')
    expect(lastBody()).toMatchObject({ commit_id: COMMIT })
    found = 2
    await expect(client.tagCommit('joke:deadbeef', 'production')).rejects.toThrow('ambiguous')
  })

  it('move only from the commit that the caller expects', async () => {
    server.respond(({ method }) =>
      method === 'POST'
        ? { status: 409, body: { detail: 'The tag production was changed meanwhile' } }
        : { body: { commits: [{ id: COMMIT }], total: 1 } },
    )
    const moving = client.tagCommit('joke', 'production', { expectedCommitId: null })
    await expect(moving).rejects.toBeInstanceOf(ConflictError)
    expect(lastBody()).toEqual({ tag_name: 'production', commit_id: COMMIT, expected_commit_id: null })
  })
})
