import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aRunHead, multipart, postJson, postMultipart, readRunText } from '../support/raw-ingest.ts'
import { type SharedServer, shareServer } from '../support/share-server.ts'

let server: SharedServer
beforeAll(async () => {
  server = await shareServer()
})
afterAll(() => server?.stop())

/** Posts one odd run beside a plain one, which has to be stored whatever becomes of the odd one. */
async function postBesideNeighbour(run: Record<string, unknown>) {
  const neighbour = aRunHead({ name: 'neighbour' })
  const answer = await postJson(`${server.url}/runs/batch`, JSON.stringify({ post: [run, neighbour] }))
  expect((await readRunText(server.url, neighbour.id)).status).toBe(200)
  expect(answer.status).toBe(202)
  return JSON.parse(answer.text) as { errors?: { run_id: string; error: string }[] }
}

async function readRun(id: string) {
  const { status, text } = await readRunText(server.url, id)
  expect(status).toBe(200)
  return JSON.parse(text) as Record<string, unknown>
}

describe('ids', () => {
  it.each([['not-a-uuid'], [''], ['../../etc/passwd'], ["'; drop table runs; --"], ['💥'], [42], [{ $ne: null }]])(
    'like %j are refused by name',
    async (id) => {
      const { errors } = await postBesideNeighbour({ ...aRunHead(), id })

      expect(errors).toHaveLength(1)
      expect(errors![0]!.error).toMatch(/id|uuid/i)
    },
  )

  it('in a path are answered 400 or 404 with a sentence', async () => {
    for (const id of ['not-a-uuid', '%00', '..%2f..%2fetc%2fpasswd', 'a'.repeat(5000)]) {
      const { status, text } = await readRunText(server.url, id)
      expect([400, 404, 414]).toContain(status)
      expect(text).not.toMatch(/at .*\.js:\d+/)
    }
  })

  it('in capitals or without dashes are the same run', async () => {
    const head = aRunHead()
    await postJson(`${server.url}/runs`, JSON.stringify({ ...head, id: head.id.toUpperCase() }))

    expect(await readRun(head.id.replaceAll('-', ''))).toMatchObject({ id: head.id })
  })

  it('of a parent that never comes, or of the run itself, do not hide the run', async () => {
    const orphan = aRunHead()
    const lost = randomUUID()
    const dotted_order = `20250101T000000000000Z${lost}.${orphan.dotted_order}`
    await postBesideNeighbour({ ...orphan, trace_id: lost, parent_run_id: lost, dotted_order })

    expect(await readRun(orphan.id)).toMatchObject({ trace_id: lost, parent_run_id: lost })
    const tree = await fetch(`${server.url}/api/v1/traces/${lost}/runs`)
    expect(((await tree.json()) as { runs: { id: string }[] }).runs.map((run) => run.id)).toEqual([orphan.id])
  })
})

describe('times', () => {
  it.each([
    ['the year 2262', '2262-12-31T23:59:59.999999Z'],
    ['before 1970', '1969-07-20T20:17:40.123456Z'],
    ['a leap day', '2024-02-29T23:59:59.999999Z'],
  ])('in %s are kept to the microsecond', async (_, time) => {
    const head = aRunHead({ start_time: time, end_time: time })

    expect(await postBesideNeighbour(head)).not.toHaveProperty('errors')
    expect(await readRun(head.id)).toMatchObject({ start_time: time, end_time: time })
    const listed = await postJson(`${server.url}/runs/query`, JSON.stringify({ id: [head.id] }))
    expect(listed.text).toContain(time)
  })

  it.each([
    ['1', '0001-01-01T00:00:00.000001Z'],
    ['9999', '9999-12-31T23:59:59.999999Z'],
  ])('in the year %s are refused by name, for the store could not hold them exactly', async (_, time) => {
    const head = aRunHead({ start_time: time, end_time: time })

    const { errors } = await postBesideNeighbour(head)

    expect(errors).toEqual([{ run_id: head.id, error: expect.stringMatching(/start_time.*years/) }])
  })

  it('that end before they start are kept', async () => {
    const head = aRunHead({ start_time: '2025-01-02T00:00:00.000000Z', end_time: '2025-01-01T00:00:00.000000Z' })

    await postBesideNeighbour(head)

    expect(await readRun(head.id)).toMatchObject({
      start_time: head.start_time,
      end_time: head.end_time,
      status: 'success',
    })
  })

  it.each([['yesterday'], ['2025-13-45T99:99:99Z'], ['+10000-01-01T00:00:00Z'], [{}], [1e300]])(
    'like %j are refused by name',
    async (start_time) => {
      const head = aRunHead()

      const { errors } = await postBesideNeighbour({ ...head, start_time })

      expect(errors).toEqual([{ run_id: head.id, error: expect.stringMatching(/start_time/) }])
    },
  )
})

