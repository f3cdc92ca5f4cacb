import { describe, expect, it } from 'vitest'
import { buildTrace } from './build-trace.ts'
import { aLargeTraceTree, aTraceTree } from './testing.ts'
import { findRow, nameAt, type Trace } from './trace.ts'
import { CONTEXT, filterRuns, listVisibleRows, MATCH, type RowView, revealRow, stepPosition } from './visible-rows.ts'

const OPEN: RowView = { collapsed: new Set(), openFolds: new Set(), folding: true }

function aTrace(): Trace {
  const pages = Array.from({ length: 5 }, (_, i) => ({
    id: `p${i}`,
    parent: 'crawl',
    name: 'page',
    at: [10 + i, 11 + i] as [number, number],
  }))
  return buildTrace(
    aTraceTree([
      { id: 'root', at: [0, 100] },
      { id: 'plan', parent: 'root', at: [1, 5], run_type: 'llm', model: 'model-a' },
      { id: 'crawl', parent: 'root', at: [6, 50] },
      ...pages,
      { id: 'boom', parent: 'p3', at: [13, 14], status: 'error', error_preview: 'TimeoutError: slow', tags: ['retry'] },
    ]),
  )
}

const shown = (trace: Trace, view: RowView) =>
  [...listVisibleRows(trace, view)].map((row) => (row < 0 ? `fold ${~row}` : nameAt(trace, row)))

describe('the visible rows of a trace', () => {
  it('replace the runs of a closed fold', () => {
    expect(shown(aTrace(), OPEN)).toEqual(['root', 'plan', 'crawl', 'fold 0'])
  })

  it('keep the heading of an open fold above its runs', () => {
    expect(shown(aTrace(), { ...OPEN, openFolds: new Set([0]) })).toEqual([
      ...['root', 'plan', 'crawl', 'fold 0'],
      ...['page', 'page', 'page', 'page', 'boom', 'page'],
    ])
  })

  it('leave out the descendants of a collapsed run', () => {
    expect(shown(aTrace(), { ...OPEN, collapsed: new Set([2]) })).toEqual(['root', 'plan', 'crawl'])
    expect(shown(aTrace(), { ...OPEN, collapsed: new Set([0]) })).toEqual(['root'])
  })

  it('keep the ancestors of matching runs', () => {
    const trace = aTrace()
    const matches = filterRuns(trace, { text: 'timeout' })!
    expect(shown(trace, { ...OPEN, matches })).toEqual(['root', 'crawl', 'page', 'boom'])
    expect(matches.matched).toBe(1)
    expect(matches.state[0]).toBe(CONTEXT)
    expect(matches.state[findRow(trace, 'boom') ?? -1]).toBe(MATCH)
  })

  it.each([
    [{ text: 'PLAN' }, ['root', 'plan']],
    [{ text: 'model-a' }, ['root', 'plan']],
    [{ text: 'retry' }, ['root', 'crawl', 'page', 'boom']],
    [{ types: ['llm'] }, ['root', 'plan']],
    [{ minimumShare: 0.1 }, ['root', 'crawl']],
    [{ text: 'nothing like it' }, []],
  ])('of the filter %o are %o', (filter, rows) => {
    const trace = aTrace()
    expect(shown(trace, { ...OPEN, matches: filterRuns(trace, filter) })).toEqual(rows)
  })

  it('without a filter are all of them', () => {
    expect(filterRuns(aTrace(), { text: '  ', types: [] })).toBeUndefined()
  })

  it('are found in milliseconds in a trace of 50,000 runs', () => {
    const trace = buildTrace(aLargeTraceTree(50_000))
    const before = performance.now()
    const rows = listVisibleRows(trace, { ...OPEN, folding: false })
    const between = performance.now()
    const matches = filterRuns(trace, { text: 'boom' })!
    console.log(
      `visibleRows of 50,000: ${(between - before).toFixed(1)} ms, filterRuns: ${(performance.now() - between).toFixed(1)} ms`,
    )
    expect(rows.length).toBe(50_000)
    expect(matches.matched).toBe(50)
  })
})

describe('walking a trace', () => {
  it('reveals a run inside a fold and under a collapsed parent', () => {
    const trace = aTrace()
    const boom = findRow(trace, 'boom') ?? -1
    const view = { ...OPEN, collapsed: new Set([0, 2]) }
    expect(shown(trace, { ...view, ...revealRow(trace, boom, view) })).toContain('boom')
  })

  it('stays within the list', () => {
    const rows = listVisibleRows(aTrace(), OPEN)
    expect(stepPosition(rows, 3, 1)).toBe(3)
    expect(stepPosition(rows, 0, -1)).toBe(0)
    expect(stepPosition(rows, 1, 1)).toBe(2)
  })
})
