import { describe, expect, it } from 'vitest'
import { intAt } from '#lib/columns.ts'
import { buildTrace } from '../model/build-trace.ts'
import { aLargeTraceTree, aTraceTree, type GivenRun } from '../model/testing.ts'
import { nameAt, type Trace } from '../model/trace.ts'
import { mergeTraces } from './merge-traces.ts'
import { countKinds, type Merged } from './merged.ts'

const MARKS = ['=', '~', '>', '+', '-']

/** A tree as a test writes it: `['root', ['plan'], ['search', ['embed']]]`. */
type Tree = [name: string, ...children: Tree[]]

function aTrace(tree: Tree, change: (run: GivenRun) => Partial<GivenRun> = () => ({})): Trace {
  const runs: GivenRun[] = []
  const add = ([name, ...children]: Tree, parent?: string) => {
    const id = `r${runs.length}`
    const run = {
      id,
      name,
      ...(parent === undefined ? {} : { parent }),
      at: [runs.length, runs.length + 1] as [number, number],
    }
    runs.push({ ...run, ...change(run) })
    for (const child of children) add(child, id)
  }
  add(tree)
  return buildTrace(aTraceTree(runs))
}

function drawn(a: Trace, b: Trace, merged = merge(a, b)): string[] {
  return Array.from(merged.kind, (kind, row) => {
    const name = merged.b[row] === -1 ? nameAt(a, intAt(merged.a, row)) : nameAt(b, intAt(merged.b, row))
    return `${'  '.repeat(intAt(merged.depth, row))}${MARKS[kind]} ${name}`
  })
}

const merge = (a: Trace, b: Trace): Merged => mergeTraces({ trace: a, root: 0 }, { trace: b, root: 0 })

