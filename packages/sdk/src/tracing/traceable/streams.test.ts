import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { client, on, recordTraces, run, server } from '../../../test/traced.ts'
import { getCurrentRunTree, traceable } from '../../traceable.ts'

recordTraces()

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
    // Pause: a read too many would happen in this time.
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
