import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client, uuid7, uuid7FromTime } from '../index.ts'
import { convertToDottedOrderFormat, isRunTree, RunTree } from '../run-trees.ts'

let server: Recorder
let client: Client

beforeEach(async () => {
  server = await Recorder.start()
  client = new Client({ apiUrl: server.url })
})
afterEach(() => server.stop())

describe('ids', () => {
  it('sort by time and are version 7', () => {
    const early = uuid7FromTime(1_700_000_000_000)
    const late = uuid7FromTime('2026-01-01T00:00:00Z')
    expect(early.startsWith('018bcfe5-6800-7')).toBe(true)
    expect(early < late && late < uuid7()).toBe(true)
    const many = new Set(Array.from({ length: 10_000 }, () => uuid7FromTime(0)))
    expect(many.size).toBe(10_000)
    for (const id of many) expect(id).toMatch(/^00000000-0000-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
})

describe('a run tree', () => {
  it('has the position that a server checks', () => {
    const root = new RunTree({ name: 'root', start_time: 1_700_000_000_000 })
    const child = root.createChild({ name: 'child', start_time: 1_700_000_000_004 })
    const sibling = root.createChild({ name: 'sibling' })
    const grandchild = child.createChild({ name: 'grandchild' })
    expect(root.dotted_order).toBe(`20231114T221320000001Z${root.id}`)
    expect(child.dotted_order).toBe(`${root.dotted_order}.20231114T221320004002Z${child.id}`)
    expect([child.trace_id, grandchild.trace_id]).toEqual([root.id, root.id])
    expect(grandchild.parent_run_id).toBe(child.id)
    expect([child, sibling, grandchild].map((run) => run.execution_order)).toEqual([2, 3, 3])
    expect(root.child_execution_order).toBe(3)
    expect(root.toJSON().start_time).toBe('2023-11-14T22:13:20.000001Z')
    expect(convertToDottedOrderFormat(1_700_000_000_004, 'x', 12_345)).toEqual({
      dottedOrder: '20231114T221320004123Zx',
      microsecondPrecisionDatestring: '2023-11-14T22:13:20.004123Z',
    })
  })

  it('does not end before it began', async () => {
    const run = new RunTree({ name: 'quick', start_time: 5, execution_order: 7 })
    await run.end({}, undefined, 5)
    expect(run.toJSON()).toMatchObject({
      start_time: '1970-01-01T00:00:00.005007Z',
      end_time: '1970-01-01T00:00:00.005007Z',
    })
  })

  it('passes down its project, client and metadata, but not what describes a model call', () => {
    const metadata = { user: 'u', ls_provider: 'openai', ls_model_name: 'm', usage_metadata: {} }
    const root = new RunTree({
      name: 'root',
      project_name: 'mine',
      client,
      metadata,
      tags: ['t'],
      tracingEnabled: true,
    })
    const child = root.createChild({ name: 'child', project_name: 'other', metadata: { extra: 1 } })
    expect(child).toMatchObject({
      project_name: 'mine',
      metadata: { user: 'u', extra: 1 },
      tags: [],
      tracingEnabled: true,
    })
    expect(Object.keys(child.metadata)).toEqual(['user', 'extra'])
    expect(child.client).toBe(client)
  })

  it('merges metadata and keeps the first end', async () => {
    const run = new RunTree({ name: 'a', metadata: { a: 1 } })
    run.metadata = { b: 2 }
    await run.end({ first: 1 }, undefined, 10, { c: 3 })
    await run.end({ second: 2 }, 'late', 20)
    expect(run).toMatchObject({ metadata: { a: 1, b: 2, c: 3 }, outputs: { first: 1 }, error: 'late', end_time: 10 })
  })

  it('is recorded by hand, also with tracing off in the environment', async () => {
    const root = new RunTree({
      name: 'root',
      client,
      inputs: { q: 1 },
      attachments: { a: ['x/y', new Uint8Array([1])] },
    })
    const child = root.createChild({ name: 'child', run_type: 'tool' })
    await root.postRun()
    await child.postRun()
    root.addEvent('hello')
    root.addEvent({ name: 'mark' })
    root.attachments = { ...root.attachments, late: ['x/z', new Uint8Array([2])] }
    await root.end({ a: 1 })
    await root.patchRun()
    await client.flush()
    expect(server.run('root')).toMatchObject({
      inputs: { q: 1 },
      outputs: { a: 1 },
      events: [{ message: 'hello' }, { name: 'mark' }],
    })
    expect(Object.keys(server.run('root').attachments)).toEqual(['a', 'late'])
    expect(server.run('child').end_time).toBeUndefined()
  })

  it('awaits its inputs, and its update waits for its creation', async () => {
    // Pause: settles after the run was created.
    const late = new Promise<Record<string, unknown>>((resolve) => setTimeout(() => resolve({ q: 'late' }), 20))
    const run = new RunTree({ name: 'a', client, inputs: late as unknown as Record<string, unknown> })
    void run.postRun()
    await run.end({ done: true })
    await run.patchRun({ excludeInputs: false })
    await client.flush()
    expect(server.run('a')).toMatchObject({ inputs: { q: 'late' }, outputs: { done: true } })
  })

  it('omits inputs from updates by default', async () => {
    const updates: object[] = []
    const spy = { createRun: async () => {}, updateRun: async (_: string, update: object) => void updates.push(update) }
    const run = new RunTree({ name: 'a', client: spy, inputs: { q: 1 } })
    await run.patchRun()
    await run.patchRun({ excludeInputs: false })
    expect(updates.map((update) => 'inputs' in update)).toEqual([false, true])
  })

  it('posts the children made before it when asked to, and keeps none after', async () => {
    const root = new RunTree({ name: 'root', client })
    root.createChild({ name: 'child' }).createChild({ name: 'grandchild' })
    await root.postRun(false)
    root.createChild({ name: 'later' })
    expect(root.child_runs).toEqual([])
    await client.flush()
    expect(server.runs.map(({ name }) => name)).toEqual(['root', 'child', 'grandchild'])
  })

  it('never throws what its client throws', async () => {
    const broken = {
      createRun: () => Promise.reject(new Error('no')),
      updateRun: () => Promise.reject(new Error('no')),
    }
    const run = new RunTree({ name: 'a', client: broken })
    await run.postRun()
    await run.patchRun()
  })

  it('is known by its shape and copied by its constructor', () => {
    const run = new RunTree({ name: 'a', client })
    expect(isRunTree(run)).toBe(true)
    expect(isRunTree({ createChild: () => {}, postRun: () => {} })).toBe(true)
    expect(isRunTree({ tracingEnabled: false })).toBe(false)
    expect(new RunTree(run).toJSON()).toEqual(run.toJSON())
  })

  it('prints no key', () => {
    process.env.TOUCHSTONE_API_KEY = 'very-secret'
    const run = new RunTree({ name: 'a' })
    expect(JSON.stringify(run)).not.toContain('very-secret')
    delete process.env.TOUCHSTONE_API_KEY
  })
})
