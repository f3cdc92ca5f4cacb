import { createHash, randomBytes } from 'node:crypto'
import { contract } from '@touchstone/contract'
import { readParts } from '@touchstone/formats/messages'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { padSpanId } from '../../storage/analytics/run-aliases.ts'
import { sql, text } from '../../storage/analytics/sql.ts'
import { COUNT_ROW } from '../../storage/rows.ts'
import { aWorkspace } from '../../testing/a-workspace.ts'
import { aRequest, nano, type SpanJson, toAttributes } from '../../testing/otlp-request.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { toTraceUuid } from '../otlp/tree/span-ids.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const START = PNG.toString('base64').slice(0, 20)

let app: StartedApp
/** Keys of two workspaces. */
let acme: { readonly key: string; readonly readOnlyKey: string }
let other: { readonly key: string }
beforeAll(async () => {
  app = await startApp()
  const [one, two] = [await aWorkspace(app, 'acme'), await aWorkspace(app, 'other')]
  acme = { key: keyOf(one.headers), readOnlyKey: keyOf(one.readOnlyHeaders) }
  other = { key: keyOf(two.headers) }
})
afterAll(() => app.close())

const keyOf = (headers: Readonly<Record<string, string>>) => headers['x-api-key'] ?? ''
const newTrace = () => randomBytes(16).toString('hex')
const newSpan = () => randomBytes(8).toString('hex')

function aSpan(traceId: string, parentSpanId: string | undefined, attributes: Record<string, string>): SpanJson {
  const times = { startTimeUnixNano: nano(0), endTimeUnixNano: nano(900) }
  const parent = parentSpanId === undefined ? {} : { parentSpanId }
  return { traceId, spanId: newSpan(), ...parent, name: 'call', ...times, attributes: toAttributes(attributes) }
}

const json = (key: string) => ({ 'content-type': 'application/json', 'x-api-key': key })
async function send(spans: readonly SpanJson[], key = acme.key) {
  const response = await app.fetch('/otel/v1/traces', {
    method: 'POST',
    headers: json(key),
    body: JSON.stringify(aRequest(spans)),
  })
  expect(response.status).toBe(200)
}

async function readRun(id: string, key = acme.key) {
  const { status, body } = await app.call(contract.runs.read, { params: { run_id: id }, headers: json(key) })
  return {
    status,
    inputs: body.inputs,
    urls: (body as { s3_urls?: Record<string, { presigned_url: string; mime_type: string }> }).s3_urls ?? {},
  }
}

/** Names, types and bytes of the attachments of a run. */
async function readFiles(id: string) {
  const { urls } = await readRun(id)
  return Promise.all(
    Object.entries(urls).map(async ([name, { presigned_url, mime_type }]) => {
      const response = await fetch(new URL(presigned_url, app.url))
      const bytes = Buffer.from(await response.arrayBuffer())
      return [name.replace(/^attachment\./, ''), mime_type, bytes.toString('base64').slice(0, 20)]
    }),
  )
}

/** The addresses of the media in the messages of a run, as a page finds them. */
const readMedia = (inputs: unknown) =>
  ((inputs as { messages: { content: unknown }[] }).messages ?? []).flatMap(({ content }) =>
    readParts(content).flatMap((part) => (part.kind === 'media' ? [part.media] : [])),
  )

