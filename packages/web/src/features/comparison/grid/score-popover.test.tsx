// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { comparisonQuery } from '../queries.ts'
import { ScorePopover } from './score-popover.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const DATASET = '00000000-0000-4000-8000-000000000001'
const RUN = '00000000-0000-4000-8000-000000000002'

/** A score of an evaluator, of which a correction is sent. @param until  the server stores it after that */
async function correctScore(until: Promise<void> = Promise.resolve()) {
  let record: object = {
    id: '00000000-0000-4000-8000-000000000003',
    run_id: RUN,
    key: 'correctness',
    score: 0,
    comment: 'It misses the reference.',
    feedback_source: { type: 'model' },
  }
  fakeApi({
    'GET /feedback': () => json([record]),
    'GET /feedback-configs': () => json([]),
    'POST /runs/query': () => json({ runs: [], cursors: {} }),
    'GET /me': () => json({ kind: 'local', id: null, role: 'admin' }),
    'PATCH /feedback/00000000-0000-4000-8000-000000000003': async ({ body }) => {
      await until
      record = { ...record, ...(body as object) }
      return json(record)
    },
  })
  const { queryClient } = renderWithQueries(
    <ScorePopover
      datasetId={DATASET}
      runIds={[RUN]}
      feedbackKey="correctness"
      trigger={<button type="button">0.00</button>}
    />,
  )
  const key = [...comparisonQuery.ofDataset(DATASET), 'cells']
  queryClient.setQueryData(key, {})
  await userEvent.click(screen.getByRole('button', { name: '0.00' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Correct correctness' }))
  const score = await screen.findByLabelText('Score')
  await userEvent.clear(score)
  await userEvent.type(score, '1')
  await userEvent.click(screen.getByRole('button', { name: 'Correct' }))
  return { isStale: () => queryClient.getQueryState(key)?.isInvalidated }
}

describe('the records behind a score', () => {
  it('stay open after a correction, which may remove their row from a filtered list', async () => {
    const { isStale } = await correctScore()
    await screen.findByText('Corrected')
    expect(isStale()).toBe(false)
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByText('Corrected')).toBeNull())
    expect(isStale()).toBe(true)
  })

  it('refresh the comparison when a correction is stored after they were closed', async () => {
    let store = () => {}
    const { isStale } = await correctScore(new Promise((resolve) => (store = resolve)))
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByText('It misses the reference.')).toBeNull())
    expect(isStale()).toBe(false)
    store()
    await waitFor(() => expect(isStale()).toBe(true))
  })
})
