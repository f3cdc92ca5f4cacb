// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { fakeApi, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { aComparison } from '../testing/a-comparison.ts'
import { someCells } from '../testing/some-cells.ts'
import { OutcomesTable } from './outcomes-table.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

it('does not carry the switched direction of a metric over to the metric that is chosen in the summary', () => {
  fakeApi({})
  const change = vi.fn()
  const comparison = aComparison(someCells({ scores: { correct: [[1]], toxicity: [[0]] } }), {
    search: { layout: 'summary', diff: 'off', flip: true },
    change,
  })
  const metrics = comparison.cells.keys.map(({ key }) => ({ kind: 'score' as const, key }))
  renderWithQueries(<OutcomesTable comparison={comparison} colors={new Map()} metrics={metrics} />)
  fireEvent.click(screen.getByRole('button', { name: 'toxicity' }))
  expect(change.mock.calls).toStrictEqual([[{ metric: 'toxicity', flip: undefined }]])
})