describe('images of OpenLLMetry', () => {
  const decimal = (hex: string) => String(BigInt(`0x${hex}`))

  async function upload(
    { traceId, spanId }: Pick<SpanJson, 'traceId' | 'spanId'>,
    { key = acme.key, base = '/otel', name = 'message_0_content_1.png', data = PNG.toString('base64') } = {},
  ) {
    const path = `${base}/v2/traces/${decimal(traceId)}/spans/${decimal(spanId)}/images`
    const created = await app.fetch(path, {
      method: 'POST',
      headers: json(key),
      body: JSON.stringify({ image_name: name }),
    })
    if (created.status !== 200) return { status: created.status, url: '' }
    const { url } = (await created.json()) as { url: string }
    const stored = await fetch(url, { method: 'POST', headers: json(key), body: JSON.stringify({ image_data: data }) })
    return { status: stored.status, url }
  }

  const messagesWith = (url: string) =>
    JSON.stringify([
      {
        role: 'user',
        parts: [
          { type: 'text', content: 'What is it?' },
          { type: 'uri', modality: 'image', uri: url },
        ],
      },
    ])

  it.each([
    ['before its span, which is a root', true, false, '/otel'],
    ['before its span, which has a parent', true, true, ''],
    ['after its span, which is a root', false, false, '/api/v1/otel'],
    ['after its span, which has a parent', false, true, '/otel'],
  ])('are shown in the message when one comes %s', async (_, isFirst, hasParent, base) => {
    const traceId = newTrace()
    const root = aSpan(traceId, undefined, {})
    const bare = hasParent ? aSpan(traceId, root.spanId, {}) : root
    const url = `${app.url}${base}/v2/traces/${traceId}/spans/${bare.spanId}/images/message_0_content_1.png`
    const span = {
      ...bare,
      attributes: toAttributes({ 'gen_ai.operation.name': 'chat', 'gen_ai.input.messages': messagesWith(url) }),
    }
    const spans = hasParent ? [root, span] : [span]
    if (!isFirst) await send(spans)
    expect(await upload(span, { base })).toEqual({ status: 200, url })
    if (isFirst) await send(spans)
    const id = hasParent ? padSpanId(span.spanId) : toTraceUuid(traceId)
    expect(readMedia((await readRun(id)).inputs)).toMatchObject([
      { type: 'image', url: 'attachment:message_0_content_1.png' },
    ])
    expect(await readFiles(id)).toEqual([['message_0_content_1.png', 'image/png', START]])
  })

  it('are not found by URLs of other spans, nor by other workspaces', async () => {
    const traceId = newTrace()
    const [mine, next] = [aSpan(traceId, newSpan(), {}), aSpan(traceId, newSpan(), {})]
    const { url } = await upload(mine)
    const attributes = toAttributes({ 'gen_ai.operation.name': 'chat', 'gen_ai.input.messages': messagesWith(url) })
    await send([{ ...next, attributes }])
    expect(readMedia((await readRun(padSpanId(next.spanId))).inputs)).toMatchObject([{ url }])
    await send([{ ...mine, attributes }], other.key)
    expect((await readRun(padSpanId(mine.spanId), other.key)).urls).toEqual({})
  })

  it('keep their URL, which may be that of another host where they were uploaded', async () => {
    const span = aSpan(newTrace(), undefined, {})
    const url = `https://api.example.com/v2/traces/${span.traceId}/spans/${span.spanId}/images/m.png`
    const attributes = toAttributes({ 'gen_ai.operation.name': 'chat', 'gen_ai.input.messages': messagesWith(url) })
    await send([{ ...span, attributes }])
    const { inputs } = await readRun(toTraceUuid(span.traceId))
    expect(readMedia(inputs)).toEqual([{ type: 'image', url: 'attachment:m.png', originalUrl: url }])
  })

  it.each([
    ['span', '1', '99999999999999999999'],
    ['trace', '999999999999999999999999999999999999999', '1'],
    ['span beside a trace in hex', 'a'.repeat(32), '12345'],
  ])('are refused when the id of their %s has too many or too few bytes', async (_, trace, span) => {
    for (const [end, body] of [
      ['images', { image_name: 'm.png' }],
      ['images/m.png', { image_data: PNG.toString('base64') }],
    ] as const) {
      const init = { method: 'POST', headers: json(acme.key), body: JSON.stringify(body) }
      expect((await app.fetch(`/v2/traces/${trace}/spans/${span}/${end}`, init)).status).toBe(400)
    }
  })

  it('have a limit of bytes and of files, and are base64', async () => {
    const span = aSpan(newTrace(), undefined, {})
    expect((await upload(span, { data: 'no base64!' })).status).toBe(400)
    expect((await upload(span, { name: '' })).status).toBe(400)
    expect((await upload(span, { key: acme.readOnlyKey })).status).toBe(403)
    expect((await upload(span, { key: 'wrong' })).status).toBe(401)
    const form = new FormData()
    for (let at = 0; at < 199; at++) {
      form.append(
        `attachment.${padSpanId(span.spanId)}.image-${at}.png`,
        new Blob([PNG], { type: `image/png; length=${PNG.length}` }),
      )
    }
    await app.fetch('/runs/multipart', { method: 'POST', headers: { 'x-api-key': acme.key }, body: form })
    expect((await upload(span, { name: 'image-199.png' })).status).toBe(200)
    expect((await upload(span, { name: 'one-more.png' })).status).toBe(400)
    // A repeated upload replaces its own image.
    expect((await upload(span, { name: 'image-7.png' })).status).toBe(200)
  })
})

