import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client } from '../index.ts'

const ID = '0197aaaa-0000-7000-8000-000000000000'

let server: Recorder
let client: Client
beforeEach(async () => {
  server = await Recorder.start()
  client = new Client({ apiUrl: server.url })
  server.respond(() => ({ body: { id: ID } }))
})
afterEach(() => server.stop())

const asked = () =>
  server.calls.map(({ method, path, body }) => [
    `${method} ${path}`,
    body.length > 0 ? JSON.parse(body.toString()) : undefined,
  ])

describe('model providers', () => {
  it('are created, read, changed and deleted by their id', async () => {
    const provider = { name: 'Local', kind: 'openai-chat', base_url: 'http://localhost:11434/v1', key: 'k' } as const
    expect(await client.createModelProvider(provider)).toEqual({ id: ID })
    await client.listModelProviders()
    await client.readModelProvider(ID)
    await client.updateModelProvider(ID, { key: null })
    await client.deleteModelProvider(ID)
    expect(asked()).toEqual([
      ['POST /model-providers', provider],
      ['GET /model-providers', undefined],
      [`GET /model-providers/${ID}`, undefined],
      [`PATCH /model-providers/${ID}`, { key: null }],
      [`DELETE /model-providers/${ID}`, undefined],
    ])
    await expect(client.readModelProvider('../members')).rejects.toThrow(/uuid/i)
  })

  it('are tested, and list their models', async () => {
    const test = { provider: { kind: 'gemini', base_url: 'https://x.test' }, model: 'm' } as const
    await client.testModelProvider(test)
    await client.listProviderModels(ID)
    await client.readSecretKeyStatus()
    await client.rotateSecretKeys()
    expect(asked()).toEqual([
      ['POST /model-providers/test', test],
      [`GET /model-providers/${ID}/models`, undefined],
      ['GET /model-providers/secret-keys', undefined],
      ['POST /model-providers/secret-keys/rotate', undefined],
    ])
  })
})
