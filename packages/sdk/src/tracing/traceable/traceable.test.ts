import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Recorder } from '../../../test/recorder.ts'
import { Client } from '../../index.ts'
import { RunTree } from '../../run-trees.ts'
import {
  getCurrentRunTree,
  isTraceableFunction,
  isTracingEnabled,
  ROOT,
  type TraceableConfig,
  traceable,
  withRunTree,
} from '../../traceable.ts'

let server: Recorder
let client: Client

beforeEach(async () => {
  server = await Recorder.start()
  client = new Client({ apiUrl: server.url })
  vi.spyOn(console, 'warn').mockImplementation(() => {})
})
afterEach(async () => {
  vi.restoreAllMocks()
  await server.stop()
})

const on = (config: TraceableConfig = {}) => ({ client, tracingEnabled: true, ...config })

async function run(name: string) {
  await client.flush()
  return server.run(name)
}

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

  it('that are no errors are recorded too', async () => {
    await traceable(() => Promise.reject('just text'), on({ name: 'f' }))().catch(() => {})
    expect((await run('f')).error).toBe('just text')
  })
})

describe('asynchronous generators', () => {
  async function* count(to: number) {
    for (let n = 1; n <= to; n++) yield n
    return 'unseen'
  }

  it('are followed to their end', async () => {
    const f = traceable(count, on({ name: 'f', aggregator: (chunks: number[]) => chunks.reduce((a, b) => a + b) }))
    const seen: number[] = []
    for await (const n of f(3)) seen.push(n)
    expect(seen).toEqual([1, 2, 3])
    expect((await run('f')).outputs).toEqual({ outputs: 6 })
  })

  it('are followed when driven by hand', async () => {
    const iterator = traceable(count, on({ name: 'f' }))(1)
    expect(await iterator.next()).toEqual({ done: false, value: 1 })
    expect(await iterator.next()).toEqual({ done: true, value: 'unseen' })
    expect((await run('f')).outputs).toEqual({ outputs: [1] })
  })

  it('that the consumer leaves are cancelled, and cleaned up', async () => {
    let cleaned = false
    const f = traceable(async function* f() {
      try {
        yield 1
        yield 2
      } finally {
        cleaned = true
      }
    }, on())
    for await (const _ of f()) break
    expect(cleaned).toBe(true)
    expect(await run('f')).toMatchObject({ outputs: { outputs: [1] }, error: 'Cancelled' })
  })

  it('that fail keep what they yielded', async () => {
    const f = traceable(async function* f() {
      yield 1
      throw new Error('mid')
    }, on())
    await expect(
      (async () => {
        for await (const _ of f());
      })(),
    ).rejects.toThrow('mid')
    const recorded = await run('f')
    expect(recorded.outputs).toEqual({ outputs: [1] })
    expect(recorded.error).toMatch(/^Error: mid/)
  })

  it('run inside their own context, also between yields', async () => {
    const inner = traceable(async () => 1, { name: 'inner' })
    const f = traceable(async function* f() {
      yield getCurrentRunTree().name
      await inner()
      yield getCurrentRunTree().name
    }, on())
    const names: string[] = []
    for await (const name of f()) names.push(name)
    expect(names).toEqual(['f', 'f'])
    expect((await run('inner')).parent_run_id).toBe((await run('f')).id)
  })

  it('of llm runs date every token', async () => {
    for await (const _ of traceable(count, on({ name: 'f', run_type: 'llm' }))(2));
    expect((await run('f')).events).toEqual([
      { name: 'new_token', time: expect.any(String) },
      { name: 'new_token', time: expect.any(String) },
    ])
  })

  it('whose aggregator fails record their chunks', async () => {
    const f = traceable(
      count,
      on({
        name: 'f',
        aggregator: () => {
          throw new Error('x')
        },
      }),
    )
    for await (const _ of f(2));
    expect((await run('f')).outputs).toEqual({ outputs: [1, 2] })
  })

  it('wait for an asynchronous aggregator', async () => {
    for await (const _ of traceable(
      count,
      on({ name: 'f', aggregator: async (chunks: number[]) => chunks.length }),
    )(2));
    expect((await run('f')).outputs).toEqual({ outputs: 2 })
  })
})

