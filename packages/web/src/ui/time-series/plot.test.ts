import { describe, expect, it } from 'vitest'
import { stackValues } from './plot.ts'

const line = (values: (number | null)[], isReference = false) => ({ values, isReference })

describe('stacking', () => {
  it('adds layers and keeps a gap where no layer has a value', () => {
    expect(stackValues([line([1, null, null]), line([2, null, 4])], true)).toEqual([
      [1, null, null],
      [3, null, 4],
    ])
  })

  it('does not stack references and line charts', () => {
    expect(stackValues([line([1]), line([9], true), line([2])], true)).toEqual([[1], [9], [3]])
    expect(stackValues([line([1]), line([2])], false)).toEqual([[1], [2]])
  })
})
