import { contract, type IngestReceipt, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../testing/start-app.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const START = '2026-02-03T04:05:06.000007Z'
const aRun = (name: string) => ({ id: uuid7(), name, run_type: 'chain', start_time: START, session_name: 'broken' })
const print = (run: object, rest: string) => `${JSON.stringify(run).slice(0, -1)},${rest}}`
const read = (id: string) => app.call(contract.runs.read, { params: { run_id: id } })

async function send(path: string, body: string | Uint8Array<ArrayBuffer>, type = 'application/json') {
  const response = await app.fetch(path, { method: 'POST', headers: { 'content-type': type }, body })
  return { status: response.status, body: (await response.json()) as IngestReceipt }
}

const batch = (...runs: readonly string[]) => send('/runs/batch', `{"post":[${runs.join(',')}],"patch":[]}`)

const multipart = (parts: readonly (readonly [name: string, text: string])[]) =>
  send(
    '/runs/multipart',
    `${parts
      .map(
        ([name, text]) =>
          `--b\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: application/json\r\n\r\n${text}\r\n`,
      )
      .join('')}--b--\r\n`,
    'multipart/form-data; boundary=b',
  )

describe('a number that JSON does not have', () => {
  it.each([
    ['a small run', ''],
    ['a large run', 'x'.repeat(300_000)],
  ])('is null in %s of a batch, whose other values stay as they were sent', async (_, padding) => {
    const [good, bad] = [aRun('good'), aRun('bad')]
    const inputs = `{"x":null,"big":12345678901234567890,"s":"NaN ${padding}"}`
    const sent = print(bad, `"inputs":${inputs.replace('null', 'NaN')},"outputs":{"y":[-Infinity,"🤖\\ud83e"]}`)

    const answer = await batch(print(good, '"inputs":{}'), sent)

    expect(answer).toMatchObject({
      status: 202,
      body: { repaired: [{ run_id: bad.id, fields: ['inputs', 'outputs'] }] },
    })
    expect(answer.body).not.toHaveProperty('errors')
    expect((await read(good.id)).status).toBe(200)
    const stored = await read(bad.id)
    expect(stored.text).toContain(`"inputs":${inputs}`)
    expect(stored.text).toContain('"outputs":{"y":[null,"🤖\\ud83e"]}')
  })

  it.each([
    ['small parts', ''],
    ['large parts', 'x'.repeat(300_000)],
  ])('is null in %s of a multipart request', async (_, padding) => {
    const run = aRun('parts')
    const answer = await multipart([
      [`post.${run.id}`, JSON.stringify(run)],
      [`post.${run.id}.inputs`, `{"x":NaN,"p":"${padding}"}`],
      [`post.${run.id}.outputs`, `{"y":Infinity,"half":"\\ud83e","p":"${padding}"}`],
    ])
    expect(answer.body).toEqual({ message: 'Accepted', repaired: [{ run_id: run.id, fields: ['inputs', 'outputs'] }] })
    const stored = await read(run.id)
    expect(stored.text).toContain('"inputs":{"x":null,')
    expect(stored.text).toContain('"outputs":{"y":null,"half":"\\ud83e",')
  })

  it('is null in a run that is sent alone, and in its update', async () => {
    const run = aRun('alone')
    const created = await send('/runs', print(run, '"inputs":{"x":NaN}'))
    expect(created.body.repaired).toEqual([{ run_id: run.id, fields: ['inputs'] }])
    const updated = await app.fetch(`/runs/${run.id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: '{"outputs":{"y":-Infinity}}',
    })
    expect(await updated.json()).toMatchObject({ repaired: [{ run_id: run.id, fields: ['outputs'] }] })
    expect((await read(run.id)).body).toMatchObject({ inputs: { x: null }, outputs: { y: null } })
    expect((await send('/runs', '{"id":NaN,}')).status).toBe(400)
  })
})

describe('a run that is no JSON', () => {
  it('costs that run of a batch only', async () => {
    const [first, bad, last] = [aRun('first'), aRun('bad'), aRun('last')]
    const answer = await batch(
      print(first, '"inputs":{}'),
      print(bad, '"inputs":{"x":undefined}'),
      JSON.stringify(last),
    )
    expect(answer).toMatchObject({
      status: 202,
      body: { errors: [{ run_id: bad.id, error: expect.stringContaining('not valid JSON') }] },
    })
    expect(answer.body.errors).toHaveLength(1)
    expect((await Promise.all([first, bad, last].map(({ id }) => read(id)))).map(({ status }) => status)).toEqual([
      200, 404, 200,
    ])
  })

  it('costs that run only, also with bytes that are no UTF-8', async () => {
    const [good, bad] = [aRun('größe'), aRun('bad')]
    const [start, end] = [`{"post":[${JSON.stringify(good)},${print(bad, '"inputs":{"x":"')}`.slice(0, -1), '"}}]}']
    const body = new Uint8Array([...Buffer.from(start), 0xff, ...Buffer.from(end)])
    const answer = await send('/runs/batch', body)
    expect(answer.body.errors).toEqual([{ run_id: bad.id, error: 'the run is not valid UTF-8' }])
    expect((await read(good.id)).body.name).toBe('größe')
  })

  it('costs a part of a multipart request only', async () => {
    const run = aRun('kept')
    const answer = await multipart([
      [`post.${run.id}`, JSON.stringify(run)],
      [`post.${run.id}.inputs`, '{"kept":true}'],
      [`post.${run.id}.outputs`, '{"a":1,}'],
    ])
    expect(answer.body.errors).toEqual([
      { run_id: run.id, error: expect.stringMatching(/^outputs is not valid JSON.*stored without this part$/) },
    ])
    const { body } = await read(run.id)
    expect(body).toMatchObject({ inputs: { kept: true }, outputs: null })
  })
})

it('a session_id that is no UUID is the thread of its run, as the callback of LiteLLM sends it', async () => {
  const [good, named, own] = [aRun('good'), aRun('named'), aRun('own')]
  const metadata = { session_id: 'mine' }
  const answer = await batch(
    JSON.stringify(good),
    print(named, '"session_id":"thread-1","extra":{"metadata":{"n":12345678901234567890}}'),
    JSON.stringify({ ...own, session_id: 'thread-1', extra: { metadata } }),
  )
  expect(answer).toEqual({
    status: 202,
    body: {
      message: 'Runs batch ingested',
      repaired: [named, own].map(({ id }) => ({ run_id: id, fields: ['session_id'] })),
    },
  })
  const stored = await read(named.id)
  expect(stored.body).toMatchObject({ extra: { metadata: { session_id: 'thread-1' } } })
  expect(stored.text).toContain('"n":12345678901234567890')
  expect((await read(own.id)).body).toMatchObject({ extra: { metadata } })
  const threads = await app.call(contract.runs.query, {
    body: { session: [stored.body.session_id], filter: 'eq(thread_id, "thread-1")', select: ['name'] },
  })
  expect(threads.body.runs.map(({ name }) => name)).toEqual(['named'])
  expect((await read(good.id)).body.session_id).toBe(stored.body.session_id)
})

it('half an emoji in the names of a run and its project is repaired, and the response names the fields', async () => {
  const run = { ...aRun('great \ud83e'), session_name: 'project \ud83e\0', error: 'no \udd16', tags: ['a', '\ud83e'] }
  const answer = await batch(JSON.stringify(run))
  expect(answer.body).toEqual({
    message: 'Runs batch ingested',
    repaired: [{ run_id: run.id, fields: ['name', 'session_name', 'error', 'tags'] }],
  })
  const { body } = await read(run.id)
  expect(body).toMatchObject({ name: 'great \ufffd', error: 'no \ufffd', tags: ['a', '\ufffd'] })
  const found = await app.call(contract.projects.list, { query: { name: 'project \ufffd\ufffd' } })
  expect(found.body.map(({ id }) => id)).toEqual([body.session_id])
})