describe('other iterables', () => {
  it('synchronous generators are followed lazily, awaited or not', async () => {
    let pulled = 0
    const f = traceable(function* f(to: number) {
      for (let n = 1; n <= to; n++) {
        pulled++
        yield n
      }
      return 'end'
    }, on())
    expect([...f(2)]).toEqual([1, 2])
    expect((await run('f')).outputs).toEqual({ outputs: [1, 2, 'end'] })
    pulled = 0
    for (const n of await f(1000)) if (n === 2) break
    expect(pulled).toBe(2)
    await client.flush()
    expect(server.runs.at(-1)).toMatchObject({ outputs: { outputs: [1, 2] }, error: 'Cancelled' })
  })

  it('asynchronous iterables keep their other members', async () => {
    class Stream {
      #private = 'p'
      controller = new AbortController()
      peek() {
        return this.#private
      }
      async *[Symbol.asyncIterator]() {
        yield this.#private
      }
    }
    const stream = await traceable(async () => new Stream(), on({ name: 'f' }))()
    expect(stream).toBeInstanceOf(Stream)
    expect(stream.peek()).toBe('p')
    const seen: string[] = []
    for await (const chunk of stream) seen.push(chunk)
    expect(seen).toEqual(['p'])
    expect((await run('f')).outputs).toEqual({ outputs: ['p'] })
  })

  it('a member of the result is followed when its name is given', async () => {
    const f = traceable(
      async () => ({
        id: 7,
        stream: (async function* () {
          yield 'a'
        })(),
      }),
      on({ name: 'f', __finalTracedIteratorKey: 'stream' }),
    )
    const result = await f()
    expect(result.id).toBe(7)
    for await (const _ of result.stream);
    expect((await run('f')).outputs).toEqual({ outputs: ['a'] })
  })

  it('Node streams are followed, also when piped', async () => {
    const read = await traceable(async () => Readable.from(['a', 'b']), on({ name: 'read' }))()
    for await (const _ of read);
    const piped = await traceable(async () => Readable.from(['a', 'b']), on({ name: 'piped' }))()
    const { Writable } = await import('node:stream')
    const sink = new Writable({ objectMode: true, write: (_chunk, _encoding, done) => done() })
    await new Promise((resolve) => piped.pipe(sink).on('finish', resolve))
    expect((await run('read')).outputs).toEqual({ outputs: ['a', 'b'] })
    expect((await run('piped')).end_time).toBeDefined()
  })
})

describe('web streams', () => {
  const streamOf = (chunks: number, onPull = () => {}, onCancel = () => {}) => {
    let sent = 0
    return new ReadableStream<number>(
      {
        pull(controller) {
          onPull()
          if (sent === chunks) controller.close()
          else controller.enqueue(sent++)
        },
        cancel: onCancel,
      },
      { highWaterMark: 0 },
    )
  }

  it('are read only as far as the consumer reads', async () => {
    let pulls = 0
    const stream = traceable(() => streamOf(5000, () => pulls++), on({ name: 'f' }))()
    const reader = (await stream).getReader()
    await reader.read()
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(pulls).toBe(1)
  })

  it('are recorded to their end, and when they fail or are cancelled', async () => {
    for await (const _ of await traceable(() => streamOf(2), on({ name: 'whole' }))());
    expect((await run('whole')).outputs).toEqual({ outputs: [0, 1] })
    let cancelled = false
    const left = await traceable(
      async () =>
        streamOf(9, undefined, () => {
          cancelled = true
        }),
      on({ name: 'left' }),
    )()
    const reader = left.getReader()
    await reader.read()
    await reader.cancel()
    expect(cancelled).toBe(true)
    expect(await run('left')).toMatchObject({ outputs: { outputs: [0] }, error: 'Cancelled' })
    const broken = await traceable(
      () =>
        new ReadableStream({
          pull: () => {
            throw new Error('broken')
          },
        }),
      on({ name: 'broken' }),
    )()
    await expect(broken.getReader().read()).rejects.toThrow('broken')
    expect((await run('broken')).error).toMatch(/^Error: broken/)
  })
})

