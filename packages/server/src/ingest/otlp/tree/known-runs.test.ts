import { describe, expect, it } from 'vitest'
import { isPaddedSpanId, padSpanId } from '../../../storage/analytics/run-aliases.ts'
import { createRandom } from '../../../testing/invent-runs.ts'
import { parseDottedOrder } from '../../run-path.ts'
import { type FoundRun, readKnownRuns, type WantedRuns } from './known-runs.ts'
import { placeTrace } from './place-trace.ts'
import { type SpanPlace, toSpanIdOfRun, toTraceUuid } from './span-ids.ts'
import type { KnownRun, NewSpan } from './trace-facts.ts'

const OTEL_TRACE = '0af7651916cd43dd8448eb211c80319c'
const TRACE = toTraceUuid(OTEL_TRACE)

const hex = (number: number) => number.toString(16).padStart(16, '0')
const at = (milliseconds: number) => `2026-11-01T12:${new Date(milliseconds).toISOString().slice(14, 23)}000Z`

function aSpan(number: number, parent: number | undefined, start = number, more: Partial<SpanPlace> = {}): NewSpan {
  const parentSpanId = parent === undefined ? undefined : hex(parent)
  const place = { otelTraceId: OTEL_TRACE, spanId: hex(number), parentSpanId, isRoot: parent === undefined, ...more }
  return { place, startTime: at(start) }
}

/** The rows of a trace with its placeholder, read whole or only as far as a block needs. */
class Store {
  readonly runs = new Map<string, KnownRun>()
  readonly aliases = new Map<string, string>()
  /** Runs by the missing parent that they wait, or waited, for. */
  private readonly waiting = new Map<string, Set<string>>()
  private isPlaceholder = false
  /** Rows that were read for the last block. */
  read = 0

  async write(spans: readonly NewSpan[], how: 'whole' | 'parts'): Promise<void> {
    this.read = 0
    const root = this.runs.get(TRACE)
    const place = (known: ReadonlyMap<string, KnownRun>, placeholder: KnownRun | undefined) =>
      placeTrace({
        traceId: TRACE,
        spans,
        known: new Map([...known].filter(([id]) => !(this.isPlaceholder && id === TRACE))),
        placeholder,
        isTaken: () => false,
        aliases: this.aliases,
        logged: new Set(),
      })
    const isKnown = how === 'whole' || root === undefined
    const trace = {
      traceId: TRACE,
      places: spans.map((span) => span.place),
      ownIds: [],
      root: root!,
      isPlaceholder: this.isPlaceholder,
      isWhole: false,
      aliases: this.aliases,
      reportsTokens: () => false,
      hasTokens: () => false,
      place,
    }
    const { runs, whole } = isKnown
      ? { runs: new Map([[TRACE, this.runs]]), whole: new Set([TRACE]) }
      : await readKnownRuns(async (wanted) => wanted.flatMap((one) => this.find(one)), [trace])
    const placed = place(runs.get(TRACE)!, this.isPlaceholder && !whole.has(TRACE) ? root : undefined)
    this.isPlaceholder = placed.placeholder !== undefined
    if (placed.renamed !== undefined) this.runs.delete(placed.renamed.from)
    for (const run of [
      ...placed.spans.values(),
      ...placed.moved,
      ...(placed.placeholder ? [placed.placeholder] : []),
    ]) {
      this.keep(run)
    }
    for (const [id, runId] of placed.aliases) this.aliases.set(id, runId)
  }

  keep({ id, parentRunId, dottedOrder }: KnownRun): void {
    this.runs.set(id, { id, parentRunId, dottedOrder })
    const above = parseDottedOrder(dottedOrder)?.ids.at(-2)
    if (above === undefined || above === parentRunId || parentRunId !== TRACE) return
    this.waiting.set(above, (this.waiting.get(above) ?? new Set()).add(id))
  }

  private find({ isWhole, ids, parentIds = [], spanIds = [] }: WantedRuns): FoundRun<KnownRun>[] {
    const waiting = parentIds.flatMap((id) => [...(this.waiting.get(id) ?? [])])
    const isNear = ({ id, parentRunId }: KnownRun) =>
      parentIds.includes(parentRunId ?? '') || (!isPaddedSpanId(id) && spanIds.includes(toSpanIdOfRun(id)))
    const near = [...this.runs.values()].filter(isNear).map(({ id }) => id)
    const found = new Set(isWhole ? this.runs.keys() : [...ids, ...waiting, ...near])
    const runs = [...found].flatMap((id) => this.runs.get(id) ?? [])
    this.read += runs.length
    return runs.map((run) => ({ ...run, traceId: TRACE }))
  }

