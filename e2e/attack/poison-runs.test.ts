import { RunWrite, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aRunHead, multipart, postMultipart, type RunHead, readRunText, send } from '../support/raw-ingest.ts'
import { inFull } from '../support/scale.ts'
import { type SharedServer, shareServer } from '../support/share-server.ts'

let server: SharedServer
beforeAll(async () => {
  server = await shareServer()
})
afterAll(() => server?.stop())

/** Every field that a run is written with, and some that no run has. */
const FIELDS = [...Object.keys(RunWrite.shape), 'attachments', 'child_runs', 'thread_id', '__proto__', 'constructor']

const DEEP = 20_000
const deep = (open: string, close: string) => open.repeat(DEEP) + close.repeat(DEEP)

/** JSON texts, so that numbers and escapes arrive exactly as they stand here. */
const VALUES: Readonly<Record<string, string>> = {
  'a deep list': deep('[', ']'),
  'a deep object': `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
  'a list of a deep list': `[${deep('[', ']')}]`,
  'metadata that is deep': `{"metadata":{"a":${deep('[', ']')},"thread_id":${deep('[', ']')}}}`,
  'usage that is deep': `{"usage_metadata":${deep('[', ']')},"metadata":{"usage_metadata":{"input_tokens":1e309}}}`,
  'a huge number': '1e309',
  'a number beyond 2^53': '9007199254740993',
  'a small number': '-1e-400',
  'a lone surrogate': '"\\ud800"',
  'a lone surrogate in a list': '["\\udc00",{"\\ud800":"\\udfff"}]',
  NUL: '"a\\u0000b"',
  'NUL as a key': '{"\\u0000":"\\u0000","metadata":{"\\u0000":"\\u0000"}}',
  'a prototype': '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  'an empty object': '{}',
  'an empty list': '[]',
  'an empty text': '""',
  true: 'true',
  'a long text': `"${'x'.repeat(100_000)}"`,
  'a list of many': `[${'1,'.repeat(20_000)}1]`,
  'an object of many': `{${Array.from({ length: 5_000 }, (_, at) => `"k${at}":${at}`).join(',')}}`,
}

const poisons = FIELDS.flatMap((field) =>
  Object.entries(VALUES).map(([what, value]) => ({ field, what, value, name: `${field}: ${what}` })),
)

/**
 * What is sent alone, too: that is one commit for each, and among others all of them are read by the same code. Each field has
 * half of the values, and each value half of the fields.
 */
const alone = inFull(
  poisons.filter((_, at) => (at + Math.floor(at / Object.keys(VALUES).length)) % 2 === 0),
  poisons,
)

/** The head's own text with one field more; the last of two equal keys counts. */
const poisoned = (head: RunHead, { field, value }: { field: string; value: string }) =>
  `${JSON.stringify(head).slice(0, -1)},${JSON.stringify(field)}:${value}}`

const json = (method: string, path: string, body: string) =>
  send(`${server.url}${path}`, { method, headers: { 'content-type': 'application/json' }, body })

/** Sends poisons in lots, each beside an honest neighbor, and returns what went wrong. */
async function spoilt(
  sendLot: (texts: readonly string[], neighbor: RunHead) => Promise<{ status: number; text: string }>,
) {
  const wrong: string[] = []
  for (let at = 0; at < poisons.length; at += LOT) {
    const lot = poisons.slice(at, at + LOT)
    const neighbor = aRunHead({ name: 'neighbor' })
    const { status, text } = await sendLot(
      lot.map((poison) => poisoned(aRunHead(), poison)),
      neighbor,
    )
    if (status !== 202) wrong.push(`${status} for ${lot[0]!.name} … ${lot.at(-1)!.name}: ${text.slice(0, 200)}`)
    const read = await readRunText(server.url, neighbor.id)
    if (read.status !== 200) wrong.push(`the neighbor of ${lot[0]!.name} … is ${read.status}`)
  }
  return wrong
}
const LOT = 100

describe('B12: a poison run costs only itself', () => {
  it('among the creates of a batch', async () => {
    const wrong = await spoilt((texts, neighbor) =>
      json('POST', '/runs/batch', `{"post":[${[...texts, JSON.stringify(neighbor)].join(',')}]}`),
    )
    expect(wrong).toEqual([])
  })

  it('among the updates of a batch', async () => {
    const wrong = await spoilt((texts, neighbor) =>
      json('POST', '/runs/batch', `{"post":[${JSON.stringify(neighbor)}],"patch":[${texts.join(',')}]}`),
    )
    expect(wrong).toEqual([])
  })

  it('among the parts of a multipart body', async () => {
    const wrong = await spoilt((texts, neighbor) => {
      const parts = [...texts, JSON.stringify(neighbor)].map((body) => {
        const id = /"id":"([^"]+)"/.exec(body)![1]!
        return { name: `post.${id}`, body }
      })
      return postMultipart(server.url, multipart(parts))
    })
    expect(wrong).toEqual([])
  })

  it('in a part of its own', async () => {
    const wrong: string[] = []
    for (const field of ['inputs', 'outputs', 'extra', 'events', 'serialized', 'error']) {
      const neighbor = aRunHead()
      const parts = Object.values(VALUES).flatMap((body) => {
        const head = aRunHead({ run_type: 'llm' })
        return [
          { name: `post.${head.id}`, body: JSON.stringify(head) },
          { name: `post.${head.id}.${field}`, body },
        ]
      })
      const form = multipart([...parts, { name: `post.${neighbor.id}`, body: JSON.stringify(neighbor) }])
      const { status, text } = await postMultipart(server.url, form)
      if (status !== 202) wrong.push(`${field}: ${status} ${text.slice(0, 200)}`)
      if ((await readRunText(server.url, neighbor.id)).status !== 200) wrong.push(`${field}: the neighbor is missing`)
    }
    expect(wrong).toEqual([])
  })

  it('alone, as a create and as an update, with an answer that is no server error', async () => {
    const wrong: string[] = []
    const sendAlone = async (poison: (typeof poisons)[number]) => {
      const head = aRunHead()
      const created = await json('POST', '/runs', poisoned(head, poison))
      const updated = await json('PATCH', `/runs/${head.id}`, `{${JSON.stringify(poison.field)}:${poison.value}}`)
      for (const { status, text } of [created, updated]) {
        if (status >= 500) wrong.push(`${poison.name}: ${status} ${text.slice(0, 200)}`)
      }
    }
    for (let at = 0; at < alone.length; at += LOT) await Promise.all(alone.slice(at, at + LOT).map(sendAlone))
    expect(wrong).toEqual([])
  })

  it('among feedback that travels with runs', async () => {
    const wrong: string[] = []
    for (const field of ['key', 'score', 'value', 'comment', 'correction', 'extra', 'feedback_source', 'trace_id']) {
      const neighbor = aRunHead()
      const parts = Object.values(VALUES).map((value) => {
        const id = uuid7()
        const body = `{"id":"${id}","run_id":"${neighbor.id}","key":"k",${JSON.stringify(field)}:${value}}`
        return { name: `feedback.${id}`, body }
      })
      const form = multipart([{ name: `post.${neighbor.id}`, body: JSON.stringify(neighbor) }, ...parts])
      const { status, text } = await postMultipart(server.url, form)
      if (status !== 202) wrong.push(`${field}: ${status} ${text.slice(0, 200)}`)
      if ((await readRunText(server.url, neighbor.id)).status !== 200) wrong.push(`${field}: the neighbor is missing`)
    }
    expect(wrong).toEqual([])
  })

  it('and what was stored of it can be read in lists', async () => {
    const sessions = JSON.parse((await send(`${server.url}/sessions?name=hostile`)).text) as { id: string }[]
    const body = JSON.stringify({ session: [sessions[0]!.id], limit: 100 })
    const { status } = await json('POST', '/runs/query', body)
    expect(status).toBe(200)
  })
})