describe('merging two traces', () => {
  it('marks added and removed runs at their positions', () => {
    const a = aTrace(['root', ['plan'], ['search', ['embed']], ['answer']])
    const b = aTrace(['root', ['plan'], ['lookup'], ['search', ['embed'], ['rank']]])

    expect(drawn(a, b)).toEqual([
      '= root',
      '  = plan',
      '  + lookup',
      '  = search',
      '    = embed',
      '    + rank',
      '  - answer',
    ])
  })

  it('finds the missing step of a loop by the contents of the other steps', () => {
    const a = aTrace(['root', ['step', ['one']], ['step', ['two']], ['step', ['three']]])
    const b = aTrace(['root', ['step', ['one']], ['step', ['three']]])

    expect(drawn(a, b)).toEqual(['= root', '  = step', '    = one', '  - step', '    - two', '  = step', '    = three'])
  })

  it('marks a moved sibling', () => {
    const a = aTrace(['root', ['check'], ['plan'], ['answer']])
    const b = aTrace(['root', ['plan'], ['answer'], ['check']])

    expect(drawn(a, b)).toEqual(['= root', '  = plan', '  = answer', '  > check'])
  })

  it('follows a subtree that was wrapped in another run', () => {
    const a = aTrace(['root', ['search', ['embed'], ['rank']]])
    const b = aTrace(['root', ['retry', ['search', ['embed'], ['rank']]]])

    expect(drawn(a, b)).toEqual(['= root', '  + retry', '    > search', '      = embed', '      = rank'])
  })

  it('counts a different result as a change, not a different duration', () => {
    const a = aTrace(['root', ['call'], ['slow']])
    const b = aTrace(['root', ['call'], ['slow']], ({ name }) =>
      name === 'call' ? { status: 'error', error_preview: '429' } : { at: [2, 5_000] },
    )

    expect(drawn(a, b)).toEqual(['= root', '  ~ call', '  = slow'])
  })

  it('pairs the two compared runs, also with different names', () => {
    const a = aTrace(['chain', ['old', ['call']]])
    const b = aTrace(['new', ['call']])
    const merged = mergeTraces({ trace: a, root: 1 }, { trace: b, root: 0 })

    expect(drawn(a, b, merged)).toEqual(['= new', '  = call'])
  })

  it.each(Array.from({ length: 60 }, (_, seed) => seed + 1))(
    'shows every run exactly once, in random traces %i',
    (seed) => {
      const random = randomOf(seed)
      const a = aRandomTrace(random)
      const b = seed % 3 === 0 ? aRandomTrace(random) : mutated(a, random)
      const merged = merge(a, b)

      const rowsOf = (column: Int32Array) => [...column].filter((row) => row !== -1).sort((x, y) => x - y)
      expect(rowsOf(merged.a)).toEqual(Array.from({ length: a.size }, (_, row) => row))
      expect(rowsOf(merged.b)).toEqual(Array.from({ length: b.size }, (_, row) => row))
      for (let row = 0; row < merged.size; row++) {
        const above = intAt(merged.parent, row)
        expect(merged.subtreeEnd[row]).toBeGreaterThan(row)
        if (above === -1) continue
        expect(above).toBeLessThan(row)
        expect(merged.subtreeEnd[above]).toBeGreaterThanOrEqual(intAt(merged.subtreeEnd, row))
        // What B has stands where B has it.
        if (merged.b[row] !== -1) expect(b.parent[intAt(merged.b, row)]).toBe(merged.b[above])
      }
    },
  )

  it.each([1, 2, 3, 4, 5])('aligns identical traces fully, random trace %i', (seed) => {
    const trace = aRandomTrace(randomOf(seed))

    expect(countKinds(merge(trace, trace))).toEqual({ same: trace.size, changed: 0, moved: 0, added: 0, removed: 0 })
  })

  it('aligns two traces of 5,000 runs in less than a second, alike or not, deep or flat', () => {
    const large = buildTrace(aLargeTraceTree(5_000))
    const flat = (words: number) =>
      aTrace(['root', ...Array.from({ length: 4_999 }, (_, i): Tree => [`step ${(i * 7_919) % words}`])])
    for (const [a, b] of [
      [large, buildTrace(aLargeTraceTree(4_800))],
      [flat(11), flat(13)],
      [flat(5_000), flat(4_000)],
    ] as const) {
      const before = performance.now()
      const merged = merge(a, b)
      console.log(`mergeTraces of ${a.size} and ${b.size} runs: ${(performance.now() - before).toFixed(0)} ms`)
      expect(merged.size).toBeGreaterThanOrEqual(a.size)
    }
  })
})

function aRandomTrace(random: () => number): Trace {
  const size = 2 + Math.floor(random() * 60)
  return buildTrace(
    aTraceTree(
      Array.from({ length: size }, (_, i) => ({
        id: `r${i}`,
        // Now and then a parent that is not there: an orphan at the top level.
        ...(i > 0 ? { parent: random() < 0.05 ? 'missing' : `r${Math.floor(random() * i)}` } : {}),
        name: 'abcd'[Math.floor(random() * 4)]!,
        at: [i, i + 1] as [number, number],
      })),
    ),
  )
}

/** The same trace with some runs gone, some new and some renamed. */
function mutated(trace: Trace, random: () => number): Trace {
  const runs: GivenRun[] = []
  for (let row = 0; row < trace.size; row++) {
    const above = intAt(trace.parent, row)
    const kept = runs.some(({ id }) => id === `r${above}`)
      ? { parent: `r${above}` }
      : above === -1
        ? {}
        : { parent: 'r0' }
    if (row > 0 && random() < 0.15) continue
    runs.push({ id: `r${row}`, ...kept, name: random() < 0.1 ? 'new' : nameAt(trace, row), at: [row, row + 1] })
    if (random() < 0.1) runs.push({ id: `x${row}`, parent: `r${row}`, name: 'extra', at: [row, row + 1] })
  }
  return buildTrace(aTraceTree(runs))
}

function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_769
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}
