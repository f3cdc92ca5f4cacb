import { describe, expect, it } from 'vitest'
import { padSpanId } from '../../../storage/analytics/run-aliases.ts'
import { createRandom } from '../../../testing/invent-runs.ts'
import { parseDottedOrder } from '../../run-path.ts'
import { placeTrace } from './place-trace.ts'
import { deriveRunId, type SpanPlace, toTraceUuid } from './span-ids.ts'
import type { KnownRun, NewSpan } from './trace-facts.ts'

const OTEL_TRACE = '0af7651916cd43dd8448eb211c80319c'
const TRACE = toTraceUuid(OTEL_TRACE)

const hex = (number: number) => number.toString(16).padStart(16, '0')
const at = (second: number) => `2026-11-01T12:00:${String(second).padStart(2, '0')}.000000Z`

function aSpan(number: number, parent: number | undefined, second = number, more: Partial<SpanPlace> = {}): NewSpan {
  const parentSpanId = parent === undefined ? undefined : hex(parent)
  const place = { otelTraceId: OTEL_TRACE, spanId: hex(number), parentSpanId, isRoot: parent === undefined, ...more }
  return { place, startTime: at(second) }
}

/** The rows of a trace, as the store has them after some batches. */
class Store {
  readonly runs = new Map<string, KnownRun>()
  readonly aliases = new Map<string, string>()
  /** Stands for the root. */
  placeholder: KnownRun | undefined

  constructor(private readonly isTaken: (id: string) => boolean = () => false) {}

  write(spans: readonly NewSpan[]): void {
    const { runs: known, aliases } = this
    // The store is asked for the spans of the block and for the root only.
    const asked = new Set([...spans.map(({ place }) => padSpanId(place.spanId)), aliases.get(TRACE)])
    const isTaken = (id: string) => asked.has(id) && this.isTaken(id)
    const placed = placeTrace({ traceId: TRACE, spans, known, isTaken, aliases, logged: new Set() })
    this.placeholder = placed.placeholder
    if (placed.renamed !== undefined) known.delete(placed.renamed.from)
    for (const run of placed.spans.values()) known.set(run.id, run)
    for (const run of placed.moved) known.set(run.id, run)
    for (const [id, runId] of placed.aliases) aliases.set(id, runId)
  }

  /** In the order in which a page shows them. */
  print(): string[] {
    const placeholder = this.placeholder === undefined ? [] : [this.placeholder]
    return [...this.runs.values(), ...placeholder]
      .map((run) => `${run.id} < ${run.parentRunId} ${run.dottedOrder}`)
      .sort()
  }
}

function write(batches: readonly (readonly NewSpan[])[], isTaken?: (id: string) => boolean): Store {
  const store = new Store(isTaken)
  for (const batch of batches) store.write(batch)
  return store
}

const orderOf = (store: Store, number: number) => store.runs.get(padSpanId(hex(number)))

const PARENTS = new Map([4, 3].map((one) => [one, 1])).set(5, 9).set(6, 4)

