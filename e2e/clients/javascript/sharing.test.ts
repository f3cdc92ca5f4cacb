import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { aClient } from './a-client.ts'
import { aConversation } from './a-conversation.ts'

let server: SharedServer
beforeAll(async () => {
  server = await shareServer()
})
afterAll(() => server?.stop())

describe('sharing through the public JavaScript client', () => {
  it('shares a run, tells its link, and closes it', async () => {
    const client = aClient(server.url)
    const { traces } = await aConversation(client, 1)
    const { root } = traces[0]!
    const shareId = randomUUID()

    expect(await client.readRunSharedLink(root.id)).toBeUndefined()
    const url = await client.shareRun(root.id, { shareId })
    expect(url).toBe(`http://localhost:3000/public/${shareId}/r`)
    expect(await client.shareRun(root.id)).toBe(url)
    expect(await client.readRunSharedLink(root.id)).toBe(url)

    await client.unshareRun(root.id)
    await client.unshareRun(root.id)
    expect(await client.readRunSharedLink(root.id)).toBeUndefined()
    await expect(client.listSharedRuns(shareId)).rejects.toThrow(/Share token not found/)
    await expect(client.shareRun(randomUUID())).rejects.toThrow(/not found/)
  })

  it('lists what was shared, by the URL that lacks its question mark', async () => {
    const client = aClient(server.url)
    const { traces } = await aConversation(client, 2)
    const { root, llm } = traces[0]!
    const shareId = randomUUID()
    await client.shareRun(root.id, { shareId })

    const stranger = aClient(server.url, { apiKey: 'a placeholder' })
    const all = await stranger.listSharedRuns(shareId)
    const one = await stranger.listSharedRuns(shareId, { runIds: [llm.id] })
    const hidden = await stranger.listSharedRuns(shareId, { runIds: [traces[1]!.root.id] })

    expect(all.map((run) => run.id)).toEqual([root.id, llm.id])
    expect(all[0]).toMatchObject({ name: root.name, inputs: root.inputs, outputs: root.outputs, tags: ['e2e'] })
    expect(all[0]).not.toHaveProperty('session_id')
    expect(one).toMatchObject([{ id: llm.id, inputs: llm.inputs, outputs: llm.outputs, parent_run_id: root.id }])
    expect(hidden).toEqual([])
  })
})
