import { contract } from '@touchstone/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { aProjectName, collect } from '../../clients/javascript/a-client.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { callOf, type WatchedClient, watchClient } from '../support/watch-client.ts'

let server: SharedServer
let watched: WatchedClient
beforeAll(async () => {
  server = await shareServer()
  watched = watchClient(server.url)
  const handle = { tenant_handle: 'acme' }
  const body = JSON.stringify(handle)
  await fetch(`${server.url}/settings/handle`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  })
  expect(await watched.client.getSettings()).toMatchObject(handle)
  await watched.client.listPrompts().next()
  watched.taken()
})
beforeEach(() => void watched.taken())
afterAll(() => server?.stop())

const { prompts, promptCommits, workspaces } = contract
const a = (template: string) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain', 'prompts', 'prompt', 'PromptTemplate'],
  kwargs: { template, input_variables: [], template_format: 'f-string' },
})

/** The hash that a link ends with, before its question mark. */
const hashIn = (link: string) => /([0-9a-f]{8})(\?|$)/.exec(link)?.[1]

async function makePrompt(...manifests: object[]) {
  const name = aProjectName('prompt')
  await watched.client.createPrompt(name)
  for (const manifest of manifests) await watched.client.createCommit(name, manifest)
  watched.taken()
  return name
}

describe('calls about prompts', () => {
  it('POST /repos creates one with description, readme and tags, public where there is a handle', async () => {
    const name = aProjectName('prompt')
    const texts = { description: 'd', readme: '# r', tags: ['t'] }
    const made = await watched.client.createPrompt(`-/${name}`, { ...texts, isPublic: true })
    expect(made).toMatchObject({ repo_handle: name, ...texts, is_public: true, is_archived: false })
    const sent = watched.taken().filter(({ call }) => call !== callOf(workspaces.settings))
    const body = { repo_handle: name, ...texts, is_public: true }
    expect(sent).toEqual([{ call: callOf(prompts.create), query: {}, body }])
  })

  it('GET /repos sorts by the last change unless it is said otherwise, and filters', async () => {
    const name = await makePrompt()
    const found = await collect(watched.client.listPrompts({ query: name }))
    expect(found.map((prompt) => prompt.repo_handle)).toEqual([name])
    const none = { query: name, isPublic: true, isArchived: true, sortField: 'num_likes' as const }
    expect(await collect(watched.client.listPrompts(none))).toEqual([])
    const [plain, narrow] = watched.taken()
    const call = callOf(prompts.list)
    const usual = { sort_field: 'updated_at', sort_direction: 'desc', is_archived: 'false', query: name }
    expect(plain).toMatchObject({ call, query: usual })
    expect(plain!.query).not.toHaveProperty('is_public')
    expect(narrow!.query).toMatchObject({ sort_field: 'num_likes', is_archived: 'true', is_public: 'true' })
  })

  it('GET, PATCH and DELETE /repos/{owner}/{repo} read, change and delete one', async () => {
    const name = await makePrompt()
    const { client } = watched
    expect(await client.getPrompt(name)).toMatchObject({ repo_handle: name })
    expect(await client.promptExists(name)).toBe(true)
    await client.updatePrompt(name, { description: 'new', readme: 'r', tags: ['a'], isPublic: true, isArchived: true })
    const changed = { description: 'new', readme: 'r', tags: ['a'], is_public: true, is_archived: true }
    expect(await client.getPrompt(`acme/${name}`)).toMatchObject(changed)
    const sent = watched.taken()
    expect(sent.find(({ call }) => call === callOf(prompts.update))!.body).toEqual(changed)
    await client.updatePrompt(name, { isPublic: false, isArchived: false })
    expect(await client.getPrompt(name)).toMatchObject({ description: 'new', is_public: false, is_archived: false })
    await client.deletePrompt(name)
    expect(watched.taken().map(({ call }) => call)).toContain(callOf(prompts.delete))
    expect(await client.promptExists(name)).toBe(false)
    expect(watched.taken()).toEqual([{ call: callOf(prompts.read), query: {} }])
  })

  it('POST /likes/{owner}/{repo} likes one and takes it back', async () => {
    const name = await makePrompt()
    expect(await watched.client.likePrompt(name)).toEqual({ likes: 1 })
    expect(await watched.client.unlikePrompt(name)).toEqual({ likes: 0 })
    const call = callOf(prompts.like)
    expect(watched.taken()).toEqual([
      { call, query: {}, body: { like: true } },
      { call, query: {}, body: { like: false } },
    ])
  })
})

