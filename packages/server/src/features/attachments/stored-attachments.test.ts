import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aTrace } from '../../testing/a-trace.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

describe('attachments', () => {
  let app: StartedApp
  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app.close())

  const namesOf = async (runId: string) => {
    const run = (await (await app.fetch(`/runs/${runId}`)).json()) as { s3_urls?: Record<string, object> }
    return run.s3_urls && Object.keys(run.s3_urls)
  }

  it('are returned immediately in a workspace that had none before', async () => {
    const [run] = aTrace({ project: 'attachments' }).post
    const id = String(run!.id)
    await send(new Map([[`post.${id}`, new Blob([JSON.stringify(run)], { type: 'application/json' })]]))
    expect(await namesOf(id)).toBeUndefined()
    await send(
      new Map([
        [`patch.${id}`, new Blob([JSON.stringify({ tags: ['seen'] })], { type: 'application/json' })],
        [`attachment.${id}.first`, new Blob(['a'], { type: 'text/plain; length=1' })],
      ]),
    )
    expect(await namesOf(id)).toEqual(['attachment.first'])
    await send(new Map([[`attachment.${id}.second`, new Blob(['b'], { type: 'text/plain; length=1' })]]))
    expect(await namesOf(id)).toEqual(['attachment.first', 'attachment.second'])
  })

  async function send(parts: ReadonlyMap<string, Blob>) {
    const form = new FormData()
    for (const [name, part] of parts) form.append(name, part)
    expect((await app.fetch('/runs/multipart', { method: 'POST', body: form })).status).toBe(202)
  }
})
