import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../../config.ts'
import { type ExampleInForm, exampleForm } from '../../../testing/example-form.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

describe('large uploads of examples', () => {
  let app: StartedApp
  let datasetId: string
  const { datasets, examples } = contract

  beforeAll(async () => {
    const { ingest } = readConfig([], {})
    const limits = { ...ingest, maxBodyBytes: 100_000, maxAttachmentBytes: 100_000 }
    app = await startApp({ config: { ingest: limits, maxBytesInFlight: 2_000_000 } })
    datasetId = (await app.call(datasets.create, { body: { name: 'large' } })).body.id
  })
  afterAll(() => app.close())

  const upload = async (form: readonly ExampleInForm[]) => {
    const path = `/v1/platform/datasets/${datasetId}/examples`
    const answer = await app.fetch(path, { method: 'POST', body: exampleForm(form) })
    return { status: answer.status, text: await answer.text() }
  }
  const bytes = (size: number, fill: number) => new Uint8Array(size).fill(fill)

  it('accept more attachments than fit into memory, in their order', async () => {
    const id = uuid7()
    const names = Array.from({ length: 100 }, (_, n) => `part ${n}`)
    const attachments = Object.fromEntries(
      names.map((name, n) => [name, ['application/octet-stream', bytes(60_000, n)] as const]),
    )

    const answer = await upload([{ id, inputs: {}, attachments }])

    expect(answer.status, answer.text).toBe(201)
    const { attachment_urls: urls = {} } = (await app.call(examples.read, { params: { example_id: id } })).body
    expect(Object.keys(urls)).toEqual(names.map((name) => `attachment.${name}`))
    const last = await (await fetch(urls['attachment.part 99']!.presigned_url)).arrayBuffer()
    expect(Buffer.from(last)).toEqual(Buffer.from(bytes(60_000, 99)))
  })

  it('are rejected for a single large attachment, with its name, and for too much JSON', async () => {
    const id = uuid7()
    const large = { big: ['text/plain', bytes(100_001, 1)], small: ['text/plain', 'x'] } as const
    const attachment = await upload([{ id, inputs: {}, attachments: large }])
    expect(attachment.status).toBe(413)
    expect(attachment.text).toContain(`${id}.attachment.big: has 100001 bytes`)

    const json = await upload(Array.from({ length: 40 }, () => ({ id: uuid7(), inputs: { a: 'x'.repeat(5_000) } })))
    expect(json.status).toBe(413)
    expect(json.text).toContain('TOUCHSTONE_MAX_BODY_BYTES')
  })

  it('continue after a rejection with data still in transit', async () => {
    for (let round = 0; round < 5; round++) {
      const refused = await upload([{ id: uuid7(), inputs: { a: 'x'.repeat(500_000) } }])
      expect(refused.status).toBe(413)
    }
    expect((await upload([{ id: uuid7(), inputs: {} }])).status).toBe(201)
  })
})
