import { contract } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import { startApp } from '../../../testing/start-app.ts'

describe('secrets of a workspace', () => {
  it('are an empty list with all query parameters', async () => {
    const app = await startApp()
    const { secrets } = contract.workspaces
    expect(await app.call(secrets)).toMatchObject({ status: 200, body: [] })
    expect(await app.call(secrets, { query: { include_configs: 'true' } })).toMatchObject({ status: 200, body: [] })
    await app.close()
  })
})
