// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { aComparison } from '../testing/a-comparison.ts'
import { someCells } from '../testing/some-cells.ts'
import { ComparisonGrid, useGridItems } from './comparison-grid.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const EXAMPLES = 8
const scores = (score: number) => Array.from({ length: EXAMPLES }, () => score)
const cells = someCells({ scores: { correct: [scores(1), scores(0)] } })

function TestGrid({ comparison }: { comparison: ReturnType<typeof aComparison> }) {
  const items = useGridItems(comparison)
  const [active, setActive] = useState(0)
  return (
    <>
      <button type="button" onClick={() => setActive(active + 1)}>
        Next
      </button>
      <ComparisonGrid
        comparison={comparison}
        items={items}
        activeId={items[active]?.id}
        activeExperiment={0}
        selectedIds={NO_IDS}
        onSelect={undefined}
        onCell={() => {}}
        onExample={() => {}}
        gridRef={null}
        initialOffset={undefined}
        onScroll={() => {}}
      />
    </>
  )
}

const NO_IDS = new Set<string>()

/** In the columns of inputs and references: their texts were not found. */
const LOADED = /Could not load/

describe('the grid of a comparison', () => {
  it('renders the cell that was active and the one that is, when the focus moves', async () => {
    fakeApi({ 'POST /runs/query': () => json({ runs: [], cursors: {} }) })
    const comparison = aComparison(cells)
    const { search } = comparison
    let reads = 0
    // Each cell reads how differences are shown, once per rendering.
    Object.defineProperty(comparison, 'search', {
      get() {
        reads++
        return search
      },
    })
    renderWithQueries(<TestGrid comparison={comparison} />)
    const activeCells = () => document.querySelectorAll('[data-active-cell]')
    await waitFor(() => expect(activeCells()).toHaveLength(1))
    const first = activeCells()[0]
    expect(document.querySelectorAll('[data-experiment]').length).toBeGreaterThanOrEqual(2 * EXAMPLES)

    await waitFor(() => expect(screen.getAllByText(LOADED)).toHaveLength(2 * EXAMPLES))
    reads = 0
    await userEvent.click(screen.getByRole('button', { name: 'Next' }))
    await waitFor(() => expect(activeCells()[0]).not.toBe(first))
    expect(activeCells()).toHaveLength(1)
    // The grid itself reads it a few times.
    expect(reads).toBeLessThanOrEqual(2 + 4)
  })
})
