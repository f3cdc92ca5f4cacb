import { contract, type Route, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const rename = (display_name: unknown) => app.call(contract.workspaces.rename, { body: { display_name } })

describe('rename a workspace', () => {
  it('changes the name in the settings and keeps the id', async () => {
    const before = (await app.call(contract.workspaces.settings)).body
    expect((await rename('  Acme  ')).body).toEqual({ ...before, display_name: 'Acme' })
    expect((await app.call(contract.workspaces.settings)).body.display_name).toBe('Acme')
  })

  it('is refused when the name is no longer the expected one', async () => {
    await rename('First')
    const change = (display_name: string, was: string) =>
      app.call(contract.workspaces.rename, { body: { display_name, expected: { display_name: was } } })
    expect((await change('Second', 'First')).body.display_name).toBe('Second')
    const late = await change('Third', 'First')
    expect(late.status).toBe(409)
    expect(late.body).toMatchObject({ detail: [{ loc: ['body', 'display_name'], type: 'changed' }] })
    const { id } = (await app.call(contract.workspaces.settings)).body
    const body = { display_name: 'Fourth', expected: { display_name: 'First' } }
    expect((await app.call(contract.workspaces.update, { params: { id }, body })).status).toBe(409)
    expect((await app.call(contract.workspaces.settings)).body.display_name).toBe('Second')
  })

  it.each(['', '   ', 'x'.repeat(201), 7])('rejects %j', async (name) => {
    expect((await rename(name)).status).toBe(400)
  })
})

describe('what a workspace holds', () => {
  it('is counted by noun', async () => {
    // The first key ends open access.
    const { key } = (await app.call(contract.apiKeys.create, { body: { description: 'kept' } })).body
    const headers = { 'x-api-key': key }
    const create = async <Of extends Route>(route: Of, body: object) => (await app.call(route, { body, headers })).body
    const count = async () => (await app.call(contract.workspaces.stats, { headers })).body
    const before = await count()

    const { id: dataset } = await create(contract.datasets.create, { name: 'questions' })
    await create(contract.projects.create, { name: 'chat' })
    await create(contract.projects.create, { name: 'first try', reference_dataset_id: dataset })
    await create(contract.apiKeys.create, { description: 'another' })
    const { id: revoked } = await create(contract.apiKeys.create, { description: 'revoked' })
    await app.call(contract.apiKeys.revoke, { params: { id: revoked }, headers })
    for (const key of ['correct', 'correct', 'tone']) {
      await create(contract.feedback.create, { run_id: uuid7(), key, score: 1 })
    }

    expect(await count()).toEqual({
      ...before,
      dataset_count: before.dataset_count + 1,
      tracer_session_count: before.tracer_session_count + 2,
      experiment_count: before.experiment_count + 1,
      api_key_count: before.api_key_count + 1,
      feedback_key_count: before.feedback_key_count + 2,
    })
  })
})