describe('thenables that are more than promises', () => {
  class ApiPromise<T> extends Promise<T> {
    #raw = 'raw'
    async asResponse() {
      return { raw: this.#raw }
    }
    async withResponse() {
      return { data: await this.then((value) => value), response: this.#raw }
    }
  }
  const call = () => new ApiPromise<{ text: string }>((resolve) => resolve({ text: 'hi' }))

  it('keep their own members, and are recorded however they are used', async () => {
    const result = traceable(call, on({ name: 'awaited' }))()
    expect(result).toBeInstanceOf(ApiPromise)
    expect(await result).toEqual({ text: 'hi' })
    expect(await traceable(call, on({ name: 'raw' }))().asResponse()).toEqual({ raw: 'raw' })
    expect(await traceable(call, on({ name: 'both' }))().withResponse()).toEqual({
      data: { text: 'hi' },
      response: 'raw',
    })
    expect((await run('awaited')).outputs).toEqual({ text: 'hi' })
    expect((await run('raw')).outputs).toEqual({ raw: 'raw' })
    expect((await run('both')).outputs).toEqual({ text: 'hi' })
  })
})

describe('context', () => {
  const leaf = traceable(async (name: string) => name, { name: 'leaf' })

  it('makes runs inside others their children, across awaits and timers', async () => {
    const f = traceable(
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        await Promise.all([leaf('a'), leaf('b')])
      },
      on({ name: 'f', project_name: 'mine', tags: ['t'], metadata: { m: 1 } }),
    )
    await f()
    const parent = await run('f')
    const children = server.runs.filter(({ name }) => name === 'leaf')
    expect(children).toHaveLength(2)
    for (const child of children) {
      expect(child).toMatchObject({ parent_run_id: parent.id, trace_id: parent.id, session_name: 'mine', tags: [] })
      expect(child.dotted_order.startsWith(`${parent.dotted_order}.`)).toBe(true)
      expect(child.extra.metadata).toEqual({ m: 1 })
    }
  })

  it('can be given by hand, and the function then gets its own run', async () => {
    const root = new RunTree({ name: 'root', client, tracingEnabled: true })
    const f = traceable(async (own: RunTree, q: string) => [own.name, q], { name: 'f' })
    expect(await f(root, 'q')).toEqual(['f', 'q'])
    expect(await run('f')).toMatchObject({ parent_run_id: root.id, inputs: { input: 'q' } })
    await withRunTree(root, () => leaf('x'))
    expect((await run('leaf')).parent_run_id).toBe(root.id)
    await expect(
      withRunTree(root, () => {
        throw new Error('sync')
      }),
    ).rejects.toThrow('sync')
  })

  it('is left by ROOT', async () => {
    const other = traceable(async (own: RunTree | string) => typeof own, on({ name: 'other' }))
    await traceable(async () => other(ROOT), on({ name: 'f' }))()
    const recorded = await run('other')
    expect(recorded.parent_run_id).toBeUndefined()
    expect(recorded.trace_id).toBe(recorded.id)
  })

  it('is asked for with getCurrentRunTree', async () => {
    expect(getCurrentRunTree(true)).toBeUndefined()
    await traceable(
      async () => {
        getCurrentRunTree().metadata = { tenant: 'acme' }
        expect(isTracingEnabled()).toBe(true)
      },
      on({ name: 'f' }),
    )()
    expect((await run('f')).extra.metadata).toEqual({ tenant: 'acme' })
  })

  it('is shared with the public package', async () => {
    const storage = (globalThis as Record<symbol, { getStore(): unknown } | undefined>)[
      Symbol.for('ls:tracing_async_local_storage')
    ]
    await traceable(async () => expect(storage?.getStore()).toBe(getCurrentRunTree()), on())()
  })

  it('follows LangChain’s tracer when handed its config', async () => {
    const parent = new RunTree({ name: 'chain', client })
    const handlers = [{ name: 'langchain_tracer', client, projectName: 'lc', getRun: () => parent }]
    const f = traceable(async (q: string) => q, { name: 'f' })
    const config = { callbacks: { handlers, getParentRunId: () => parent.id } }
    expect(await (f as (...args: unknown[]) => Promise<unknown>)(config, 'q')).toBe('q')
    expect(await run('f')).toMatchObject({ parent_run_id: parent.id, session_name: 'lc', inputs: { input: 'q' } })
  })
})

describe('a parent', () => {
  it('ends, in what is recorded, after the children it did not wait for', async () => {
    let finish = () => {}
    const child = traceable(
      () =>
        new Promise<void>((resolve) => {
          finish = resolve
        }),
      { name: 'child' },
    )
    const list = [1]
    const answer = async () => {
      void child()
      return { list }
    }
    await traceable(answer, on({ name: 'f' }))()
    list.push(2)
    const flushed = client.flush()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(server.runs.some(({ name, end_time }) => name === 'f' && end_time)).toBe(false)
    finish()
    await flushed
    expect(server.run('f').end_time).toBeDefined()
    expect(server.run('f').outputs).toEqual({ list: [1] })
    expect(server.run('child').end_time).toBeDefined()
  })

  it('does not wait when it failed', async () => {
    const child = traceable(() => new Promise<void>(() => {}), { name: 'child' })
    await traceable(
      async () => {
        void child()
        throw new Error('x')
      },
      on({ name: 'f' }),
    )().catch(() => {})
    expect((await run('f')).error).toMatch(/^Error: x/)
  })
})

describe('a run that goes on for days', () => {
  it('keeps nothing of the children that have ended', async () => {
    const leaf = traceable(async (n: number) => n, { name: 'leaf' })
    await traceable(async () => {
      for (let n = 0; n < 500; n++) await leaf(n)
      const tree = getCurrentRunTree() as RunTree & Record<symbol, unknown[]>
      expect(tree.child_runs).toEqual([])
      await vi.waitFor(() => expect(tree[Symbol.for('lc:child_run_end_promises')]).toEqual([]))
    }, on())()
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

describe('with tracing off', () => {
  it('everything works and nothing is sent', async () => {
    const f = traceable(async (q: string) => {
      getCurrentRunTree().metadata = { a: 1 }
      await getCurrentRunTree().createChild({ name: 'c' }).postRun()
      return q
    })
    expect(await f('x')).toBe('x')
    expect(await traceable((own: RunTree, q: string) => own.createChild({ name: q }).name)(ROOT, 'q')).toBe('q')
    expect(traceable(() => 1)()).toBeInstanceOf(Promise)
    await expect(
      traceable(() => {
        throw new Error('x')
      })(),
    ).rejects.toThrow('x')
    expect([
      ...traceable(function* () {
        yield 1
      })(),
    ]).toEqual([1])
    expect(server.requests).toHaveLength(0)
  })

  it.each([
    ['true', true],
    ['1', false],
    ['TRUE', false],
    ['', false],
  ])('by %j in the environment: traces %s', async (value, traces) => {
    process.env.LANGSMITH_TRACING = value
    try {
      await traceable(async () => {}, { name: 'f', client })()
    } finally {
      delete process.env.LANGSMITH_TRACING
    }
    await client.flush()
    expect(server.runs).toHaveLength(traces ? 1 : 0)
  })

  it('around it, a function that insists is traced as a root', async () => {
    const insists = traceable(async () => 1, on({ name: 'insists' }))
    await traceable(async () => insists(), { name: 'quiet', tracingEnabled: false })()
    const quiet = traceable(async () => insists(), { name: 'quiet', tracingEnabled: false })
    await traceable(async () => quiet(), on({ name: 'f' }))()
    await client.flush()
    expect(server.runs.map(({ name, parent_run_id }) => [name, parent_run_id])).toEqual([
      ['insists', undefined],
      ['f', undefined],
      ['insists', undefined],
    ])
  })

  it('for one nested function, what that calls is not traced either', async () => {
    const inner = traceable(async () => 1, { name: 'inner' })
    const quiet = traceable(async () => inner(), { name: 'quiet', tracingEnabled: false })
    await traceable(async () => quiet(), on({ name: 'f' }))()
    await client.flush()
    expect(server.runs.map(({ name }) => name)).toEqual(['f'])
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
    const slow = () => new Promise<Record<string, unknown>>((resolve) => setTimeout(() => resolve({ slow: true }), 30))
    await traceable(async () => 1, on({ name: 'f', processOutputs: slow }))()
    expect((await run('f')).outputs).toEqual({ slow: true })
  })
})
