import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { traceable } from 'langsmith/traceable'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedServer, startServer } from '../support/start-server.ts'
import { createTestBucket, s3Url, type TestBucket } from '../support/test-bucket.ts'
import { aClient, aProjectName, collect } from './javascript/a-client.ts'
import { python, runScript } from './python/run-script.ts'

const main = fileURLToPath(new URL('../../packages/server/dist/main.cjs', import.meta.url))

describe.skipIf(s3Url === undefined)('a server that keeps attachments in S3', () => {
  let root: string
  let bucket: TestBucket
  let server: StartedServer
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'touchstone-object-store-'))
    bucket = await createTestBucket()
    server = await startServer({
      dataDir: join(root, 'data'),
      args: ['--backup-dir', join(root, 'backups')],
      env: { ...bucket.env, TOUCHSTONE_BLOB_GRACE_SECONDS: '2' },
    })
  })
  afterAll(async () => {
    await server?.kill()
    await rm(root, { recursive: true, force: true })
  })

  const nameOf = (bytes: Buffer) => `blobs/${createHash('sha256').update(bytes).digest('hex')}`

  /** A trace of the public client with one attachment. */
  async function record(bytes: Buffer) {
    const [client, projectName] = [aClient(server.url), aProjectName('attached')]
    const look = traceable(async (_: object, ...rest: unknown[]) => rest.length, {
      client,
      project_name: projectName,
      tracingEnabled: true,
      name: 'look',
      extractAttachments: (inputs: object) => [{ file: ['image/png', bytes] as [string, Uint8Array] }, inputs],
    })
    await look({ question: 'what is this?' })
    await client.awaitPendingTraceBatches()
    const [run] = await collect(client.listRuns({ projectName, select: ['s3_urls', 'session_id', 'trace_id'] }))
    const { s3_urls, ...ids } = run as unknown as {
      s3_urls: Record<string, { presigned_url: string }>
      session_id: string
      trace_id: string
    }
    return { ...ids, url: s3_urls['attachment.file']!.presigned_url }
  }

  async function send(path: string, body: object) {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(answer.ok, await answer.clone().text()).toBe(true)
    return (await answer.json()) as Record<string, string>
  }

  it('gives the JavaScript client its bytes through URLs of its own, also in ranges', async () => {
    const bytes = randomBytes(1_200_000)
    const { url } = await record(bytes)
    expect(url.startsWith(server.url)).toBe(true)
    expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(bytes)).toBe(true)
    const part = await fetch(url, { headers: { range: 'bytes=1000-1999' } })
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(1000, 2000))).toBe(true)
    expect(await bucket.list('blobs/')).toContain(nameOf(bytes))
    expect(await readdir(server.dataDir)).not.toContain('blobs')
  })

  it.skipIf(python === undefined)('gives the Python client its bytes', async () => {
    const files = { photo: randomBytes(200_000).toString('base64'), note: Buffer.from('é\r\n\0').toString('base64') }
    const answer = await runScript('attachments', { project: aProjectName('files'), files }, server.url)
    const expected = {
      photo: { data: files.photo, mime_type: 'image/png' },
      note: { data: files.note, mime_type: 'text/plain' },
    }
    expect(answer).toEqual({ listed: expected, read: expected })
  })

  it('has no copy of the bytes after their trace was deleted', async () => {
    const text = `erased ${randomBytes(16).toString('hex')}`
    const bytes = Buffer.from(text)
    const { url, session_id, trace_id } = await record(bytes)
    expect(await bucket.list('blobs/')).toContain(nameOf(bytes))
    await send('/runs/delete', { session_id, trace_ids: [trace_id] })
    expect((await fetch(url)).status).toBe(404)
    await expect.poll(() => bucket.list('blobs/'), { timeout: 60_000 }).not.toContain(nameOf(bytes))
    const entries = await readdir(server.dataDir, { recursive: true, withFileTypes: true })
    for (const entry of entries.filter((one) => one.isFile())) {
      const found = await readFile(join(entry.parentPath, entry.name)).catch(() => Buffer.alloc(0))
      expect(found.includes(text), entry.name).toBe(false)
    }
  })

  it('is backed up with its attachments, which a restore puts into another bucket', async () => {
    const bytes = randomBytes(50_000)
    const { trace_id } = await record(bytes)
    const { id, path } = await send('/backups', {})
    const readBackup = async () => (await fetch(`${server.url}/backups/${id}`)).json()
    await expect.poll(readBackup, { timeout: 60_000 }).toMatchObject({ status: 'complete' })
    const manifest = JSON.parse(await readFile(join(String(path), 'manifest.json'), 'utf8'))
    expect(manifest.blobs).toMatchObject({ store: 's3', count: (await bucket.list('blobs/')).length })

    const [other, dataDir] = [await createTestBucket(), join(root, 'restored')]
    execFileSync(process.execPath, [main, '--restore-backup', String(path), '--data-dir', dataDir], {
      env: { ...process.env, ...other.env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    expect((await other.list('blobs/')).sort()).toEqual((await bucket.list('blobs/')).sort())
    const restored = await startServer({ dataDir, env: other.env })
    try {
      const run = (await (await fetch(`${restored.url}/runs/${trace_id}`)).json()) as {
        s3_urls: Record<string, { presigned_url: string }>
      }
      const answer = await fetch(new URL(run.s3_urls['attachment.file']!.presigned_url, restored.url))
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
    } finally {
      await restored.kill()
    }
  })
})