describe('names and other texts', () => {
  it('of 100 kB are kept whole', async () => {
    const name = 'größe '.repeat(17_000)
    const head = aRunHead({ name, tags: [name], error: name })

    expect(await postBesideNeighbour(head)).not.toHaveProperty('errors')
    expect(await readRun(head.id)).toMatchObject({ name, tags: [name], error: name })
  })

  it('with NUL, markup and lone surrogates are kept as they are', async () => {
    const name = 'a\u0000b <b>{{x}}</b> \ud800 \u202e'
    const head = aRunHead({ name, tags: ['\u0000', ''] })

    await postBesideNeighbour(head)

    const read = await readRun(head.id)
    expect([name, name.replace('\ud800', '\ufffd')]).toContain(read.name)
    expect(read.tags).toEqual(['\u0000', ''])
  })

  it('that name a project may be long and odd', async () => {
    const session_name = `${'p'.repeat(900)} ../'"\\ 試`
    const head = aRunHead({ session_name })

    expect(await postBesideNeighbour(head)).not.toHaveProperty('errors')
    const found = await fetch(`${server.url}/sessions?name=${encodeURIComponent(session_name)}`)
    expect(await found.json()).toMatchObject([{ name: session_name }])
  })

  it('of an unknown run type become a chain that remembers it', async () => {
    const head = aRunHead({ run_type: 'wizard' })

    await postBesideNeighbour(head)

    expect(await readRun(head.id)).toMatchObject({
      run_type: 'chain',
      extra: { metadata: { ls_original_run_type: 'wizard' } },
    })
  })

  it.each([
    ['name', { name: { a: 1 } }],
    ['tags', { tags: 'one' }],
    ['run_type', { run_type: [] }],
    ['error', { error: 7 }],
  ])('of a wrong kind in %s are refused by name or kept as text', async (field, wrong) => {
    const head = aRunHead(wrong)

    const { errors } = await postBesideNeighbour(head)

    if (errors === undefined) await readRun(head.id)
    else expect(errors).toEqual([{ run_id: head.id, error: expect.stringContaining(field) }])
  })
})

describe('places in a trace', () => {
  it('a thousand levels deep are kept', async () => {
    const root = aRunHead()
    const ids = Array.from({ length: 1000 }, () => randomUUID())
    const dotted_order = [root.dotted_order, ...ids.map((id) => `${root.dotted_order.slice(0, 22)}${id}`)].join('.')
    const deepest = { ...root, id: ids.at(-1)!, dotted_order, parent_run_id: ids.at(-2)! }

    expect(await postBesideNeighbour(deepest)).not.toHaveProperty('errors')
    expect(((await readRun(deepest.id)).parent_run_ids as string[]).length).toBe(1000)
  })

  it.each([
    ['of another trace', (head: { trace_id: string }) => ({ ...head, trace_id: randomUUID() })],
    ['that is nonsense', (head: object) => ({ ...head, dotted_order: 'up.and.away' })],
    ['of 5 MB', (head: object) => ({ ...head, dotted_order: 'x'.repeat(5_000_000) })],
  ])('%s are refused by name or put right', async (_, change) => {
    const head = aRunHead()

    const { errors } = await postBesideNeighbour(change(head))

    if (errors === undefined) await readRun(head.id)
    else expect(errors[0]).toMatchObject({ run_id: head.id })
  })
})

describe('attachments', () => {
  it('with odd names come back under them', async () => {
    const head = aRunHead()
    const names = ['../../etc/passwd', 'ümläut ☃', 'a b', '%2e%2e', '__proto__', 'constructor']
    const form = multipart([
      { name: `post.${head.id}`, body: JSON.stringify(head) },
      ...names.map((name) => ({ name: `attachment.${head.id}.${name}`, body: `bytes of ${name}`, type: 'text/html' })),
    ])

    expect((await postMultipart(server.url, form)).status).toBe(202)

    const urls = (await readRun(head.id)).s3_urls as Record<string, { presigned_url: string }>
    for (const name of names) {
      const url = Object.getOwnPropertyDescriptor(urls, `attachment.${name}`)?.value.presigned_url as string
      const answer = await fetch(new URL(url, server.url))
      expect(await answer.text()).toBe(`bytes of ${name}`)
      // A page from a trace must not run as one of ours.
      expect(answer.headers.get('content-disposition') ?? answer.headers.get('content-security-policy')).toMatch(
        /attachment|sandbox/,
      )
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    }
  })
})
