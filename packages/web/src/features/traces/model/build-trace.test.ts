import { describe, expect, it } from 'vitest'
import { bigintAt, intAt } from '#lib/columns.ts'
import { buildTrace } from './build-trace.ts'
import { aLargeTraceTree, aTraceTree } from './testing.ts'
import { durationAt, formatPicodollars, IN_RING, idAt, ORPHAN, SKEWED, type Trace } from './trace.ts'

const order = (trace: Trace) => Array.from({ length: trace.size }, (_, row) => idAt(trace, row))

describe('building a trace', () => {
  it('puts parents before children and siblings by start', () => {
    const trace = buildTrace(
      aTraceTree([
        { id: 'root', at: [0, 10] },
        { id: 'late', parent: 'root', at: [5, 9] },
        { id: 'early', parent: 'root', at: [1, 4] },
        { id: 'inner', parent: 'early', at: [2, 3] },
      ]),
    )

    expect(order(trace)).toEqual(['root', 'early', 'inner', 'late'])
    expect([...trace.depth]).toEqual([0, 1, 2, 1])
    expect([...trace.parent]).toEqual([-1, 0, 1, 0])
    expect([...trace.subtreeEnd]).toEqual([4, 3, 3, 4])
  })

  it('keeps microseconds exact', () => {
    const trace = buildTrace(
      aTraceTree([
        { id: 'root', at: [0.001, 10.123] },
        { id: 'child', parent: 'root', at: [0.002, 0.003] },
      ]),
    )

    expect([...trace.start]).toEqual([0, 1])
    expect([...trace.end]).toEqual([10_122, 2])
    expect(trace.startMicros % 1_000_000n).toBe(1n)
  })

  it('shows a run whose parent is missing at the top level', () => {
    const trace = buildTrace(
      aTraceTree([{ id: 'root' }, { id: 'lost', parent: 'missing' }, { id: 'below', parent: 'lost' }]),
    )

    expect(order(trace)).toEqual(['root', 'lost', 'below'])
    expect([...trace.depth]).toEqual([0, 0, 1])
    expect([...trace.flags]).toEqual([0, ORPHAN, 0])
    expect(trace.orphans).toBe(1)
  })

  it('cuts a ring of parents and keeps all of its runs', () => {
    const trace = buildTrace(
      aTraceTree([
        { id: 'root' },
        { id: 'a', parent: 'b', at: [1, 2] },
        { id: 'b', parent: 'a', at: [2, 3] },
        { id: 'self', parent: 'self', at: [3, 4] },
      ]),
    )

    expect(order(trace)).toEqual(['root', 'a', 'b', 'self'])
    expect([...trace.flags]).toEqual([0, IN_RING, 0, IN_RING])
  })

  it('notes clocks that disagree', () => {
    const trace = buildTrace(
      aTraceTree([
        { id: 'root', at: [100, 200] },
        { id: 'before', parent: 'root', at: [50, 150] },
        { id: 'backwards', parent: 'root', at: [120, 110] },
      ]),
    )

    expect(trace.skewed).toBe(2)
    expect(intAt(trace.flags, 1) & SKEWED).toBe(SKEWED)
    expect(durationAt(trace, order(trace).indexOf('backwards'))).toBe(0)
  })

  it('handles an empty trace and 20,000 levels', () => {
    expect(buildTrace(aTraceTree([])).size).toBe(0)
    const deep = Array.from({ length: 20_000 }, (_, i) => ({ id: `r${i}`, ...(i > 0 ? { parent: `r${i - 1}` } : {}) }))
    expect(buildTrace(aTraceTree(deep)).depth[19_999]).toBe(19_999)
  })

  it('gives a run the time in which none of its children was running', () => {
    const trace = buildTrace(
      aTraceTree([
        { id: 'root', at: [0, 100] },
        { id: 'a', parent: 'root', at: [10, 40] },
        { id: 'b', parent: 'root', at: [30, 60] },
        { id: 'outlives', parent: 'root', at: [90, 130] },
        { id: 'running', parent: 'b', at: [40] },
      ]),
    )

    expect(trace.selfTime[0]).toBe(40_000)
    expect(trace.selfTime[order(trace).indexOf('b')]).toBe(10_000)
    expect(trace.selfTime[order(trace).indexOf('running')]).toBeNaN()
    expect(trace.pending).toBe(1)
  })

  it('sums tokens and costs up the tree to the last digit', () => {
    const trace = buildTrace(
      aTraceTree([
        { id: 'root' },
        { id: 'a', parent: 'root', prompt_tokens: 10, completion_tokens: 1, total_cost: '0.1' },
        { id: 'b', parent: 'root', prompt_tokens: 20, completion_tokens: 2, total_cost: '0.2' },
        { id: 'c', parent: 'root', prompt_tokens: 5, completion_tokens: 0, total_cost: '3.5e-8' },
      ]),
    )

    expect(formatPicodollars(bigintAt(trace.subtreeCost, 0))).toBe('0.300000035')
    expect(trace.subtreePromptTokens[0]).toBe(35)
    expect(trace.subtreeCompletionTokens[0]).toBe(3)
    expect(trace.subtreeUnpriced[0]).toBe(0)
  })

  it('counts a wrapper that repeats the usage of the call below it once', () => {
    const usage = {
      run_type: 'llm' as const,
      prompt_tokens: 10,
      completion_tokens: 1,
      total_tokens: 11,
      total_cost: '0.1',
    }
    const trace = buildTrace(
      aTraceTree([
        { id: 'root' },
        { id: 'wrapper', parent: 'root', ...usage },
        { id: 'call', parent: 'wrapper', ...usage },
      ]),
    )

    expect(trace.subtreePromptTokens[0]).toBe(10)
    expect(formatPicodollars(bigintAt(trace.subtreeCost, 0))).toBe('0.1')
  })

  it('sums what was reported of the costs', () => {
    const trace = buildTrace(
      aTraceTree([
        { id: 'root' },
        { id: 'a', parent: 'root', total_cost: '0.1' },
        { id: 'b', parent: 'root', total_cost: '0.2', reported_cost: '0.2' },
      ]),
    )

    expect([0, 1, 2].map((row) => formatPicodollars(bigintAt(trace.subtreeReported, row)))).toEqual(['0.2', '0', '0.2'])
  })

  it('counts the calls whose fees no cost contains', () => {
    const trace = buildTrace(
      aTraceTree([
        { id: 'root' },
        { id: 'a', parent: 'root', total_cost: '0.1', unpriced_fees: 1 },
        { id: 'b', parent: 'root', total_cost: '0.2' },
      ]),
    )

    expect([...trace.subtreeFees]).toEqual([1, 1, 0])
  })

  it('counts the runs without a price instead of treating them as free', () => {
    const trace = buildTrace(
      aTraceTree([{ id: 'root' }, { id: 'a', parent: 'root', prompt_tokens: 10, total_cost: null }]),
    )

    expect(trace.subtreeUnpriced[0]).toBe(1)
  })

  it('folds five or more adjacent siblings of one name and type', () => {
    const tools = Array.from({ length: 6 }, (_, i) => ({
      id: `t${i}`,
      parent: 'root',
      name: 'search',
      run_type: 'tool' as const,
      at: [i, i + 0.5] as [number, number],
      status: i === 2 ? ('error' as const) : ('success' as const),
    }))
    const trace = buildTrace(
      aTraceTree([{ id: 'root', at: [0, 9] }, ...tools, { id: 'inner', parent: 't1', at: [1, 1.2] }]),
    )

    expect([...trace.folds.count]).toEqual([6])
    expect(trace.folds.first[0]).toBe(1)
    expect(trace.folds.end[0]).toBe(8)
    expect(trace.folds.sum[0]).toBe(3_000)
    expect(trace.folds.max[0]).toBe(500)
    expect(trace.folds.errors[0]).toBe(1)
    expect(trace.folds.byRow[order(trace).indexOf('inner')]).toBe(-1)
  })

  it('builds 50,000 runs in well under a second', () => {
    const tree = aLargeTraceTree(50_000)
    buildTrace(aLargeTraceTree(2_000))
    const before = performance.now()
    const trace = buildTrace(tree)
    console.log(`buildTrace of 50,000 runs: ${(performance.now() - before).toFixed(0)} ms`)

    expect(trace.size).toBe(50_000)
    expect(trace.subtreeEnd[0]).toBe(50_000)
  })
})
