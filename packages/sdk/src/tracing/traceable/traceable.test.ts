import { afterEach, describe, expect, it, vi } from 'vitest'
import { client, on, recordTraces, run, server } from '../../../test/traced.ts'
import { Client } from '../../index.ts'
import type { RunTree } from '../../run-trees.ts'
import { isTraceableFunction, traceable } from '../../traceable.ts'

recordTraces()
afterEach(() => vi.unstubAllEnvs())

describe('arguments', () => {
  class Point {
    x = 1
  }
  it.each<[string, unknown[], object]>([
    ['no arguments', [], {}],
    ['undefined', [undefined], {}],
    ['null', [null], { inputs: null }],
    ['null and more', [null, 1], { args: [null, 1] }],
    ['undefined and more', [undefined, 1], { args: [null, 1] }],
    ['several', ['a', { b: 1 }], { args: ['a', { b: 1 }] }],
    ['one object', [{ a: 1 }], { a: 1 }],
    ['one object without a prototype', [Object.assign(Object.create(null), { a: 1 })], { a: 1 }],
    ['a text', ['a'], { input: 'a' }],
    ['a list', [[1]], { input: [1] }],
    ['an instance', [new Point()], { input: { x: 1 } }],
    ['a map', [new Map([['a', 1]])], { input: { a: 1 } }],
  ])('that are %s are recorded', async (_, args, inputs) => {
    await traceable((...given: unknown[]) => given.length, on({ name: 'f' }))(...args)
    expect((await run('f')).inputs).toEqual(inputs)
  })

  it('are recorded as they were at the call', async () => {
    const list = [1]
    await traceable(async (given: number[]) => void given.push(2), on({ name: 'f' }))(list)
    expect((await run('f')).inputs).toEqual({ input: [1] })
  })

  it('that are promises are passed on as they are and recorded when the run ends', async () => {
    const promise = Promise.resolve({ deep: 1 })
    const failing = Promise.reject(new Error('x'))
    const f = async (a: Promise<unknown>, b: Promise<unknown>) => [
      a === promise,
      await a,
      await b.catch(() => 'caught'),
    ]
    expect(await traceable(f, on({ name: 'f' }))(promise, failing)).toEqual([true, { deep: 1 }, 'caught'])
    expect((await run('f')).inputs).toEqual({ args: [{ deep: 1 }, { error: 'Error: x' }] })
  })

  it('that are iterators are passed on as they are, and recorded as far as they were used', async () => {
    const count = async function* (to: number) {
      for (let n = 1; n <= to; n++) yield n
    }
    class Words {
      async *[Symbol.asyncIterator]() {
        yield* ['a', 'b']
      }
    }
    const [numbers, words, letters] = [count(9), new Words(), ['x', 'y'][Symbol.iterator]()]
    const f = async (a: AsyncGenerator<number>, b: Words, c: Iterator<string>) => {
      expect([a === numbers, b === words, c === letters]).toEqual([true, true, true])
      for await (const n of a) if (n === 2) break
      for await (const _ of b);
      return c.next().value
    }
    await traceable(f, on({ name: 'f' }))(numbers, words, letters)
    expect((await run('f')).inputs).toEqual({ args: [[1, 2], ['a', 'b'], ['x']] })
    expect(Object.getOwnPropertyNames(numbers)).toEqual([])
  })

  it('that are the stream of another traceable are recorded too', async () => {
    const source = traceable(async function* source() {
      yield 'a'
    }, on())
    const sink = traceable(
      async (given: AsyncIterable<string>) => {
        for await (const _ of given);
      },
      on({ name: 'sink' }),
    )
    await sink(source())
    expect((await run('sink')).inputs).toEqual({ input: ['a'] })
    expect((await run('source')).outputs).toEqual({ outputs: ['a'] })
  })

  it('that are streams are passed on as they are', async () => {
    const stream = new ReadableStream({ start: (controller) => controller.close() })
    expect(await traceable((given: ReadableStream) => given === stream, on({ name: 'f' }))(stream)).toBe(true)
    expect((await run('f')).inputs).toEqual({ input: '[ReadableStream]' })
  })

  it('may hold the config of the call', async () => {
    const f = traceable(
      (a: string, options: object) => [a, options],
      on({ name: 'f', tags: ['t'], argsConfigPath: [1, 'trace'] }),
    )
    const options = { k: 1, trace: { name: 'renamed', metadata: { m: 1 }, tags: ['t', 'u'] } }
    expect(await f('x', options)).toEqual(['x', { k: 1 }])
    expect(await run('renamed')).toMatchObject({ tags: ['t', 'u'], extra: { metadata: { m: 1 } } })
    const g = traceable((...args: unknown[]) => args, on({ name: 'g', argsConfigPath: [1] }))
    expect(await g('x', { name: 'h' })).toEqual(['x'])
    expect((await run('h')).inputs).toEqual({ input: 'x' })
  })
})

