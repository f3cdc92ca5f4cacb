import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aRunHead } from '../support/raw-ingest.ts'
import { type StartedServer, startServer } from '../support/start-server.ts'

let server: StartedServer
beforeAll(async () => {
  server = await startServer({ env: { TOUCHSTONE_BLOB_GRACE_SECONDS: '2' } })
})
afterAll(() => server.stop())

const api = (path: string) => `${server.url}/api/v1${path}`
const status = async (path: string) => (await fetch(server.url + new URL(path, server.url).pathname)).status

async function send<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(api(path), {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const text = await response.text()
  expect(response.ok, `${method} ${path}: ${response.status} ${text}`).toBe(true)
  return (text === '' ? undefined : JSON.parse(text)) as Answer
}

interface Traced {
  readonly id: string
  readonly projectId: string
  readonly url: string
}

/** Records a run with one attachment and reads the run's signed URL of it. */
async function recordWithAttachment(project: string, bytes: Buffer): Promise<Traced> {
  const head = aRunHead({ session_name: project })
  const form = new FormData()
  form.append(`post.${head.id}`, new Blob([JSON.stringify(head)], { type: 'application/json' }))
  form.append(
    `attachment.${head.id}.photo`,
    new Blob([new Uint8Array(bytes)], { type: `image/png; length=${bytes.length}` }),
  )
  const response = await fetch(api('/runs/multipart'), { method: 'POST', body: form })
  expect(response.status, await response.text()).toBe(202)
  const id = String(head.id)
  const run = await send<{ session_id: string; s3_urls: Record<string, { presigned_url: string }> }>(
    'GET',
    `/runs/${id}`,
  )
  return { id, projectId: run.session_id, url: run.s3_urls['attachment.photo']!.presigned_url }
}

function fileOf(bytes: Buffer): string {
  const key = createHash('sha256').update(bytes).digest('hex')
  return join(server.dataDir, 'blobs', key.slice(0, 2), key.slice(2, 4), key)
}

interface Deletion {
  readonly kind: string
  readonly verified_at: string | null
  readonly remaining: number | null
  readonly analytics: Record<string, number>
  readonly blobs: { removed: number; removed_bytes: number; kept: number; waiting: number }
}

describe('B5: deletion reaches the bytes of attachments', () => {
  it('ends the signed URL of a deleted trace at once and removes the file after the grace period', async () => {
    const bytes = randomBytes(3000)
    const { id, projectId, url } = await recordWithAttachment('doomed trace', bytes)
    expect(await status(url)).toBe(200)
    await send('POST', '/runs/delete/traces', { session_id: projectId, trace_ids: [id] })
    expect(await status(url)).toBe(404)
    await expect.poll(() => existsSync(fileOf(bytes))).toBe(false)

    const newest = async () =>
      (await send<{ deletions: Deletion[] }>('GET', '/workspaces/current/deletions')).deletions[0]
    await expect.poll(async () => (await newest())?.blobs.waiting).toBe(0)
    expect(await newest()).toMatchObject({
      kind: 'traces',
      remaining: 0,
      verified_at: expect.any(String),
      analytics: { runs: 1, attachments: 1, attachment_bytes: bytes.length },
      blobs: { removed: 1, removed_bytes: bytes.length, kept: 0 },
    })
  })

  it('ends them with their project, too', async () => {
    const bytes = randomBytes(3000)
    const { projectId, url } = await recordWithAttachment('doomed project', bytes)
    await send('DELETE', `/sessions/${projectId}`)
    expect(await status(url)).toBe(404)
    await expect.poll(() => existsSync(fileOf(bytes))).toBe(false)
  })

  it('leaves bytes that another trace still refers to', async () => {
    const bytes = randomBytes(3000)
    const doomed = await recordWithAttachment('shared bytes', bytes)
    const kept = await recordWithAttachment('shared bytes', bytes)
    const unshared = randomBytes(3000)
    const alone = await recordWithAttachment('shared bytes', unshared)
    const trace_ids = [doomed.id, alone.id]
    await send('POST', '/runs/delete/traces', { session_id: doomed.projectId, trace_ids })
    expect(await status(doomed.url)).toBe(404)
    await expect.poll(() => existsSync(fileOf(unshared))).toBe(false)
    expect(await status(kept.url)).toBe(200)
    expect(existsSync(fileOf(bytes))).toBe(true)
  })

  it('ends the URL of an attachment that another one of its name has replaced', async () => {
    const before = randomBytes(3000)
    const { id, url } = await recordWithAttachment('replaced', before)
    const form = new FormData()
    form.append(`attachment.${id}.photo`, new Blob(['after'], { type: 'image/png; length=5' }))
    expect((await fetch(api('/runs/multipart'), { method: 'POST', body: form })).status).toBe(202)
    expect(await status(url)).toBe(404)
    await expect.poll(() => existsSync(fileOf(before))).toBe(false)
  })

  it('ends a URL that was obtained through a public link with the link', async () => {
    const { id, url } = await recordWithAttachment('shared run', randomBytes(3000))
    const { share_token } = await send<{ share_token: string }>('PUT', `/runs/${id}/share`, { run_id: id })
    const shared = await send<{ s3_urls: Record<string, { presigned_url: string }> }>(
      'GET',
      `/public/${share_token}/run`,
    )
    const publicUrl = shared.s3_urls['attachment.photo']!.presigned_url
    expect(await status(publicUrl)).toBe(200)
    await send('DELETE', `/runs/${id}/share`)
    expect(await status(publicUrl)).toBe(404)
    expect(await status(url)).toBe(200)
  })

  it('ends the URL of an example with its dataset and removes the file', async () => {
    const bytes = randomBytes(3000)
    const dataset = await send<{ id: string }>('POST', '/datasets', { name: 'doomed dataset' })
    const id = crypto.randomUUID()
    const form = new FormData()
    form.append(id, new Blob(['{}'], { type: 'application/json' }))
    form.append(`${id}.inputs`, new Blob(['{"a":1}'], { type: 'application/json' }))
    form.append(`${id}.attachment.photo`, new Blob([new Uint8Array(bytes)], { type: 'image/png' }))
    const response = await fetch(`${server.url}/v1/platform/datasets/${dataset.id}/examples`, {
      method: 'POST',
      body: form,
    })
    expect(response.ok, await response.text()).toBe(true)
    const example = await send<{ attachment_urls: Record<string, { presigned_url: string }> }>('GET', `/examples/${id}`)
    const url = example.attachment_urls['attachment.photo']!.presigned_url
    expect(await status(url)).toBe(200)
    await send('DELETE', `/examples/${id}`) // its older versions can still be read
    expect(await status(url)).toBe(200)
    await send('DELETE', `/datasets/${dataset.id}`)
    expect(await status(url)).toBe(404)
    await expect.poll(() => existsSync(fileOf(bytes))).toBe(false)
  })
})
