// @vitest-environment happy-dom
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, cleanup, waitFor } from '@testing-library/react'
import type { AnnotationQueueWithDetails as Queue } from '@touchstone/sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { CorrectionDrafts } from './logic/correction-drafts.ts'
import { type ReviewPlace, writeCorrection } from './queries.ts'
import { type ReviewState, useReview } from './use-review.ts'

afterEach(async () => {
  cleanup()
  // Pause: lets pending promises settle.
  await new Promise((resolve) => setTimeout(resolve)) // leaving the page frees the open item
  vi.unstubAllGlobals()
})

const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const QUEUE = uuid(1)
const [FIRST, SECOND, THIRD, FOURTH] = [uuid(11), uuid(12), uuid(13), uuid(14)]
/** The second item belongs to another experiment than the others. */
const toItem = (id: string) => ({
  ...{ id, queue_id: QUEUE, item_type: 'RUN', run_id: id },
  project_id: id === SECOND ? uuid(4) : uuid(2),
})
const toRunOfOneExample = (id: string) => ({ id, reference_example_id: uuid(3) })

interface Answers {
  /** Two items of different experiments with the same example are then a pair. */
  queueType?: 'pairwise'
  /** Ids of the items that wait. */
  waiting?: () => string[]
  status?: () => Response | Promise<Response>
}

/** A review whose first item is open. */
async function open({ queueType, waiting = () => [FIRST, SECOND, THIRD], status = () => json({}) }: Answers = {}) {
  const queue = { id: QUEUE, name: 'Triage', rubric_items: [], queue_type: queueType } as unknown as Queue

  const calls = fakeApi({
    'GET /items': () => json({ items: waiting().map(toItem), next_cursor: null }),
    'POST /runs/query': () => json({ runs: queueType === 'pairwise' ? waiting().map(toRunOfOneExample) : [] }),
    'GET /feedback': () => json([]),
    'POST /feedback': () => json({}),
    'POST /status': status,
  })
  const drafts = new CorrectionDrafts<ReviewPlace>(writeCorrection)
  const seen: ReviewState[] = []
  function Page() {
    seen.push(useReview({ queue, authorId: null, itemId: undefined, drafts }))
    return null
  }
  const router = createRouter({ routeTree: createRootRoute({ component: Page }), history: createMemoryHistory() })
  renderWithQueries(<RouterProvider router={router as never} />)
  const getReview = () => {
    const review = seen.at(-1)
    if (review === undefined) throw new Error('The page was not rendered.')
    return review
  }
  await waitFor(() => {
    expect(getReview().row?.item.id).toBe(FIRST)
    expect(getReview().answers.records).toEqual([])
  })
  function type(text: string) {
    drafts.open(FIRST, '{}')
    drafts.type(FIRST, text)
  }
  return { calls, drafts, getReview, type }
}

describe('leaving an item with an open correction', () => {
  it.each(['finish', 'skip'] as const)('stores a valid one: %s', async (leave) => {
    const { calls, drafts, getReview, type } = await open()
    act(() => type('{"answer": "better"}'))
    expect(getReview().hasUnsaved).toBe(true)
    act(() => void getReview()[leave]())
    await waitFor(() => expect(getReview().row?.item.id).toBe(SECOND))
    await waitFor(() => expect(drafts.store.read().size).toBe(0))
    const stored = calls.filter(({ method, path }) => method === 'POST' && path.endsWith('/feedback'))
    expect(stored.map(({ body }) => body)).toMatchObject([{ key: 'correction', correction: { answer: 'better' } }])
    await waitFor(() => expect(getReview().hasUnsaved).toBe(false))
  })

  it.each(['finish', 'skip'] as const)('stays at an invalid one: %s', async (leave) => {
    const { calls, drafts, getReview, type } = await open()
    act(() => type('{"answer": '))
    act(() => void getReview()[leave]())
    expect(getReview().row?.item.id).toBe(FIRST)
    expect(drafts.store.read().get(FIRST)).toMatchObject({ text: '{"answer": ', refusals: 1 })
    expect(calls.some(({ path, method }) => method === 'POST' && path.endsWith('/feedback'))).toBe(false)
  })
})

describe('skipping items', () => {
  it('shows the items of the next page before the skipped ones', async () => {
    const pages = [[FIRST, SECOND, THIRD]]
    const { getReview } = await open({ waiting: () => pages.shift() ?? [FIRST, SECOND, THIRD, FOURTH] })
    act(() => getReview().skip())
    await waitFor(() => expect(getReview().session.waiting).toContain(FOURTH))
    for (const next of [THIRD, FOURTH, FIRST]) {
      act(() => getReview().skip())
      await waitFor(() => expect(getReview().row?.item.id).toBe(next))
    }
  })
})

describe('an item that another reviewer holds', () => {
  async function openTaken() {
    let refuse = () => {}
    const first = new Promise<Response>((resolve) => {
      refuse = () => resolve(json({ detail: 'taken' }, 409))
    })
    const answers = [first]
    const review = await open({ status: () => answers.shift() ?? json({}) })
    return { ...review, refuse: () => act(async () => refuse()) }
  }

  it('is passed while it is open', async () => {
    const { getReview, refuse } = await openTaken()
    await refuse()
    await waitFor(() => expect(getReview().row?.item.id).toBe(SECOND))
    expect([...getReview().session.lost]).toEqual([FIRST])
  })

  it('does not take the reviewer away from the item that they opened since', async () => {
    const { getReview, refuse } = await openTaken()
    act(() => void getReview().finish())
    await waitFor(() => expect(getReview().row?.item.id).toBe(SECOND))
    await refuse()
    await waitFor(() => expect([...getReview().session.lost]).toEqual([FIRST]))
    expect(getReview().row?.item.id).toBe(SECOND)
    expect(getReview().session.skips).toBe(0)
  })
})

describe('the pairs of a pairwise queue', () => {
  it('are not shown again while their second item is still being completed', async () => {
    let waiting = [FIRST, SECOND]
    let isFirstCompleted = () => {}
    const { calls, getReview } = await open({
      queueType: 'pairwise',
      waiting: () => waiting,
      status: () => new Promise((resolve) => (isFirstCompleted = () => resolve(json({})))),
    })
    expect(getReview().partner?.item.id).toBe(SECOND)
    act(() => getReview().answer('preference', { value: 'equal' }, false))
    waiting = [SECOND]
    const readsBefore = calls.filter(({ path }) => path.endsWith('/items')).length
    act(() => void getReview().finish())
    await waitFor(() => expect(calls.filter(({ path }) => path.endsWith('/items')).length).toBeGreaterThan(readsBefore))
    await waitFor(() => expect(getReview().waiting.isFetching).toBe(false))
    expect(getReview().session).toMatchObject({ at: undefined, waiting: [] })
    isFirstCompleted()
  })
})
