// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { CompareNotices } from './compare-notices.tsx'
import { aComparison } from './testing/a-comparison.ts'
import { someCells } from './testing/some-cells.ts'

afterEach(cleanup)

const cells = someCells({ scores: { correct: [[1], [0]] } })

function read(changes: Partial<typeof cells>, omitted = 0) {
  render(<CompareNotices comparison={aComparison({ ...cells, ...changes })} omitted={omitted} />)
  return screen.queryAllByRole('status').map(({ textContent }) => textContent)
}

describe('the notices of a comparison', () => {
  it('are absent when it shows everything', () => {
    expect(read({})).toEqual([])
  })

  it('name the feedback keys that are left out, and why', () => {
    expect(read({ omittedKeys: ['tone'] })).toEqual([
      'One feedback key is not shown, because these experiments have too many keys or scores for one page: tone',
    ])
  })

  it('name ten of many keys', () => {
    const omittedKeys = Array.from({ length: 1200 }, (_, at) => `key ${at}`)
    const [notice] = read({ omittedKeys })
    expect(notice).toContain('1,200 feedback keys are not shown')
    expect(notice).toContain('key 0, key 1, ')
    expect(notice).toMatch(/key 9 and 1,190 more$/)
  })

  it('are beside those about experiments', () => {
    expect(read({ omittedKeys: ['tone'], missingIds: ['gone'] }, 2)).toHaveLength(3)
  })
})
