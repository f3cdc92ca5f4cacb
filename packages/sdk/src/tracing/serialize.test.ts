import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { serialize, toPlainCopy } from './serialize.ts'

const read = (value: unknown) => JSON.parse(serialize({ value })).value

class Instance {
  shown = 1
  #hidden = 2
  get hidden() {
    return this.#hidden
  }
}

class Named {
  shown = 1
  get [Symbol.toStringTag]() {
    return 'Money'
  }
}

/** Clients of model providers return such promises, with their keys in members. */
class CallOfClient extends Promise<unknown> {
  key = 'secret'
}

function makeForm(): FormData {
  const form = new FormData()
  form.set('name', 'x')
  form.set('file', new File(['secret'], 'a.txt'))
  return form
}

describe('serialising', () => {
  it.each<[string, unknown, unknown]>([
    ['a bigint', 2n ** 70n, '1180591620717411303424'],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['an invalid date', new Date(Number.NaN), 'Invalid Date'],
    ['a map of texts', new Map([['a', 1n]]), { a: '1' }],
    ['a map of other keys', new Map([[{ k: 1 }, 2]]), [[{ k: 1 }, 2]]],
    ['a set', new Set([1, new Set([2])]), [1, [2]]],
    ['a pattern', /a+/g, '/a+/g'],
    ['a URL', new URL('http://a/b'), 'http://a/b'],
    ['an instance', new Instance(), { shown: 1 }],
    ['no number', Number.NaN, 'NaN'],
    ['no end', Number.POSITIVE_INFINITY, 'Infinity'],
    ['no beginning', [Number.NEGATIVE_INFINITY, 1], ['-Infinity', 1]],
    ['bytes', new Uint8Array([1, 2]), { type: 'Uint8Array', length: 2, base64: 'AQI=' }],
    ['a buffer', Buffer.from([1, 2]), { type: 'Buffer', length: 2, base64: 'AQI=' }],
    ['an array buffer', new Uint8Array([1, 2]).buffer, { type: 'ArrayBuffer', length: 2, base64: 'AQI=' }],
    ['floats', new Float32Array([1, 0.5, Number.NaN]), [1, 0.5, 'NaN']],
    ['signed bytes of an embedding', new Int8Array([-128, 127]), [-128, 127]],
    ['long integers', new BigInt64Array([2n ** 62n]), ['4611686018427387904']],
    ['pixels', new Uint8ClampedArray([1, 2]), { type: 'Uint8ClampedArray', length: 2, base64: 'AQI=' }],
    ['a view of bytes', new DataView(new ArrayBuffer(1)), { type: 'DataView', length: 1, base64: 'AA==' }],
    ['a promise', Promise.resolve(1), '[Promise]'],
    ['a promise of a client', new CallOfClient(() => {}), '[Promise]'],
    ['headers', new Headers({ a: '1', authorization: 'secret' }), { a: '1', authorization: '[SECRET_DETECTED]' }],
    ['headers with a key', new Headers({ 'x-api-key': 'secret' }), { 'x-api-key': '[SECRET_DETECTED]' }],
    ['parameters of a URL', new URLSearchParams('a=1&b=2'), { a: '1', b: '2' }],
    [
      'parameters that repeat',
      new URLSearchParams('a=1&a=2'),
      [
        ['a', '1'],
        ['a', '2'],
      ],
    ],
    ['a form', makeForm(), { name: 'x', file: '[File]' }],
    ['a response', new Response('secret'), '[Response]'],
    ['a request', new Request('http://a/b', { headers: { authorization: 'secret' } }), '[Request]'],
    ['a blob', new Blob(['secret']), '[Blob]'],
    ['a stream', new ReadableStream(), '[ReadableStream]'],
    ['a signal', new AbortController().signal, '[AbortSignal]'],
    ['an asynchronous generator', (async function* () {})(), '[AsyncGenerator]'],
    ['shared memory', new SharedArrayBuffer(1), '[SharedArrayBuffer]'],
    ['a generator', (function* () {})(), '[Generator]'],
    ['an iterator', [1][Symbol.iterator](), '[Array Iterator]'],
    ['a weak map', new WeakMap(), '[WeakMap]'],
    ['members without a value', { a: undefined, b: () => 1, d: 1 }, { d: 1 }],
    ['items without a value', [undefined, () => 1, 1], [null, null, 1]],
    ['symbols', { c: Symbol('c'), list: [Symbol.iterator] }, { c: 'Symbol(c)', list: ['Symbol(Symbol.iterator)'] }],
    ['a lone surrogate and a NUL', '\ud800\u0000', '\ud800\u0000'],
    ['an own __proto__', JSON.parse('{"__proto__":{"a":1},"n":1}'), JSON.parse('{"__proto__":{"a":1},"n":1}')],
    ['toJSON', { toJSON: () => ({ n: 1n }) }, { n: '1' }],
    [
      'toJSON that answers itself',
      {
        n: 1n,
        toJSON() {
          return this
        },
      },
      { n: '1' },
    ],
    [
      'toJSON that throws',
      {
        toJSON() {
          throw new Error('no')
        },
      },
      '[Unserializable: no]',
    ],
    [
      'a getter that throws',
      {
        ok: 1,
        get bad() {
          throw new Error('no')
        },
      },
      { ok: 1, bad: '[Unserializable: no]' },
    ],
    [
      'a proxy that throws',
      new Proxy(
        {},
        {
          ownKeys() {
            throw new Error('no')
          },
        },
      ),
      '[Unserializable: no]',
    ],
    ['a map of another realm', runInNewContext('new Map([["a", 1]])'), { a: 1 }],
    ['a set of another realm', runInNewContext('new Set([1, 2])'), [1, 2]],
    ['a date of another realm', runInNewContext('new Date(0)'), '1970-01-01T00:00:00.000Z'],
    ['a boxed text', new String('a'), 'a'],
    ['a boxed number', new Number(1), 1],
    ['an instance with a name of its own', new Named(), { shown: 1 }],
  ])('writes %s so that a reader sees what it was', (_, value, expected) => {
    expect(read(value)).toEqual(expected)
    expect(read([{ deep: value }])).toEqual([expected === undefined ? {} : { deep: expected }])
  })

  it('marks a cycle where it closes and repeats what is merely shared', () => {
    const shared = { s: 1 }
    const value: Record<string, unknown> = { a: shared, b: shared, n: 1n }
    value.self = value
    const before = Object.keys(value)
    expect(read(value)).toEqual({ a: { s: 1 }, b: { s: 1 }, n: '1', self: { result: '[Circular]' } })
    expect(Object.keys(value)).toEqual(before)
    expect(value.self).toBe(value)
  })

  it('cuts what is too deep, too wide or too long', () => {
    let deep: unknown = 1
    for (let level = 0; level < 20_000; level++) deep = { deep }
    expect(serialize(deep)).toContain('[MaxDepth]')
    let shared: unknown = 'x'
    for (let level = 0; level < 40; level++) shared = [shared, shared]
    expect(serialize(shared)).toContain('[Truncated]')
    const bytes = read(new Uint8Array(1_000_000))
    expect(bytes).toMatchObject({ length: 1_000_000, truncated: true })
    expect(bytes.base64.length).toBeLessThan(400_000)
    const numbers = read(new Float64Array(1_000_000))
    expect(numbers).toMatchObject({ type: 'Float64Array', length: 1_000_000, truncated: true })
    expect(numbers.values.length).toBe(10_000)
  }, 60_000)

  it('keeps what an error has to say', () => {
    const cause = Object.assign(new Error('inner'), { code: 'E1' })
    const error = read(new TypeError('outer', { cause }))
    expect(error).toMatchObject({ name: 'TypeError', message: 'outer', cause: { message: 'inner', code: 'E1' } })
    expect(error.stack).toContain('serialize.test')
  })

  it('keeps an error of another realm, as tests in a sandbox have them', () => {
    const error = read(runInNewContext('Object.assign(new TypeError("no file"), { code: "ENOENT" })'))
    expect(error).toMatchObject({ name: 'TypeError', message: 'no file', code: 'ENOENT' })
  })

  it('keeps the errors of which one consists', () => {
    const error = read(new AggregateError([new TypeError('a'), 'b'], 'both'))
    expect(error).toMatchObject({ name: 'AggregateError', message: 'both', errors: [{ message: 'a' }, 'b'] })
  })

  it('survives a getter that answers differently each time', () => {
    let calls = 0
    const value = {
      get moody() {
        return ++calls > 2 ? 1n : 1
      },
    }
    expect(() => serialize({ value })).not.toThrow()
  })

  it('is JSON whatever it is given', () => {
    for (const value of [undefined, () => 1, Symbol('s'), null, 1n, ''])
      expect(() => JSON.parse(serialize(value))).not.toThrow()
  })

  it('gives copies that share nothing', () => {
    const value = { list: [{ a: 1 }] }
    const copy = toPlainCopy(value)
    copy.list[0]!.a = 2
    expect(value.list[0]!.a).toBe(1)
  })
})