describe('the place of a span', () => {
  it('is the trace itself for the root, and below its parent for a child', () => {
    const store = write([[aSpan(1, undefined), aSpan(2, 1), aSpan(3, 2)]])
    expect(store.runs.get(TRACE)).toMatchObject({ parentRunId: null })
    expect(orderOf(store, 2)).toMatchObject({ parentRunId: TRACE })
    expect(orderOf(store, 3)).toMatchObject({ parentRunId: padSpanId(hex(2)) })
    expect(orderOf(store, 3)?.dottedOrder.split('.')).toHaveLength(3)
    expect(store.aliases.get(padSpanId(hex(1)))).toBe(TRACE)
  })

  it('is provisional until the parent comes, which changes only its own subtree', () => {
    const store = write([[aSpan(1, undefined), aSpan(4, 3), aSpan(5, 4), aSpan(6, 1)]])
    expect(orderOf(store, 4)).toMatchObject({ parentRunId: TRACE })
    const sibling = orderOf(store, 6)
    store.write([aSpan(3, 1)])
    expect(orderOf(store, 4)).toMatchObject({ parentRunId: padSpanId(hex(3)) })
    expect(orderOf(store, 5)?.dottedOrder).toContain(hex(3).slice(4))
    expect(orderOf(store, 6)).toBe(sibling)
  })

  it('is below a placeholder until the root comes, beside the other spans without a stored parent', () => {
    const store = write([[aSpan(4, 1), aSpan(5, 9)], [aSpan(3, 1)], [aSpan(6, 4)]])
    expect(store.placeholder).toMatchObject({
      id: TRACE,
      parentRunId: null,
      dottedOrder: expect.stringMatching(/^20261101T120003000000Z[\da-f-]{36}$/),
    })
    for (const number of [3, 4, 5]) expect(orderOf(store, number)).toMatchObject({ parentRunId: TRACE })
    expect(orderOf(store, 6)).toMatchObject({ parentRunId: padSpanId(hex(4)) })
    store.write([aSpan(1, undefined)])
    expect(store.placeholder).toBeUndefined()
    expect(store.print()).toEqual(write([[1, 4, 5, 3, 6].map((one) => aSpan(one, PARENTS.get(one)))]).print())
  })

  it('leaves the path of a run of an SDK whose root is missing as it is', () => {
    const run = { id: 'aaaaaaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee', parentRunId: TRACE }
    const dottedOrder = `20261101T120001000000Z${TRACE}.20261101T120002000000Z${run.id}`
    const store = new Store()
    store.runs.set(run.id, { ...run, dottedOrder })
    store.write([aSpan(7, 9, 0)])
    store.write([aSpan(8, undefined, 9, { parentSpanId: TRACE.replaceAll('-', '').slice(0, 16), isRoot: false })])
    expect(store.runs.get(run.id)).toEqual({ ...run, dottedOrder })
    expect(store.placeholder).toMatchObject({ id: TRACE, dottedOrder: expect.stringContaining('T120000') })
    expect(orderOf(store, 8)).toMatchObject({ parentRunId: TRACE })
  })

  it('is below a root that comes last, also for a run of an SDK whose path was made from the placeholder', () => {
    const store = write([[aSpan(7, 9, 5)]])
    const id = 'aaaaaaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee'
    const segment = `20261101T120006000000Z${id}`
    store.runs.set(id, { id, parentRunId: TRACE, dottedOrder: `${store.placeholder?.dottedOrder}.${segment}` })
    store.write([aSpan(1, undefined, 1)])
    const root = store.runs.get(TRACE)?.dottedOrder
    expect(root).toContain('T120001')
    expect(store.runs.get(id)).toMatchObject({ parentRunId: TRACE, dottedOrder: `${root}.${segment}` })
  })

  it('is another id when a span of another trace has the same 8 bytes', () => {
    const taken = padSpanId(hex(2))
    const store = write([[aSpan(1, undefined)], [aSpan(3, 2)], [aSpan(2, 1)]], (id) => id === taken)
    const own = deriveRunId(TRACE, hex(2))
    expect(store.runs.has(taken)).toBe(false)
    expect(store.runs.get(own)).toMatchObject({ parentRunId: TRACE })
    expect(orderOf(store, 3)).toMatchObject({ parentRunId: own })
    // A resend finds the same run.
    store.write([aSpan(2, 1)])
    expect(store.runs.size).toBe(3)
  })

  it('stays the same when a batch is sent again', () => {
    const spans = [aSpan(1, undefined), aSpan(2, 1), aSpan(3, 9), aSpan(4, 3)]
    const store = write([spans])
    const before = store.print()
    for (const span of spans) store.write([span])
    store.write(spans)
    expect(store.print()).toEqual(before)
  })

  it('is a run of an SDK when the span id is the start of that run id, in any order', () => {
    const run = { id: 'aaaaaaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee', parentRunId: TRACE, dottedOrder: '' }
    const store = new Store()
    store.runs.set(TRACE, { id: TRACE, parentRunId: null, dottedOrder: `20261101T120000000000Z${TRACE}` })
    const dottedOrder = `20261101T120000000000Z${TRACE}.20261101T120001000000Z${run.id}`
    store.runs.set(run.id, { ...run, dottedOrder })
    store.write([aSpan(0xaa, 1, 2, { spanId: 'aaaaaaaabbbb7ccc' })])
    expect(store.runs.size).toBe(2)
    store.write([aSpan(7, 1, 3, { parentSpanId: 'aaaaaaaabbbb7ccc' })])
    expect(orderOf(store, 7)).toMatchObject({ parentRunId: run.id, dottedOrder: expect.stringContaining(run.id) })
  })

  it('has a bounded length in a chain of 5,000 spans, and spans in a circle have one too', () => {
    const chain = Array.from({ length: 5_000 }, (_, number) => aSpan(number + 1, number === 0 ? undefined : number, 0))
    const lengths = [...write([chain]).runs.values()].map(({ dottedOrder }) => dottedOrder.split('.').length)
    expect(lengths).toHaveLength(5_000)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(102)
    const circle = write([[aSpan(1, 3), aSpan(2, 1), aSpan(3, 2), aSpan(4, 4)]])
    expect(circle.runs.size).toBe(4)
  })

  it('stays as it is when another span without a parent comes, whatever its start', () => {
    const store = write([[aSpan(5, undefined, 5), aSpan(6, 5)], [aSpan(4, 9)]])
    const before = new Map(store.runs)
    store.write([aSpan(1, undefined, 1), aSpan(2, 1), aSpan(7, 5)])
    for (const [id, run] of before) expect(store.runs.get(id)).toMatchObject(run)
    expect(store.runs.size).toBe(6)
    expect(store.runs.get(TRACE)).toMatchObject({ parentRunId: null, dottedOrder: expect.stringContaining('120005') })
    expect(orderOf(store, 1)).toMatchObject({ parentRunId: TRACE })
    expect(orderOf(store, 2)).toMatchObject({ parentRunId: padSpanId(hex(1)) })
    expect(orderOf(store, 7)).toMatchObject({ parentRunId: TRACE })
    // Clients find both by the ids of their spans.
    expect(store.aliases.get(padSpanId(hex(5)))).toBe(TRACE)
    expect(orderOf(store, 1)?.id).toBe(padSpanId(hex(1)))
  })

  it('is below the root for a span without a parent that is not the earliest of its batch', () => {
    const store = write([[aSpan(5, undefined, 5), aSpan(6, 5), aSpan(1, undefined, 1)]])
    expect(store.runs.get(TRACE)).toMatchObject({ dottedOrder: expect.stringContaining('120001') })
    expect(orderOf(store, 5)).toMatchObject({ parentRunId: TRACE })
    expect(orderOf(store, 6)).toMatchObject({ parentRunId: padSpanId(hex(5)) })
  })

  it('is the root for a span whose attributes set its run id, whatever starts before', () => {
    const store = write([[aSpan(5, undefined, 5, { runId: TRACE })], [aSpan(1, undefined, 1)], [aSpan(2, 5)]])
    expect(store.runs.get(TRACE)).toMatchObject({ dottedOrder: expect.stringContaining('120005') })
    expect(orderOf(store, 1)).toMatchObject({ parentRunId: TRACE })
    expect(orderOf(store, 2)).toMatchObject({ parentRunId: TRACE })
  })

  it('is the same when a block is written again after a crash before its aliases', () => {
    const blocks = [[aSpan(5, undefined, 5), aSpan(6, 5)], [aSpan(2, 1)], [aSpan(1, undefined, 1, { runId: TRACE })]]
    const store = write(blocks.slice(0, 2))
    const before = new Map(store.aliases)
    store.write(blocks[2]!)
    const expected = [store.print(), [...store.aliases].sort()]
    store.aliases.clear()
    for (const [id, runId] of before) store.aliases.set(id, runId)
    store.write(blocks[2]!)
    expect([store.print(), [...store.aliases].sort()]).toEqual(expected)
  })
})

