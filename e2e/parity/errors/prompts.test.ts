import { contract } from '@touchstone/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { aProjectName } from '../../clients/javascript/a-client.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { errorOf, refusalOf } from '../support/refusal-of.ts'
import { callOf, type WatchedClient, watchClient } from '../support/watch-client.ts'

let server: SharedServer
let watched: WatchedClient
beforeAll(async () => {
  server = await shareServer()
  watched = watchClient(server.url)
})
beforeEach(() => void watched.taken())
afterAll(() => server?.stop())

const manifest = { template: 'Hi' }
const created = async (client = watched.client) => {
  const name = aProjectName('prompt')
  await client.createPrompt(name)
  return name
}

describe('a prompt', () => {
  it('that is not there is null to a lookup, and is neither changed, nor deleted, nor committed to', async () => {
    const { client } = watched
    const name = aProjectName('none')
    expect(await client.getPrompt(name)).toBeNull()
    expect(await client.promptExists(name)).toBe(false)
    const sentence = 'Prompt does not exist, you must create it first.'
    expect(await refusalOf(() => client.updatePrompt(name, { description: 'd' }))).toBe(sentence)
    expect(await refusalOf(() => client.deletePrompt(name))).toBe(sentence)
    expect(await refusalOf(() => client.createCommit(name, manifest))).toBe(sentence)
  })

  it('is not changed when nothing is said', async () => {
    const name = await created()
    expect(await refusalOf(() => watched.client.updatePrompt(name, {}))).toBe('No valid update options provided')
  })

  it('is not public while the workspace has no handle', async () => {
    const { client } = watched
    const sentence = await refusalOf(() => client.createPrompt('joke', { isPublic: true }))
    expect(sentence).toBe(
      'Cannot create a public prompt without first\n\n        creating a LangChain Hub handle.\n' +
        `        You can add a handle by creating a public prompt at:\n\n        ${server.url}/prompts`,
    )
    expect(watched.taken().map(({ call }) => call)).not.toContain(callOf(contract.prompts.create))
  })

  it('of another workspace is neither created, nor changed, nor deleted', async () => {
    // The server has one workspace, so a prompt of another's is looked up as if it were there; all else is the server's.
    const handle = 'acme-errors' // unique on the server
    await fetch(`${server.url}/settings/handle`, {
      method: 'POST',
      body: JSON.stringify({ tenant_handle: handle }),
      headers: { 'content-type': 'application/json' },
    })
    const { client, taken } = watchClient(server.url, {}, async ({ call }) =>
      call === callOf(contract.prompts.read) ? Response.json({ repo: {} }) : undefined,
    )
    const said = (action: string) =>
      `Cannot ${action} for another tenant.\n\n      Current tenant: ${handle}\n\n      Requested tenant: other`
    expect(await refusalOf(() => client.createPrompt('other/joke'))).toBe(said('create a prompt'))
    expect(await refusalOf(() => client.updatePrompt('other/joke', { readme: 'r' }))).toBe(said('update a prompt'))
    expect(await refusalOf(() => client.deletePrompt('other/joke'))).toBe(said('delete a prompt'))
    const { create, update, delete: remove } = contract.prompts
    const calls = taken().map(({ call }) => call)
    for (const route of [create, update, remove]) expect(calls).not.toContain(callOf(route))
  })

  it('of the caller’s own goes by its handle and by a dash', async () => {
    const { client } = watchClient(server.url)
    const { tenant_handle } = await client.getSettings()
    const name = aProjectName('prompt')
    expect(await client.createPrompt(`${tenant_handle}/${name}`)).toMatchObject({ repo_handle: name })
    await client.updatePrompt(`-/${name}`, { readme: 'r' })
    expect(await client.getPrompt(`${tenant_handle}/${name}`)).toMatchObject({ readme: 'r' })
    await client.deletePrompt(`${tenant_handle}/${name}`)
    expect(await client.promptExists(name)).toBe(false)
  })
})

describe('an identifier', () => {
  it.each(['', '/', 'a/', '/a', 'a/b/c', 'a:b:c', ':c', 'a/:c'])(
    'that reads %j is refused before any request',
    async (given) => {
      watched.taken()
      const { client } = watched
      for (const call of [() => client.getPrompt(given), () => client.pullPromptCommit(given)]) {
        expect(await refusalOf(call)).toBe(
          `Invalid prompt identifier format: "${given}". Expected one of:
  - "prompt-name" (for private prompts)
  - "owner/prompt-name" (for prompts with explicit owner)
  - "prompt-name:commit-hash" (with commit reference)
  - "owner/prompt-name:commit-hash" (with owner and commit)`,
        )
      }
      expect(watched.taken()).toEqual([])
    },
  )
})

describe('the lookup of the latest commit', () => {
  const failing = (body: unknown, statusText: string) =>
    watchClient(server.url, { callerOptions: { maxRetries: 0 } }, async ({ call }) =>
      call === callOf(contract.promptCommits.list) ? Response.json(body, { status: 503, statusText }) : undefined,
    )

  it('tells status and detail when it fails', async () => {
    const { client } = failing({ detail: 'The database is away.' }, 'Service Unavailable')
    const name = await created(client)
    const error = await errorOf(() => client.createCommit(name, manifest))
    expect(error.message).toBe('Error 503: Service Unavailable\nThe database is away.')
    expect(error.status).toBe(503)
  })

  it('tells a detail that is no sentence as JSON', async () => {
    const { client } = failing({ detail: [{ msg: 'no' }] }, 'Service Unavailable')
    const name = await created(client)
    expect(await refusalOf(() => client.createCommit(name, manifest))).toBe(
      'Error 503: Service Unavailable\n[{"msg":"no"}]',
    )
  })
})