describe('results', () => {
  it.each<[string, unknown, object]>([
    ['an object', { a: 1 }, { a: 1 }],
    ['a text', 'a', { outputs: 'a' }],
    ['null', null, { outputs: null }],
    ['nothing', undefined, {}],
    ['a list', [1], { outputs: [1] }],
    ['a result called generations', { generations: [] }, { generations: [] }],
  ])('that are %s are recorded, from synchronous and asynchronous functions', async (_, result, outputs) => {
    const sync = traceable(() => result, on({ name: 'sync' }))()
    expect(sync).toBeInstanceOf(Promise)
    expect(await sync).toBe(result)
    expect(await traceable(async () => result, on({ name: 'async' }))()).toBe(result)
    expect((await run('sync')).outputs).toEqual(outputs)
    expect((await run('async')).outputs).toEqual(outputs)
  })

  it('that contain promises are recorded with what these resolve to', async () => {
    let write = (_text: string) => {}
    const text = new Promise<string>((resolve) => {
      write = resolve
    })
    const answer = { text, usage: Promise.resolve({ tokens: 3n }), failed: Promise.reject(new Error('x')), model: 'm' }
    const result = await traceable(async () => answer, on({ name: 'f' }))()
    expect(result).toBe(answer)
    write('written later')
    expect((await run('f')).outputs).toEqual({
      text: 'written later',
      usage: { tokens: '3' },
      failed: { error: 'Error: x' },
      model: 'm',
    })
    await traceable(async () => [Promise.resolve(1)], on({ name: 'list' }))()
    expect((await run('list')).outputs).toEqual({ outputs: [1] })
  })

  it('that contain promises end when the function did, and without those that stay open', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      await traceable(async () => ({ text: new Promise(() => {}), model: 'm' }), on({ name: 'f' }))()
      const returned = Date.now()
      await vi.advanceTimersByTimeAsync(20_000)
      vi.useRealTimers()
      const { outputs, end_time } = await run('f')
      expect(outputs).toEqual({ text: '[Promise]', model: 'm' })
      expect(new Date(end_time).getTime()).toBeLessThanOrEqual(returned)
    } finally {
      vi.useRealTimers()
    }
  })

  it('that contain open promises reach a caller that waits for the delivery', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const client = new Client({ apiUrl: server.url, blockOnRootRunFinalization: true })
      const answer = { text: new Promise(() => {}), usage: Promise.resolve(1) }
      let result: unknown
      const call = traceable(async () => answer, { name: 'f', client, tracingEnabled: true })()
      void call.then((returned) => (result = returned))
      await vi.waitFor(() => expect(result).toBe(answer), { timeout: 8000 })
      expect(server.run('f').outputs).toEqual({ text: '[Promise]', usage: 1 })
    } finally {
      vi.useRealTimers()
    }
  })

  it('keep private members usable', async () => {
    class Secret {
      #value = 42
      get value() {
        return this.#value
      }
    }
    expect((await traceable(() => new Secret(), on())()).value).toBe(42)
  })

  it('with token usage put it where costs are computed from', async () => {
    const usage_metadata = { input_tokens: 1, output_tokens: 2, total_tokens: 3 }
    await traceable(() => ({ text: 'a', usage_metadata }), on({ name: 'a', run_type: 'llm' }))()
    await traceable(() => ({ text: 'b' }), on({ name: 'b', metadata: { usage_metadata } }))()
    expect((await run('a')).extra.metadata.usage_metadata).toEqual(usage_metadata)
    expect((await run('b')).outputs.usage_metadata).toEqual(usage_metadata)
  })
})