describe('calls about commits', () => {
  it('POST /commits/{owner}/{repo} takes the latest commit for parent unless another is named', async () => {
    const name = await makePrompt()
    const { client } = watched
    const commit = async (text: string, parentCommitHash?: string) => {
      const link = await client.createCommit(name, a(text), { parentCommitHash })
      const sent = watched.taken()
      return { link, sent, body: sent.find(({ call }) => call === callOf(promptCommits.create))!.body }
    }
    const first = await commit('one')
    expect(first.body).toEqual({ manifest: a('one') })
    expect(first.sent.find(({ call }) => call === callOf(promptCommits.list))!.query).toEqual({
      limit: '1',
      offset: '0',
    })
    const one = (await client.pullPromptCommit(name, { skipCache: true })).commit_hash
    const second = await commit('two', 'latest')
    expect(second.body).toEqual({ manifest: a('two'), parent_commit: one })
    const two = (await client.pullPromptCommit(name, { skipCache: true })).commit_hash
    const third = await commit('three', two)
    expect(third.body).toEqual({ manifest: a('three'), parent_commit: two })
    expect(third.sent.map(({ call }) => call)).not.toContain(callOf(promptCommits.list))
    const stale = client.createCommit(name, a('four'), { parentCommitHash: one })
    await expect(stale).rejects.toMatchObject({ status: 409 })
  })

  it('GET /commits/{owner}/{repo} lists them, newest first', async () => {
    const name = await makePrompt(a('one'), a('two'))
    const commits = await collect(watched.client.listCommits(name))
    expect(commits.map(({ manifest }) => manifest)).toEqual([a('two'), a('one')])
    expect(commits[0]!.parent_commit_hash).toBe(commits[1]!.commit_hash)
    expect(watched.taken().map(({ call }) => call)).toEqual([callOf(promptCommits.list)])
  })

  it('GET /commits/{owner}/{repo}/{hash} reads one, with its model when asked', async () => {
    const name = await makePrompt(a('one'), a('two'))
    const [, first] = await collect(watched.client.listCommits(name))
    watched.taken()
    const pulled = await watched.client.pullPromptCommit(`${name}:${first!.commit_hash}`)
    expect(pulled).toMatchObject({ owner: '-', repo: name, commit_hash: first!.commit_hash, manifest: a('one') })
    const prefix = first!.commit_hash.slice(0, 8)
    expect(await watched.client.pullPromptCommit(`${name}:${prefix}`, { includeModel: true })).toMatchObject({
      commit_hash: first!.commit_hash,
    })
    expect((await watched.client.pullPromptCommit(name)).manifest).toEqual(a('two'))
    const call = callOf(promptCommits.read)
    expect(watched.taken()).toEqual([
      { call, query: {} },
      { call, query: { include_model: 'true' } },
      { call, query: {} },
    ])
  })
})

describe('a push', () => {
  it('creates a prompt that is not there and commits the manifest', async () => {
    const name = aProjectName('prompt')
    await watched.client.pushPrompt(name, { object: a('one'), description: 'd', tags: ['t'] })
    const calls = watched.taken().map(({ call }) => call)
    expect(calls).toContain(callOf(prompts.create))
    expect(calls.at(-1)).toBe(callOf(promptCommits.create))
    expect(await watched.client.getPrompt(name)).toMatchObject({ description: 'd', tags: ['t'], num_commits: 1 })
  })

  it('changes what is said about a prompt that is there, and commits nothing where nothing is given', async () => {
    const name = await makePrompt(a('one'))
    await watched.client.pushPrompt(name, { description: 'new' })
    const calls = watched.taken().map(({ call }) => call)
    expect(calls).toContain(callOf(prompts.update))
    expect(calls).not.toContain(callOf(prompts.create))
    expect(calls).not.toContain(callOf(promptCommits.create))
    expect(await watched.client.getPrompt(name)).toMatchObject({ description: 'new', num_commits: 1 })
  })
})

describe('the link of a prompt', () => {
  it('of the caller’s own leads to /prompts, with eight characters of the commit', async () => {
    const name = await makePrompt()
    const { id } = await watched.client.getSettings()
    expect(await watched.client.pushPrompt(name)).toBe(`${server.url}/prompts/${name}?organizationId=${id}`)
    const link = await watched.client.createCommit(name, a('one'))
    const { commit_hash } = await watched.client.pullPromptCommit(name)
    expect(commit_hash.slice(0, 8)).toBe(hashIn(link))
    expect(link).toBe(`${server.url}/prompts/${name}/${commit_hash.slice(0, 8)}?organizationId=${id}`)
    const pushed = await watched.client.pushPrompt(`acme/${name}`, { object: a('two') })
    expect(pushed).toMatch(new RegExp(`/prompts/${name}/[0-9a-f]{8}\\?organizationId=${id}$`))
  })

  it('of another owner leads to /hub, with eight characters of the commit', async () => {
    // One workspace cannot commit to another's prompt; to the client the server seems to have another handle.
    const name = await makePrompt()
    const as = watchClient(server.url, {}, async ({ call }, ask) => {
      if (call !== callOf(workspaces.settings)) return undefined
      return Response.json({ ...(await (await ask()).json()), tenant_handle: 'other' })
    })
    const link = await as.client.createCommit(`acme/${name}`, a('one'))
    const { commit_hash } = await watched.client.pullPromptCommit(name)
    expect(link).toBe(`${server.url}/hub/acme/${name}/${commit_hash.slice(0, 8)}`)
    expect(await as.client.pushPrompt(`acme/${name}`)).toBe(`${server.url}/hub/acme/${name}`)
  })
})
