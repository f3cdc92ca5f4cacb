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

  it('are read whole or in ranges through their signed URL', async () => {
    const [run] = aTrace({ project: 'attachments' }).post
    const id = String(run!.id)
    const large = Buffer.alloc(1_500_000, 'ranges')
    await send(
      new Map([
        [`post.${id}`, new Blob([JSON.stringify(run)], { type: 'application/json' })],
        [`attachment.${id}.large`, new Blob([large], { type: `text/plain; length=${large.length}` })],
      ]),
    )
    const { s3_urls } = (await (await app.fetch(`/runs/${id}`)).json()) as {
      s3_urls: Record<string, { presigned_url: string }>
    }
    const { presigned_url } = s3_urls['attachment.large']!
    const read = async (headers: Record<string, string>) => {
      const answer = await fetch(new URL(presigned_url, app.url), { headers })
      return { answer, bytes: Buffer.from(await answer.arrayBuffer()) }
    }
    const whole = await read({})
    expect([whole.answer.status, whole.answer.headers.get('content-length')]).toEqual([200, '1500000'])
    expect(whole.bytes.equals(large)).toBe(true)
    const part = await read({ range: 'bytes=5-14' })
    expect([part.answer.status, part.answer.headers.get('content-range')]).toEqual([206, 'bytes 5-14/1500000'])
    expect(part.bytes).toEqual(large.subarray(5, 15))
    expect((await read({ range: 'bytes=-6' })).bytes.toString()).toBe('ranges')
    const beyond = await read({ range: 'bytes=1500000-' })
    expect([beyond.answer.status, beyond.answer.headers.get('content-range')]).toEqual([416, 'bytes */1500000'])
    const changed = await read({ range: 'bytes=5-14', 'if-range': '"another"' })
    expect([changed.answer.status, changed.bytes.length]).toEqual([200, large.length])
  })

  async function send(parts: ReadonlyMap<string, Blob>) {
    const form = new FormData()
    for (const [name, part] of parts) form.append(name, part)
    expect((await app.fetch('/runs/multipart', { method: 'POST', body: form })).status).toBe(202)
  }
})
