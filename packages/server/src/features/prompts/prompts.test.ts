import { contract } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { relationalEngines } from '../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

describe.each(relationalEngines)('prompts on %s', (_engine, open) => {
  let app: StartedApp
  const { prompts } = contract

  beforeAll(async () => {
    app = await startApp({ relational: await open() })
  })
  afterAll(() => app.close())

  it('are created and read', async () => {
    const made = await app.call(prompts.create, { body: { repo_handle: 'joke', is_public: false } })
    expect(made.status, made.text).toBe(200)
    expect((await app.call(prompts.read, { params: { owner: '-', repo: 'joke' } })).text).toBe(made.text)
    const list = await app.call(prompts.list, { query: { with_latest_manifest: 'true', query: 'JOK', tags: [] } })
    expect(list.body.total, list.text).toBe(1)
    expect((await app.call(prompts.listTags)).body).toEqual({ tags: [] })
  })
})
