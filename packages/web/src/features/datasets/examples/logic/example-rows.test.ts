import { describe, expect, it } from 'vitest'
import { getPages, isExampleId, toExampleRows } from './example-rows.ts'

const anExample = (id: string) => ({ id, dataset_id: 'd', inputs: {}, created_at: '' })

describe('rows of a list that is loaded in pages', () => {
  it('have examples where their page is loaded', () => {
    const rows = toExampleRows(5, new Map([[1, [anExample('c'), anExample('d')]]]), 2)
    expect(rows.map(({ id, index }) => `${index} ${id}`)).toEqual(['0 #0', '1 #1', '2 c', '3 d', '4 #4'])
    expect(rows.filter(({ id }) => isExampleId(id))).toHaveLength(2)
  })

  it('end with the list, even if a page has more', () => {
    expect(toExampleRows(1, new Map([[0, [anExample('a'), anExample('b')]]]), 2)).toHaveLength(1)
  })

  it('are the same objects while they are not loaded', () => {
    expect(toExampleRows(3, new Map(), 50)[2]).toBe(toExampleRows(10, new Map(), 50)[2])
  })

  it('are the same objects while other pages load, unless they move', () => {
    const page = [anExample('a'), anExample('b')]
    const [first, second] = [toExampleRows(4, new Map([[0, page]]), 2), toExampleRows(4, new Map([[0, page]]), 2)]
    expect(second[1]).toBe(first[1])
    expect(toExampleRows(4, new Map([[1, page]]), 2)[3]).toEqual({ id: 'b', index: 3, example: page[1] })
  })

  it.each([
    [0, 0, [0]],
    [0, 50, [0]],
    [49, 51, [0, 1]],
    [99_990, 100_000, [1_999]],
  ])('from %i to %i are on the pages %j', (from, to, pages) => {
    expect(getPages(from, to, 50)).toEqual(pages)
  })
})
