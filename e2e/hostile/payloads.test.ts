import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aRunHead, multipart, postJson, postMultipart, type RunHead, readRunText } from '../support/raw-ingest.ts'
import { rawField } from '../support/raw-json.ts'
import { type StartedServer, startServer } from '../support/start-server.ts'

let server: StartedServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server?.stop())

const DEEP = 100_000

/** JSON that is valid but unusual, and must not be changed. */
const PAYLOADS: readonly (readonly [what: string, inputs: string])[] = [
  [
    'names that are traps in JavaScript',
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":1}},"toString":1}',
  ],
  ['escaped NUL bytes in values and names', String.raw`{"a":"\u0000","b\u0000c":["\u0000\u0000"]}`],
  ['lone surrogates', String.raw`{"high":"\ud800","low":"x\udfff","swapped":"\udc00\ud800","\ud83d":1}`],
  ['the same name twice', '{"a":1,"a":2,"b":{"c":1,"c":[]},"a":{"d":null}}'],
  [
    'integers beyond 2^53 and unusual numbers',
    '{"n":9007199254740993,"m":-9223372036854775809,"u":123456789012345678901234567890,"f":1.10,"e":1E400,"z":-0,"t":1e-7}',
  ],
  ['white space and the order of names', '{ "b" : 1 ,\n\t"a":\r\n2 , "10":0, "9":0 }'],
  ['escapes that could be written otherwise', String.raw`{"s":"\/\u00e9é\u003cscript\u003e","u":"\u2028\u2029"}`],
  [
    'HTML, templates and format strings',
    `{"h":"<script>alert(1)</script><img src=x onerror=alert(1)>","t":"{{7*7}} \${7*7} %s %n \\u001b[31m"}`,
  ],
  ['constructors of other platforms', '{"lc":1,"type":"constructor","id":["os","system"],"kwargs":{"command":"true"}}'],
  ['SQL in names and values', `{"'; drop table runs; --":"') or 1=1 --","{id:UUID}":"{x:String}"}`],
  [`arrays ${DEEP} deep`, `{"a":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`],
  [`objects ${DEEP} deep`, `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`],
  ['100,000 names', `{${Array.from({ length: 100_000 }, (_, at) => `"k${at}":${at}`).join(',')}}`],
  ['a name of 100 kB', `{"${'n'.repeat(100_000)}":1}`],
  ['a string of 15 MB', `{"s":"${'ä☃𝄞 '.repeat(1_500_000)}"}`],
  ['an empty object', '{}'],
]

/** A run beside which something hostile stands; it must never pay for that. */
const aNeighbour = () => aRunHead({ name: 'neighbour', inputs: { fine: true } })

async function expectStored(head: RunHead, inputs: string) {
  const { status, text } = await readRunText(server.url, head.id)
  expect(status).toBe(200)
  expect(firstDifference(rawField(text, 'inputs'), inputs)).toBeUndefined()
}

/** Where two long texts part; a failed comparison of 15 MB must stay readable. */
function firstDifference(found: string | undefined, expected: string): string | undefined {
  if (found === expected) return undefined
  let at = 0
  while (at < expected.length && found?.[at] === expected[at]) at++
  return `at ${at}: ${found?.slice(at, at + 60)} instead of ${expected.slice(at, at + 60)}`
}

