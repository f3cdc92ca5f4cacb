// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { ShortcutProvider } from '#ui/shortcuts.tsx'
import { isSwapped } from './pair-votes.ts'
import type { PairRow } from './pairwise.ts'
import { VoteView } from './vote-view.tsx'

vi.mock('@tanstack/react-router', () => ({ Link: () => null }))

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const uuid = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
const [COMPARISON, DATASET, A, B] = [uuid(1), uuid(2), uuid(3), uuid(4)] as const
const row = (at: number): PairRow => ({
  exampleId: uuid(100 + at),
  runA: uuid(200 + at),
  runB: uuid(300 + at),
  verdicts: new Map(),
  records: [],
})

function open(answerToVote: () => Response) {
  const rows = [row(0), row(1)]
  const examples = rows.map(({ exampleId, runA, runB }) => ({
    id: exampleId,
    inputs: { question: `Question of ${exampleId}` },
    outputs: null,
    runs: [
      { id: runA, outputs: { answer: 'the answer of A' }, feedbacks: [] },
      { id: runB, outputs: { answer: 'the answer of B' }, feedbacks: [] },
    ],
  }))
  const calls = fakeApi({
    [`POST /datasets/${DATASET}/runs`]: () => json(examples),
    'POST /feedback': answerToVote,
  })
  renderWithQueries(
    <ShortcutProvider>
      <VoteView
        view={{ datasetId: DATASET, comparisonId: COMPARISON, a: A, b: B }}
        texts={{ datasetId: DATASET, experimentIds: [A, B], comparativeExperimentId: COMPARISON }}
        rows={rows}
        sides={{ names: { a: 'Alpha', b: 'Beta' }, colors: { a: 'series-blue', b: 'series-orange' } }}
        feedbackKey="helpful"
        readerId="reader"
        onClose={() => undefined}
      />
    </ShortcutProvider>,
  )
  return { rows, votes: () => calls.filter(({ path }) => path.endsWith('/feedback')).map(({ body }) => body) }
}

describe('blind votes', () => {
  it('hide the names, and store the preferred side as judges do', async () => {
    const { rows, votes } = open(() => json({}))
    await screen.findByText('the answer of A')
    expect(document.body.textContent).not.toMatch(/Alpha|Beta/)
    const leftText = screen.getByRole('region', { name: 'Left' }).textContent
    const swapped = isSwapped('reader', COMPARISON, rows[0]?.exampleId ?? '')
    expect(leftText).toContain(swapped ? 'the answer of B' : 'the answer of A')
    await userEvent.keyboard('1')
    await screen.findByText(/Pair 2 of 2/)
    expect(votes()).toEqual([
      expect.objectContaining({ run_id: rows[0]?.runA, key: 'helpful', score: swapped ? 0 : 1, session_id: A }),
      expect.objectContaining({
        run_id: rows[0]?.runB,
        score: swapped ? 1 : 0,
        comparative_experiment_id: COMPARISON,
        feedback_source: expect.objectContaining({ type: 'app' }),
      }),
    ])
    await screen.findByText('Question of 00000000-0000-4000-8000-000000000101')
    await userEvent.keyboard('3')
    await screen.findByText('You voted on 2 pairs')
    screen.getByText('A: Alpha')
  })

  it('offers votes again that could not be saved', async () => {
    open(() => json({ detail: 'no' }, 403))
    await screen.findByText('the answer of A')
    await userEvent.keyboard('1')
    await userEvent.keyboard('{Escape}')
    await screen.findByText('1 vote was not saved.')
    await userEvent.click(screen.getByRole('button', { name: 'Vote on them again' }))
    await screen.findByText(/Pair 1 of 1/)
  })
})
