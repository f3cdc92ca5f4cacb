import { PromptTemplate } from '@langchain/core/prompts'
import { Client as OurClient, PermissionDeniedError, type Role } from '@touchstone/sdk'
import { Client as PublicClient } from 'langsmith'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedServer, startServer } from '../../support/start-server.ts'
import { aProjectName, collect } from './a-client.ts'

describe('keys with roles', () => {
  let server: StartedServer
  let admin: OurClient
  const keys = {} as Record<Role, string>
  beforeAll(async () => {
    server = await startServer()
    keys.admin = (await new OurClient(config()).createApiKey({ description: 'admin' })).key
    admin = ours('admin')
    for (const role of ['viewer', 'member'] as const) keys[role] = (await admin.createApiKey({ role })).key
  })
  afterAll(() => server?.stop())

  const config = (role?: Role) => ({
    apiUrl: `${server.url}/api/v1`,
    ...(role && { apiKey: keys[role] }),
    autoBatchTracing: false,
  })
  const ours = (role: Role) => new OurClient(config(role))
  const theirs = (role: Role) => new PublicClient(config(role))

  it('say whom a client speaks for', async () => {
    expect(await ours('viewer').readMe()).toMatchObject({ kind: 'key', role: 'viewer' })
    expect(await admin.readMe()).toMatchObject({ kind: 'key', role: 'admin', name: 'admin' })
  })

  it('let the public client of a member do all that it does, and of a viewer read it', async () => {
    const project_name = aProjectName('roles')
    const name = aProjectName('prompt')
    const member = theirs('member')
    await member.createRun({ name: 'greet', run_type: 'chain', inputs: { who: 'you' }, project_name })
    await member.createDataset(project_name)
    await member.pushPrompt(name, { object: PromptTemplate.fromTemplate('Tell me about {topic}.') })

    const viewer = theirs('viewer')
    expect((await collect(viewer.listRuns({ projectName: project_name }))).map((run) => run.name)).toEqual(['greet'])
    expect((await viewer.readDataset({ datasetName: project_name })).name).toBe(project_name)
    expect((await viewer.pullPromptCommit(name)).manifest).toBeDefined()
    await expect(viewer.createDataset(`${project_name} 2`)).rejects.toThrow('This key has read-only access.')
    await expect(viewer.createProject({ projectName: 'never' })).rejects.toThrow('403')
  })

  it('reserve production for admins, and reject other pushes with a reason', async () => {
    const name = aProjectName('prompt')
    const object = PromptTemplate.fromTemplate('Tell me about {topic}.')
    const pushed = theirs('member').pushPrompt(name, { object, commitTags: ['production'] })
    await expect(pushed).rejects.toThrow('The tag production is protected: only admins may move it')
    // The commit was made before the tag was asked for.
    await theirs('admin').pushPrompt(name, {
      object: PromptTemplate.fromTemplate('2 {topic}'),
      commitTags: ['production'],
    })
    expect((await ours('viewer').pullPromptCommit(`${name}:production`)).manifest).toBeDefined()

    await admin.updatePromptEnvironments([{ name: 'production', leastRole: 'member' }, { name: 'eu' }])
    expect((await ours('viewer').readPromptEnvironments()).environments).toEqual([
      { name: 'production', least_role: 'member' },
      { name: 'eu', least_role: 'admin' },
    ])
    await ours('member').tagCommit(name, 'production')
    await expect(ours('member').tagCommit(name, 'eu')).rejects.toBeInstanceOf(PermissionDeniedError)
    await expect(ours('member').resetPromptEnvironments()).rejects.toBeInstanceOf(PermissionDeniedError)
    await admin.resetPromptEnvironments()
    const moves = await collect(admin.listCommitTagHistory(name, 'production'))
    expect(moves[0]).toMatchObject({ performed_by_role: expect.stringMatching(/admin|member/) })
  })

  it('invite people, who are listed', async () => {
    const { token, id } = await admin.createInvite({ role: 'viewer', email: 'grace@example.org' })
    expect((await admin.listInvites()).map((invite) => invite.id)).toEqual([id])
    const visitor = new OurClient(config())
    expect(await visitor.readInvite(token)).toMatchObject({ role: 'viewer', email: 'grace@example.org' })
    const grace = await visitor.acceptInvite(token, { email: 'grace@example.org', password: 'battery staple' })
    expect(grace).toMatchObject({ kind: 'person', role: 'viewer', name: 'grace' })
    expect(await ours('viewer').listMembers()).toEqual([expect.objectContaining({ id: grace.id, key_count: 0 })])
    expect(await admin.updateMember(grace.id!, { role: 'admin' })).toMatchObject({ role: 'admin' })
    await expect(admin.removeMember(grace.id!)).rejects.toThrow('the last admin')
    await expect(ours('member').listInvites()).rejects.toBeInstanceOf(PermissionDeniedError)
    await expect(visitor.signIn({ email: 'grace@example.org', password: 'wrong' })).rejects.toThrow(
      'The email address or the password is wrong.',
    )
    expect(await visitor.signIn({ email: 'grace@example.org', password: 'battery staple' })).toMatchObject({
      id: grace.id,
    })
    expect(await visitor.readAuthState()).toMatchObject({ has_people: true, can_set_up: false })
  })
})