/** The state of a run in the table of `placement.ts`, as its parent and its path show it. */
function readState({ runs, placeholder }: Store, id: string): string {
  const run = runs.get(id)
  if (run === undefined) return placeholder?.id === id ? 'placeholder' : 'missing'
  if (run.parentRunId === null) return 'root'
  const segments = run.dottedOrder.split('.')
  const above = parseDottedOrder(run.dottedOrder)?.ids.at(-2)
  if (above !== run.parentRunId) return above === '00000000-0000-0000-0000-000000000000' ? 'parentless' : 'waiting'
  const parent = runs.get(run.parentRunId)
  if (parent === undefined) return 'pinned'
  return segments.slice(0, -1).join('.') === parent.dottedOrder ? 'child' : 'deep'
}

/** Spans below each other, the first below a span that is not one of them. */
const aChain = (first: number, parent: number, length: number) =>
  Array.from({ length }, (_, at) => aSpan(first + at, at === 0 ? parent : first + at - 1, 7))

describe('a run', () => {
  const OF_ROOT = { parentSpanId: OTEL_TRACE.slice(0, 16), isRoot: false }
  it.each([
    ['a placeholder becomes the root', TRACE, [aSpan(2, 1)], [aSpan(1, undefined)], 'placeholder', 'root'],
    ['a waiting run a child', padSpanId(hex(3)), [aSpan(1, undefined), aSpan(3, 2)], [aSpan(2, 1)], 'waiting', 'child'],
    [
      'the root parentless',
      padSpanId(hex(5)),
      [aSpan(5, undefined)],
      [aSpan(1, undefined, 1, { runId: TRACE })],
      'missing',
      'parentless',
    ],
    [
      'a child deep',
      padSpanId(hex(197)),
      [aSpan(1, undefined), ...aChain(100, 9, 98)],
      [aSpan(8, 1), aSpan(9, 8)],
      'child',
      'deep',
    ],
    [
      'a deep run a child',
      padSpanId(hex(198)),
      [aSpan(100, undefined, 7, OF_ROOT), ...aChain(101, 100, 98)],
      [aSpan(1, undefined)],
      'deep',
      'child',
    ],
  ])('of a trace: %s', (_, id, first, second, before, after) => {
    const store = write([first])
    expect(readState(store, id)).toBe(before)
    store.write(second)
    expect(readState(store, id)).toBe(after)
  })

  it('of a trace: a pinned one becomes a child when its parent comes', () => {
    const store = write([[aSpan(1, undefined)]])
    const id = 'aaaaaaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee'
    const parentRunId = padSpanId(hex(2))
    const dottedOrder = `20261101T120000000000Z${TRACE}.20261101T120001000000Z${parentRunId}.20261101T120002000000Z${id}`
    store.runs.set(id, { id, parentRunId, dottedOrder })
    store.write([aSpan(3, 1)])
    expect([readState(store, id), store.runs.get(id)?.dottedOrder]).toEqual(['pinned', dottedOrder])
    store.write([aSpan(2, 1)])
    expect(readState(store, id)).toBe('child')
  })
})