describe('media of Langfuse', () => {
  const FILE = Buffer.concat([PNG, randomBytes(4)])
  const digest = createHash('sha256').update(FILE).digest()
  const MEDIA_ID = digest.toString('base64url').slice(0, 22)
  const REFERENCE = `@@@langfuseMedia:type=image/png|id=${MEDIA_ID}|source=base64_data_uri@@@`
  const NAME = `image-${MEDIA_ID}.png`

  /** Langfuse sends both keys; either of them is a key of this server. */
  const basic = (key: string) => ({
    'content-type': 'application/json',
    authorization: `Basic ${btoa(`pk-lf-1:${key}`)}`,
  })

  async function announce(
    span: Pick<SpanJson, 'traceId' | 'spanId'> | { traceId: string },
    { key = acme.key, bytes = FILE } = {},
  ) {
    const sha256Hash = createHash('sha256').update(bytes).digest('base64')
    const observationId = 'spanId' in span ? span.spanId : undefined
    const body = {
      contentType: 'image/png',
      contentLength: bytes.length,
      sha256Hash,
      field: 'input',
      traceId: span.traceId,
      observationId,
    }
    const response = await app.fetch('/api/public/media', {
      method: 'POST',
      headers: basic(key),
      body: JSON.stringify(body),
    })
    return { status: response.status, ...((await response.json()) as { mediaId: string; uploadUrl: string | null }) }
  }

  const put = async (url: string, bytes = FILE) =>
    (
      await fetch(url, {
        method: 'PUT',
        headers: { 'content-type': 'image/png', 'x-ms-blob-type': 'BlockBlob' },
        body: new Uint8Array(bytes),
      })
    ).status

  const patch = async (id: string) =>
    (
      await app.fetch(`/api/public/media/${id}`, {
        method: 'PATCH',
        headers: basic(acme.key),
        body: JSON.stringify({ uploadedAt: new Date().toISOString(), uploadHttpStatus: 200, uploadTimeMs: 5 }),
      })
    ).status

  const read = (id: string, key = acme.key) => app.fetch(`/api/public/media/${id}`, { headers: basic(key) })

  const asked = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is it?' },
        { type: 'image_url', image_url: { url: REFERENCE } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: REFERENCE } }],
    },
    { role: 'user', content: `See ${REFERENCE} please` },
  ]
  const withReferences = {
    'langfuse.observation.type': 'generation',
    'langfuse.observation.input': JSON.stringify(asked),
  }

  it('are uploaded, and shown in every form of a message, whether the span or the file is first', async () => {
    const traceId = newTrace()
    const root = aSpan(traceId, undefined, withReferences)
    const child = aSpan(traceId, root.spanId, withReferences)
    const created = await announce(root)
    expect(created).toMatchObject({ status: 201, mediaId: MEDIA_ID, uploadUrl: expect.stringContaining(app.url) })
    await send([root, child])
    expect(await put(created.uploadUrl ?? '')).toBe(200)
    expect(await patch(MEDIA_ID)).toBe(200)
    // The bytes are known now.
    expect(await announce(child)).toEqual({ status: 201, mediaId: MEDIA_ID, uploadUrl: null })
    const late = aSpan(traceId, root.spanId, withReferences)
    expect((await announce(late)).uploadUrl).toBeNull()
    await send([late])
    for (const id of [toTraceUuid(traceId), padSpanId(child.spanId), padSpanId(late.spanId)]) {
      const { inputs } = await readRun(id)
      // The payload keeps the reference.
      expect(JSON.stringify(inputs)).toContain(REFERENCE)
      expect(readMedia(inputs).map(({ type, url }) => [type, url])).toEqual(
        [1, 2, 3].map(() => ['image', `attachment:${NAME}`]),
      )
      expect(await readFiles(id)).toEqual([[NAME, 'image/png', START]])
    }
    const found = (await (await read(MEDIA_ID)).json()) as { url: string; contentLength: number }
    expect(found).toMatchObject({ mediaId: MEDIA_ID, contentType: 'image/png', contentLength: FILE.length })
    expect(Buffer.from(await (await fetch(found.url)).arrayBuffer()).equals(FILE)).toBe(true)
  })

  it('of another workspace are neither known nor read', async () => {
    const trace = { traceId: newTrace() }
    const created = await announce(trace)
    if (created.uploadUrl !== null) expect(await put(created.uploadUrl)).toBe(200)
    expect((await read(MEDIA_ID, other.key)).status).toBe(404)
    expect((await announce(trace, { key: other.key })).uploadUrl).not.toBeNull()
    expect((await announce(trace, { key: acme.readOnlyKey })).status).toBe(403)
    expect((await read(MEDIA_ID, 'wrong')).status).toBe(401)
  })

  it('of a trace are attached to its root', async () => {
    const root = aSpan(newTrace(), undefined, { 'langfuse.trace.input': JSON.stringify(asked) })
    const { uploadUrl } = await announce({ traceId: root.traceId })
    if (uploadUrl !== null) expect(await put(uploadUrl)).toBe(200)
    await send([root])
    expect(await readFiles(toTraceUuid(root.traceId))).toEqual([[NAME, 'image/png', START]])
  })

  it.each([
    ['its trace', 'of a deleted trace'],
    ['its project', 'of a deleted project'],
    ['each trace of its user', 'of a deleted user'],
  ])('are gone when %s is deleted, also those that came before their span', async (how, project) => {
    const bytes = Buffer.concat([PNG, randomBytes(4)])
    const attributes = { 'langsmith.trace.session_name': project, 'langsmith.metadata.user_id': project }
    const root = aSpan(newTrace(), undefined, attributes)
    const child = aSpan(root.traceId, root.spanId, attributes)
    const { uploadUrl, mediaId } = await announce(root, { bytes })
    await send([root, child])
    expect(await put(uploadUrl ?? '', bytes)).toBe(200)
    expect((await announce(child, { bytes })).uploadUrl).toBeNull()
    expect((await read(mediaId)).status).toBe(200)
    const id = toTraceUuid(root.traceId)
    const { session_id } = (await app.call(contract.runs.read, { params: { run_id: id }, headers: json(acme.key) }))
      .body

    const headers = json(acme.key)
    const answer =
      how === 'its project'
        ? await app.call(contract.projects.delete, { params: { session_id }, headers })
        : await app.call(contract.runDeletions.delete, {
            body: how === 'its trace' ? { session_id, trace_ids: [id] } : { metadata: { user_id: project } },
            headers,
          })
    expect(answer.status, answer.text).toBe(202)
    expect((await read(mediaId)).status).toBe(404)
    // The sweep removes bytes to which no row refers.
    const hash = createHash('sha256').update(bytes).digest('hex')
    const rows = await app.deps.analytics.query(
      sql`select count() as n from run_attachments final where blob = ${text(hash)}`,
      COUNT_ROW,
    )
    expect(rows).toEqual([{ n: 0 }])
  })

  it('are refused when other bytes come than those announced, or a URL was not signed', async () => {
    const bytes = Buffer.from('announced')
    const { uploadUrl } = await announce({ traceId: newTrace() }, { bytes })
    expect(await put(uploadUrl ?? '', Buffer.from('something'))).toBe(400)
    expect(await put(uploadUrl ?? '', Buffer.from('announced!'))).toBe(400)
    expect(await put(`${uploadUrl}x`, bytes)).toBe(404)
    expect(await put(uploadUrl ?? '', bytes)).toBe(200)
    expect((await announce({ traceId: newTrace() }, { bytes: Buffer.alloc(0) })).status).toBe(400)
  })
})
