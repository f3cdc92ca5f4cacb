import { randomBytes } from 'node:crypto'
import { traceable } from 'langsmith/traceable'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { type Tap, tapIngest } from '../../support/tap-ingest.ts'
import { aClient, aProjectName, collect } from './a-client.ts'

let server: SharedServer
let tap: Tap
beforeAll(async () => {
  server = await shareServer()
  tap = await tapIngest(server.url)
})
afterAll(async () => {
  await tap?.close()
  await server?.stop()
})

type Signed = Record<string, { presigned_url: string; mime_type: string }>

/** Bytes of one attachment, fetched the way clients do: without a key, at the URL as it is. */
async function fetchAttachment(urls: Signed, name: string) {
  const answer = await fetch(urls[`attachment.${name}`]!.presigned_url)
  expect(answer.status).toBe(200)
  return { bytes: Buffer.from(await answer.arrayBuffer()), type: answer.headers.get('content-type') }
}

describe('attachments of the public JavaScript client', () => {
  it('come back byte for byte with their media type, without a key', async () => {
    const client = aClient(server.url)
    const project_name = aProjectName('attached')
    const files = {
      photo: randomBytes(100_000),
      note: Buffer.from('é\r\n--boundary\r\n\u0000'),
      empty: Buffer.alloc(0),
    }
    const look = traceable(async (_: object, ...rest: unknown[]) => rest.length, {
      client,
      project_name,
      tracingEnabled: true,
      name: 'look',
      extractAttachments: (inputs: object) => [
        {
          photo: ['image/png', files.photo] as [string, Uint8Array],
          note: ['text/plain; charset=utf-8', files.note] as [string, Uint8Array],
          empty: ['application/octet-stream', files.empty] as [string, Uint8Array],
        },
        inputs,
      ],
    })

    await look({ question: 'what is this?' })
    await client.awaitPendingTraceBatches()
    const [run] = await collect(client.listRuns({ projectName: project_name, select: ['s3_urls', 'inputs'] }))

    const urls = (run as unknown as { s3_urls: Signed }).s3_urls
    expect(Object.keys(urls).sort()).toEqual(['attachment.empty', 'attachment.note', 'attachment.photo'])
    expect(urls['attachment.photo']!.mime_type).toBe('image/png')
    for (const name of ['photo', 'note', 'empty'] as const) {
      const { bytes } = await fetchAttachment(urls, name)
      expect(bytes.equals(files[name]), name).toBe(true)
    }
  })

  it('are compressed with gzip, because the server supports it', async () => {
    const client = aClient(tap.url)
    const project_name = aProjectName('packed')
    const echo = traceable(async (text: string) => text, { client, project_name, tracingEnabled: true, name: 'echo' })

    await echo('a'.repeat(50_000))
    await client.awaitPendingTraceBatches()
    const [run] = await collect(client.listRuns({ projectName: project_name }))

    expect(tap.encodings()).toContain('gzip')
    expect(run!.inputs).toEqual({ input: 'a'.repeat(50_000) })
  })
})
