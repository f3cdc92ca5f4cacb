import { describe, expect, it } from 'vitest'
import { stackValues } from './plot.ts'

const line = (values: (number | null)[], isDashed = false) => ({ values, isDashed })

describe('stacking', () => {
  it('adds layers up, and keeps a gap where there is nothing at all', () => {
    expect(stackValues([line([1, null, null]), line([2, null, 4])], true)).toEqual([
      [1, null, null],
      [3, null, 4],
    ])
  })

  it('leaves dashed lines, and lines that are no parts of a whole, as they are', () => {
    expect(stackValues([line([1]), line([9], true), line([2])], true)).toEqual([[1], [9], [3]])
    expect(stackValues([line([1]), line([2])], false)).toEqual([[1], [2]])
  })
})