  print(): string[] {
    return [...this.runs.values()].map((run) => `${run.id} < ${run.parentRunId} ${run.dottedOrder}`).sort()
  }
}

async function expectSame(blocks: readonly (readonly NewSpan[])[]): Promise<Store> {
  const [whole, parts] = [new Store(), new Store()]
  for (const block of blocks) {
    await whole.write(block, 'whole')
    await parts.write(block, 'parts')
    expect(parts.print()).toEqual(whole.print())
  }
  expect([...parts.aliases].sort()).toEqual([...whole.aliases].sort())
  return parts
}

describe('the stored runs that a block of spans needs', () => {
  it('place it as all stored runs do, in 400 random orders and blocks', async () => {
    const random = createRandom(29)
    for (let round = 0; round < 400; round++) {
      const spans = inventTrace(random)
      const again = spans.filter(() => random() < 0.1)
      await expectSame(split(shuffle([...spans, ...again], random), random))
    }
  })

  it('place a chain deeper than paths are long, from above, from below and at random', async () => {
    const random = createRandom(31)
    // Some start with their parents, so that their paths look like those of deep runs.
    const chain = Array.from({ length: 240 }, (_, at) => aSpan(at + 1, at === 0 ? undefined : at, at >> 1))
    await expectSame(chunks(chain, 20))
    await expectSame(chunks(chain.toReversed(), 20))
    await expectSame(chunks(shuffle(chain, random), 20))
  })

  it('are as many for the last block as for the first, of a trace whose root comes first or never', async () => {
    const steps = Array.from({ length: 4_000 }, (_, at) => aSpan(at + 2, at % 4 === 0 ? 1 : at - (at % 4) + 2, at + 2))
    for (const spans of [[aSpan(1, undefined), ...steps], steps]) {
      const store = new Store()
      const read: number[] = []
      for (const block of chunks(spans, 100)) {
        await store.write(block, 'parts')
        read.push(store.read)
      }
      expect(store.runs.size).toBe(4_001)
      expect(Math.max(...read.slice(1))).toBeLessThan(10)
    }
  })

  it.each([
    ['later', 1],
    ['earlier', -1],
  ])('are not all when each span has no parent and starts %s than those before', async (_, step) => {
    const store = new Store()
    const spans = Array.from({ length: 2_000 }, (_one, at) => aSpan(at + 1, undefined, 2_000 + step * at))
    for (const block of chunks(spans, 100)) await store.write(block, 'parts')
    expect(store.runs.size).toBe(2_000)
    expect(store.read).toBeLessThan(10)
  })

  it('contain those that wait for a span of the block, with all below them', async () => {
    const store = await expectSame([
      [aSpan(1, undefined), aSpan(3, 2), aSpan(4, 3), aSpan(5, 4)],
      [aSpan(2, 1), aSpan(6, 5)],
    ])
    expect(store.runs.get(padSpanId(hex(6)))?.dottedOrder.split('.')).toHaveLength(6)
  })

  it('contain a run of an SDK whose id begins with the id of a span or of its parent', async () => {
    const id = 'aaaaaaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee'
    const [whole, parts] = [new Store(), new Store()]
    for (const [store, how] of [
      [whole, 'whole'],
      [parts, 'parts'],
    ] as const) {
      await store.write([aSpan(1, undefined)], how)
      const dottedOrder = `${store.runs.get(TRACE)?.dottedOrder}.20261101T120001000000Z${id}`
      store.keep({ id, parentRunId: TRACE, dottedOrder })
      await store.write([aSpan(7, 0, 3, { parentSpanId: 'aaaaaaaabbbb7ccc' })], how)
      await store.write([aSpan(0, 1, 4, { spanId: 'aaaaaaaabbbb7ccc' })], how)
    }
    expect(parts.runs.size).toBe(3)
    expect(parts.print()).toEqual(whole.print())
  })
})

/** 2 to 30 spans, up to six of them without a parent; some parents never arrive, and clocks differ. */
function inventTrace(random: () => number): NewSpan[] {
  const count = 2 + Math.floor(random() * 29)
  const missing = random() < 0.4 ? Math.floor(random() * count) : -1
  const roots = random() < 0.5 ? 1 : 2 + Math.floor(random() * 5)
  const hasClocks = random() < 0.5
  return Array.from({ length: count }, (_, index) => {
    const parent = index < roots ? undefined : 1 + Math.floor(random() * index)
    const ofTrace =
      roots === 1 && parent !== undefined && random() < 0.1 ? { parentSpanId: OTEL_TRACE.slice(0, 16) } : {}
    return aSpan(index + 1, parent, hasClocks ? Math.floor(random() * 20) : index, ofTrace)
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

const chunks = <Item>(items: readonly Item[], size: number) =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
