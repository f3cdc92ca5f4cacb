import { describe, expect, it } from 'vitest'
import { client, on, recordTraces, run, server } from '../../../test/traced.ts'
import { RunTree } from '../../run-trees.ts'
import { getCurrentRunTree, isTracingEnabled, ROOT, traceable, withRunTree } from '../../traceable.ts'

recordTraces()

describe('context', () => {
  const leaf = traceable(async (name: string) => name, { name: 'leaf' })

  it('makes runs inside others their children, across awaits and timers', async () => {
    const f = traceable(
      async () => {
        // Pause: the context must survive a timer.
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
    // Pause: a run that is sent too early would be sent in this time.
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
      await expect.poll(() => tree[Symbol.for('lc:child_run_end_promises')]).toEqual([])
    }, on())()
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