describe('payloads are stored and read back byte for byte:', () => {
  it.each(PAYLOADS)('%s, by multipart', async (_, inputs) => {
    const [head, neighbour] = [aRunHead(), aNeighbour()]

    const answer = await postMultipart(
      server.url,
      multipart([
        { name: `post.${head.id}`, body: JSON.stringify(head) },
        { name: `post.${head.id}.inputs`, body: inputs },
        { name: `post.${neighbour.id}`, body: JSON.stringify(neighbour) },
      ]),
    )

    expect([answer.status, answer.text]).toEqual([202, expect.not.stringContaining('errors')])
    await expectStored(head, inputs)
    expect((await readRunText(server.url, neighbour.id)).status).toBe(200)
  })

  it.each(PAYLOADS)('%s, by batch', async (_, inputs) => {
    const [head, neighbour] = [aRunHead(), aNeighbour()]
    const run = `${JSON.stringify(head).slice(0, -1)},"inputs":${inputs}}`

    const answer = await postJson(`${server.url}/runs/batch`, `{"post":[${run},${JSON.stringify(neighbour)}]}`)

    expect([answer.status, answer.text]).toEqual([202, expect.not.stringContaining('errors')])
    await expectStored(head, inputs)
    expect((await readRunText(server.url, neighbour.id)).status).toBe(200)
  })

  it('whichever call carried it, also as outputs and extra of an update and in lists', async () => {
    const head = aRunHead()
    const payload = '{"n":9007199254740993,"__proto__":{"a":1},"s":"\\ud800"}'
    await postJson(`${server.url}/runs`, `${JSON.stringify(head).slice(0, -1)},"inputs":${payload}}`)
    await postJson(
      `${server.url}/runs/${head.id}`,
      `{"outputs":${payload},"end_time":"${new Date().toISOString()}","events":[${payload}],"serialized":${payload}}`,
      'PATCH',
    )

    const { text } = await readRunText(server.url, head.id)
    const listed = await postJson(`${server.url}/runs/query`, JSON.stringify({ id: [head.id] }))

    expect(rawField(text, 'inputs')).toBe(payload)
    expect(rawField(text, 'outputs')).toBe(payload)
    expect(rawField(text, 'serialized')).toBe(payload)
    expect(rawField(text, 'events')).toBe(`[${payload}]`)
    expect(rawField(rawField(listed.text, 'runs')!.slice(1, -1), 'outputs')).toBe(payload)
  })

  it.each([
    ['an array', '[1,9007199254740993]'],
    ['a string', '"text"'],
    ['a number', '9007199254740993'],
  ])('%s where an object is expected is wrapped, not lost', async (_, value) => {
    const head = aRunHead()

    const answer = await postJson(
      `${server.url}/runs`,
      `${JSON.stringify(head).slice(0, -1)},"inputs":${value},"outputs":${value}}`,
    )

    expect(answer.status).toBe(202)
    const { text } = await readRunText(server.url, head.id)
    expect(rawField(text, 'inputs')).toBe(`{"input":${value}}`)
    expect(rawField(text, 'outputs')).toBe(`{"output":${value}}`)
  })
})

describe('what is not JSON is refused by name, and its neighbours are stored:', () => {
  it.each([
    ['cut short', Buffer.from('{"a":[1,2')],
    ['a raw control character', Buffer.from('{"a":"\u0000"}')],
    ['a trailing comma', Buffer.from('{"a":1,}')],
    [
      'bytes that are no UTF-8',
      Buffer.from([...Buffer.from('{"a":"'), 0xff, 0xfe, 0xed, 0xa0, 0x80, ...Buffer.from('"}')]),
    ],
    ['two values', Buffer.from('{"a":1}{"b":2}')],
    ['nothing', Buffer.alloc(0)],
  ])('%s', async (_, inputs) => {
    const [head, neighbour] = [aRunHead(), aNeighbour()]

    const answer = await postMultipart(
      server.url,
      multipart([
        { name: `post.${neighbour.id}`, body: JSON.stringify(neighbour) },
        { name: `post.${head.id}`, body: JSON.stringify(head) },
        { name: `post.${head.id}.inputs`, body: inputs },
      ]),
    )

    expect(answer.status).toBe(202)
    expect(answer.text).toContain(head.id)
    expect((await readRunText(server.url, neighbour.id)).status).toBe(200)
  })

  it('a batch that is not UTF-8 as a whole is 400', async () => {
    const answer = await postJson(`${server.url}/runs/batch`, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))

    expect(answer.status).toBe(400)
    expect(answer.text).toMatch(/utf-8/i)
  })

  it('a batch that is not JSON as a whole is 400', async () => {
    const answer = await postJson(`${server.url}/runs/batch`, '{"post":[{"id":')

    expect(answer.status).toBe(400)
    expect(answer.text).toMatch(/json/i)
  })
})

describe('after all this', () => {
  it('the server stands and its memory is bounded', async () => {
    expect((await fetch(`${server.url}/ok`)).status).toBe(200)
    expect(await server.residentBytes()).toBeLessThan(2_000_000_000)
  })
})