describe('1,000 random orders of arrival', () => {
  it('give the same tree at the end, which depends only on the span without a parent that was the root first', () => {
    const random = createRandom(17)
    let withLaterRoots = 0
    for (let round = 0; round < 1_000; round++) {
      const spans = inventTrace(random)
      const isTaken = random() < 0.2 ? (id: string) => id.endsWith('1') : undefined
      const batches = split(shuffle(spans, random), random)
      const roots = batches.map((batch) => batch.filter(({ place }) => place.isRoot)).filter(({ length }) => length > 0)
      const [root] = roots[0]?.toSorted(byStart) ?? []
      const expected = write(root === undefined ? [spans] : [[root], spans], isTaken).print()
      expect(write(batches, isTaken).print()).toEqual(expected)
      if (roots.length > 1) withLaterRoots++
    }
    expect(withLaterRoots).toBeGreaterThan(300)
  })
})

const byStart = (a: NewSpan, b: NewSpan) => (a.startTime + a.place.spanId < b.startTime + b.place.spanId ? -1 : 1)

/** 2 to 30 spans, up to six of them without a parent; some parents never arrive, and clocks differ. */
function inventTrace(random: () => number): NewSpan[] {
  const count = 2 + Math.floor(random() * 29)
  const missing = random() < 0.3 ? 1 + Math.floor(random() * (count - 1)) : -1
  const roots = random() < 0.5 ? 1 : 2 + Math.floor(random() * 5)
  return Array.from({ length: count }, (_, index) => {
    const parent = index < roots ? undefined : 1 + Math.floor(random() * index)
    const ofTrace =
      roots === 1 && parent !== undefined && random() < 0.1 ? { parentSpanId: OTEL_TRACE.slice(0, 16) } : {}
    return aSpan(index + 1, parent, Math.floor(random() * 60), ofTrace)
  }).filter((_, index) => index !== missing)
}

function shuffle<Item>(items: readonly Item[], random: () => number): Item[] {
  const rest = [...items]
  return items.flatMap(() => rest.splice(Math.floor(random() * rest.length), 1))
}

function split<Item>(items: readonly Item[], random: () => number): Item[][] {
  const batches: Item[][] = [[]]
  for (const item of items) {
    if (random() < 0.4) batches.push([])
    batches.at(-1)?.push(item)
  }
  return batches
}
