import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client, ConflictError } from '../index.ts'

const HASH = '3f1c0b7d52a14c8e9a0d6f7b2c4e8d1f0a9b8c7d6e5f40312233445566778899'
const files = { 'AGENTS.md': { type: 'file', content: 'Be kind.' } } as const
const TREE = '/platform/hub/repos'
let server: Recorder
let client: Client

beforeEach(async () => {
  server = await Recorder.start(({ method, path, query }) => {
    if (path === '/settings') return { body: { id: 'w1', tenant_handle: 'acme' } }
    if (path.startsWith('/repos/') && path.endsWith('/new')) return { status: 404, body: { detail: 'not found' } }
    if (path === '/repos') return { body: { repos: [{ repo_handle: 'a' }], total: 1 } }
    if (path.startsWith('/repos')) return { body: { repo: {} } }
    if (method === 'DELETE') return { status: 204 }
    if (method === 'POST') return { body: { commit: { id: 'c', commit_hash: HASH, created_at: 't' } } }
    return { body: { commit_id: 'c', commit_hash: query.get('commit') ?? HASH, files } }
  })
  client = new Client({ apiUrl: server.url, apiKey: 'k' })
})
afterEach(() => server.stop())

const calls = () => server.requests.map(({ method, path }) => `${method} ${path}`)
const lastBody = () => JSON.parse(server.requests.at(-1)!.body.toString())
const lastQuery = () => String(server.requests.at(-1)!.query)

describe('agents and skills', () => {
  it('are there or not', async () => {
    expect(await client.agentExists('helper')).toBe(true)
    expect(await client.skillExists('acme/new')).toBe(false)
    expect(calls()).toEqual(['GET /repos/-/helper', 'GET /repos/acme/new'])
  })

  it('are pulled at a version, which goes before that of the identifier', async () => {
    expect(await client.pullAgent('helper')).toEqual({ commit_id: 'c', commit_hash: HASH, files })
    expect(lastQuery()).toBe('repo_type=agent')
    await client.pullSkill('acme/helper:production')
    expect(lastQuery()).toBe('repo_type=skill&commit=production')
    await client.pullSkill('acme/helper:production', { version: 'abcdef12' })
    expect(lastQuery()).toBe('repo_type=skill&commit=abcdef12')
    expect(calls().at(-1)).toBe(`GET ${TREE}/acme/helper/directories`)
  })

  it('are created with their first files', async () => {
    const url = await client.pushAgent('new', { files, description: '', tags: ['fun'] })
    expect(url).toBe(`${server.url.replace('/api/v1', '')}/context/new/3f1c0b7d?organizationId=w1`)
    expect(calls()).toEqual([
      'GET /settings',
      'GET /repos/-/new',
      'POST /repos',
      `POST ${TREE}/-/new/directories/commits`,
    ])
    expect(lastBody()).toEqual({ files })
    expect(JSON.parse(server.requests[2]!.body.toString())).toEqual({
      repo_handle: 'new',
      repo_type: 'agent',
      description: '',
      tags: ['fun'],
      is_public: false,
    })
  })

  it('are changed in what is said about them only if something is', async () => {
    await client.pushSkill('helper', { files: { 'old.md': null }, parentCommit: '3f1c0b7d' })
    expect(calls()).toEqual(['GET /settings', 'GET /repos/-/helper', `POST ${TREE}/-/helper/directories/commits`])
    expect(lastBody()).toEqual({ files: { 'old.md': null }, parent_commit: '3f1c0b7d' })
    await client.pushSkill('helper', { files, readme: 'x', isPublic: true })
    const patch = server.requests.find(({ method }) => method === 'PATCH')!
    expect(JSON.parse(patch.body.toString())).toEqual({ readme: 'x', is_public: true })
  })

  it('do not mind who created them', async () => {
    server.respond(({ method, path }) => {
      if (path === '/settings') return { body: { id: 'w1' } }
      if (path === '/repos') return { status: 409, body: { detail: 'exists' } }
      if (method === 'GET') return { status: 404, body: {} }
      return { body: { commit: { commit_hash: HASH } } }
    })
    expect(await client.pushAgent('new', { files })).toContain('/context/new/3f1c0b7d')
  })

  it('are refused in the words that callers know', async () => {
    const push = (identifier: string, parentCommit?: string) => client.pushAgent(identifier, { files, parentCommit })
    await expect(push('o/p/x', '1234567')).rejects.toThrow('parent_commit must be 8-64 characters')
    await expect(push('p', 'a'.repeat(65))).rejects.toThrow('parent_commit must be 8-64 characters')
    await expect(push('o/p/x')).rejects.toThrow('Invalid prompt identifier format')
    expect(server.requests).toHaveLength(0)
    await expect(push('other/p')).rejects.toThrow('Cannot push agent for another tenant.')
    await expect(client.pushSkill('other/p', { files })).rejects.toThrow('Cannot push skill for another tenant.')
    await expect(client.deleteAgent('other/p')).rejects.toThrow('Cannot delete for another tenant.')
    server.respond(({ path }) => (path === '/settings' ? { body: { id: 'w1' } } : { status: 404, body: {} }))
    await expect(push('Big')).rejects.toThrow('Invalid repo_handle "Big": must match /^[a-z][a-z0-9-_]*$/')
  })

  it('fail in the words that callers know', async () => {
    server.respond(({ method, path }) => {
      if (path === '/settings') return { body: { id: 'w1' } }
      return method === 'GET' && path.startsWith('/repos/') ? { body: { repo: {} } } : { status: 409, body: {} }
    })
    await expect(client.pushAgent('p', { files })).rejects.toBeInstanceOf(ConflictError)
    await expect(client.pushAgent('p', { files })).rejects.toThrow('Failed to push agent. Received')
    await expect(client.pushSkill('p', { files })).rejects.toThrow('Failed to push skill. Received')
    await expect(client.pushSkill('p', { files, tags: [] })).rejects.toThrow('Failed to update repo metadata. Received')
    await expect(client.deleteSkill('p')).rejects.toThrow('Failed to delete directory. Received')
    await expect(client.pullSkill('p')).rejects.toThrow('Failed to pull directory. Received')
  })

  it('are deleted and listed', async () => {
    await client.deleteAgent('acme/helper')
    expect(calls().at(-1)).toBe(`DELETE ${TREE}/acme/helper/directories`)
    expect(await client.listAgents().next()).toMatchObject({ value: { repo_handle: 'a' } })
    expect(lastQuery()).toBe('repo_type=agent&is_archived=false&offset=0&limit=100')
    await client.listSkills({ isPublic: true, isArchived: true, query: 'x' }).next()
    expect(lastQuery()).toBe('repo_type=skill&is_archived=true&is_public=true&query=x&offset=0&limit=100')
  })
})
