import { describe, expect, it } from 'vitest'
import { sortTree } from './sort-tree.ts'

const order = (...runs: [id: string, parent?: string][]) =>
  sortTree(runs.map(([id, parent_run_id]) => ({ id, parent_run_id })))
    .map(({ id }) => id)
    .join(' ')

describe('the order of a run tree', () => {
  it('is depth first, with siblings as given', () => {
    expect(order(['early', 'root'], ['root'], ['late', 'root'], ['inner', 'early'])).toBe('root early inner late')
  })

  it('has every run once: orphans after the tree, rings at the end', () => {
    expect(order(['lost', 'missing'], ['below', 'lost'], ['root'])).toBe('root lost below')
    expect(order(['a', 'b'], ['b', 'a'], ['self', 'self'], ['root'])).toBe('root a b self')
  })

  it('survives 100,000 levels', () => {
    const deep = Array.from({ length: 100_000 }, (_, at): [string, string?] =>
      at === 0 ? ['r0'] : [`r${at}`, `r${at - 1}`],
    )
    expect(order(...deep.toReversed()).startsWith('r0 r1 r2')).toBe(true)
  })
})