describe('failures', () => {
  it.each([
    [
      'a throw',
      () => {
        throw new TypeError('bad', { cause: new Error('why') })
      },
    ],
    [
      'a rejection',
      async () => {
        throw new TypeError('bad', { cause: new Error('why') })
      },
    ],
  ])('by %s reach the caller unchanged, and are recorded with stack and cause', async (_, fn) => {
    const error: unknown = await traceable(fn as () => Promise<void>, on({ name: 'f' }))().catch(
      (error: unknown) => error,
    )
    expect(error).toBeInstanceOf(TypeError)
    const recorded = await run('f')
    expect(recorded.error.split('\n')[0]).toBe('TypeError: bad')
    expect(recorded.error).toMatch(/traceable\.test\.ts/)
    expect(recorded.error).toMatch(/Caused by: Error: why/)
    expect(recorded.outputs).toBeUndefined()
    expect(recorded.end_time).toBeDefined()
  })

  it.each<[string, unknown, string]>([
    ['a text', 'just text', 'just text'],
    ['an empty text', '', '""'],
    ['nothing', undefined, 'undefined'],
    ['null', null, 'null'],
    ['an object', { code: 1, message: 'full' }, '{"code":1,"message":"full"}'],
    ['an object without a prototype', Object.assign(Object.create(null), { code: 1 }), '{"code":1}'],
    ['a response', new Response(), '"[Response]"'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['an object with a text of its own', { toString: () => 'E_FULL' }, 'E_FULL'],
  ])('that are no errors are recorded too: %s', async (_, thrown, text) => {
    const fail = (): unknown => {
      throw thrown
    }
    const caught = await traceable(fail, on({ name: 'f' }))().catch((error: unknown) => ({ error }))
    expect(caught).toEqual({ error: thrown })
    await traceable(() => Promise.reject(thrown), on({ name: 'g' }))().catch(() => {})
    expect((await run('f')).error).toBe(text)
    expect((await run('g')).error).toBe(text)
  })

  it('that consist of others name each of them, with its cause', async () => {
    const inner = [new TypeError('first', { cause: { code: 7 } }), undefined, new AggregateError(['deep'], 'second')]
    const all = () => Promise.any(inner.map((reason) => Promise.reject(reason)))
    await traceable(all, on({ name: 'f' }))().catch(() => {})
    const { error } = await run('f')
    expect(error.split('\n')[0]).toBe('AggregateError: All promises were rejected')
    expect(error).toMatch(/Error 1: TypeError: first\n(.*\n)+Caused by: {"code":7}\n/)
    expect(error).toMatch(/\nError 2: undefined\nError 3: AggregateError: second\n(.*\n)+Error 1: deep$/)
  })

  it('that contain themselves, or thousands of others, are recorded in part', async () => {
    const many = new AggregateError(Array.from({ length: 10_000 }, (_, at) => new Error(`e${at}`)))
    many.cause = many
    await traceable(() => Promise.reject(many), on({ name: 'f' }))().catch(() => {})
    expect((await run('f')).error).toContain('Error: e3')
  })
})

describe('hooks', () => {
  it('change what is recorded, not what is passed', async () => {
    const f = traceable(
      async ({ q }: { q: string }) => ({ answer: q.toUpperCase() }),
      on({
        name: 'f',
        processInputs: async () => ({ q: '***' }),
        processOutputs: () => ({ answer: '***' }),
        getInvocationParams: () => ({ ls_model_type: 'chat', ls_model_name: 'm', ls_provider: 'p' }),
        metadata: { ls_model_name: 'mine' },
      }),
    )
    expect(await f({ q: 'secret' })).toEqual({ answer: 'SECRET' })
    const recorded = await run('f')
    expect(recorded).toMatchObject({ inputs: { q: '***' }, outputs: { answer: '***' } })
    expect(recorded.extra.metadata).toEqual({ ls_model_type: 'chat', ls_model_name: 'mine', ls_provider: 'p' })
  })

  it('that fail cost the payload and nothing else', async () => {
    const fail = () => {
      throw new Error('hook')
    }
    const config = {
      processInputs: fail,
      processOutputs: async () => fail(),
      on_start: fail,
      on_end: fail,
      getInvocationParams: fail,
    }
    expect(await traceable(async (a: string) => a, on({ name: 'f', ...config }))('x')).toBe('x')
    expect(await run('f')).toMatchObject({
      inputs: { ls_error: 'Processing failed; inputs dropped (processInputs)' },
      outputs: { ls_error: 'Processing failed; outputs dropped (processOutputs)' },
    })
  })

  it.each(['true', 'True', '1'])('that fail keep the payload when the environment allows it: %s', async (value) => {
    vi.stubEnv('LANGSMITH_ALLOW_UNPROCESSED_PAYLOADS', value)
    const fail = () => {
      throw new Error('hook')
    }
    await traceable(async (a: string) => a, on({ name: 'f', processInputs: fail, processOutputs: fail }))('x')
    expect(await run('f')).toMatchObject({ inputs: { input: 'x' }, outputs: { outputs: 'x' } })
  })

  it('see the start and the end', async () => {
    const seen: string[] = []
    const hooks = {
      on_start: (tree: RunTree | undefined) => void seen.push(`start ${tree?.name}`),
      on_end: (tree: RunTree) => {
        seen.push('end')
        tree.metadata = { late: 1 }
      },
    }
    await traceable(async () => void seen.push('run'), on({ name: 'f', ...hooks }))()
    await traceable(async () => {}, { tracingEnabled: false, ...hooks })()
    expect(seen).toEqual(['start f', 'run', 'end', 'start undefined'])
    expect((await run('f')).extra.metadata).toEqual({ late: 1 })
  })

  it('may take attachments out of the arguments', async () => {
    const data = new Uint8Array([1, 2])
    const extractAttachments = (image: Uint8Array): [{ image: [string, Uint8Array] }, object] => [
      { image: ['image/png', image] },
      { image: 'see attachment' },
    ]
    await traceable(async (image: Uint8Array) => image.length, on({ name: 'f', extractAttachments }))(data)
    expect(await run('f')).toMatchObject({
      inputs: { image: 'see attachment' },
      attachments: { image: { data: Buffer.from(data) } },
    })
  })
})

describe('the wrapped function', () => {
  it('keeps its name, this and own properties, and is recognisable', async () => {
    const fn = Object.assign(
      function named(this: { x: number }) {
        return this.x
      },
      { extra: 1 },
    )
    const traced = traceable(fn, on())
    expect(traced.name).toBe('named')
    expect(traced.extra).toBe(1)
    expect(isTraceableFunction(traced)).toBe(true)
    expect(isTraceableFunction(fn)).toBe(false)
    expect(await traced.call({ x: 5 })).toBe(5)
    await traceable(() => 1, on())()
    await client.flush()
    expect(server.runs.map(({ name }) => name)).toEqual(['named', '<lambda>'])
  })

  it('in block mode settles when its trace is delivered', async () => {
    const blocking = new Client({ apiUrl: server.url, blockOnRootRunFinalization: true, batchMaxAgeMs: 60_000 })
    const child = traceable(async () => 1, { name: 'child' })
    await traceable(async () => child(), { name: 'f', client: blocking, tracingEnabled: true })()
    expect(server.runs.map(({ name, end_time }) => [name, end_time !== undefined])).toEqual([
      ['f', true],
      ['child', true],
    ])
  })

  it('is flushed together with outputs that are still being processed', async () => {
    // Pause: settles after the run was created.
    const slow = () => new Promise<Record<string, unknown>>((resolve) => setTimeout(() => resolve({ slow: true }), 30))
    await traceable(async () => 1, on({ name: 'f', processOutputs: slow }))()
    expect((await run('f')).outputs).toEqual({ slow: true })
  })
})
