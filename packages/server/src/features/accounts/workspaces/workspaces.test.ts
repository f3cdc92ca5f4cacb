import { contract } from '@touchstone/contract'
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

  it.each(['', '   ', 'x'.repeat(201), 'a\u0000b', 7])('rejects %j', async (name) => {
    expect((await rename(name)).status).toBe(400)
  })
})
