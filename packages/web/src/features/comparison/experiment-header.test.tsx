// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { ExperimentHeader } from './experiment-header.tsx'
import { aComparison } from './testing/a-comparison.ts'
import { someCells } from './testing/some-cells.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const uuid = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
const some = someCells({
  scores: {
    correct: [
      [1, 0],
      [0, 0],
    ],
  },
})
const experiments = some.experiments.map((experiment, at) => ({ ...experiment, id: uuid(at) }))
const cells = { ...some, experiments }
const view = { datasetId: uuid(9), experimentIds: [uuid(0), uuid(1)] }

describe('the header of an experiment', () => {
  it('has a verdict of the server against the baseline', async () => {
    const calls = fakeApi({ 'POST /experiments/statistics': () => json({ results: [], omitted_keys: [] }) })
    renderWithQueries(<ExperimentHeader comparison={aComparison(cells, { view })} experiment={1} />)
    await screen.findByText('No example was scored in both experiments.')
    expect(calls).toHaveLength(1)
  })

  it('reads the verdict behind a share link through the link, because its readers may have no account', async () => {
    const calls = fakeApi({ 'POST /experiments/statistics': () => json({ results: [], omitted_keys: [] }) })
    const shared = aComparison(cells, { view: { ...view, share: 'token' } })
    renderWithQueries(<ExperimentHeader comparison={shared} experiment={1} />)
    await screen.findByText('No example was scored in both experiments.')
    expect(calls.map(({ path }) => path)).toEqual(['/api/v1/public/token/datasets/experiments/statistics'])
  })
})
