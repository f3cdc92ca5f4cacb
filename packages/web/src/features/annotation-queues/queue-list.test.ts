import type { AnnotationQueue, AnnotationQueueProgress } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import {
  describeReservation,
  describeReviewers,
  getActivity,
  isBlindReviewer,
  reduceSelection,
  selectQueues,
  toShares,
} from './queue-list.ts'

const row = (name: string, mine?: number, reviewedAt: string | null = null) => ({
  queue: { name, description: `about ${name}`, updated_at: '2026-01-01' } as AnnotationQueue,
  progress:
    mine === undefined
      ? undefined
      : ({ needs_my_review: mine, last_reviewed_time: reviewedAt } as AnnotationQueueProgress),
  dataset: undefined,
})
const names = (rows: readonly ReturnType<typeof row>[], text = '') =>
  selectQueues(rows, text).map((one) => one.queue.name)

describe('the list of queues', () => {
  it('puts queues that wait for the caller first, then the latest activity, then names', () => {
    const rows = [
      row('b'),
      row('a'),
      row('recent', 0, '2026-02-02'),
      row('waiting', 3),
      row('waiting too', 1, '2026-03-03'),
    ]
    expect(names(rows)).toEqual(['waiting too', 'waiting', 'recent', 'a', 'b'])
  })

  it('searches names and descriptions without regard to case', () => {
    expect(names([row('Triage'), row('Golden')], ' ABOUT tri')).toEqual(['Triage'])
  })

  it('has the last review as activity, else the last change', () => {
    expect(getActivity(row('a', 0, '2026-02-02'))).toBe('2026-02-02')
    expect(getActivity(row('a'))).toBe('2026-01-01')
  })

  it('divides the bar by sections', () => {
    expect(toShares({ needs_my_review: 1, needs_others_review: 1, completed: 2 })).toEqual({
      total: 4,
      mine: 0.25,
      others: 0.25,
      done: 0.5,
    })
    expect(toShares({ needs_my_review: 0, needs_others_review: 0, completed: 0 }).done).toBe(0)
  })

  it.each([
    [{ num_reviewers_per_item: 1, reviewer_access_mode: 'any' }, '1, anyone'],
    [{ num_reviewers_per_item: 2, reviewer_access_mode: 'assigned' }, '2, assigned'],
    [{ num_reviewers_per_item: null, reviewer_access_mode: 'any' }, 'everyone'],
    [{ num_reviewers_per_item: null, reviewer_access_mode: 'assigned' }, 'all assigned'],
  ] as const)('describe who reviews: %o', (queue, words) => {
    expect(describeReviewers(queue as unknown as AnnotationQueue)).toBe(words)
  })

  it('describes how long an item is reserved', () => {
    expect(describeReservation({ enable_reservations: true, reservation_minutes: 60 } as AnnotationQueue)).toBe(
      '60 min',
    )
    expect(describeReservation({ enable_reservations: false } as AnnotationQueue)).toBeUndefined()
  })

  it('selects items one by one and clears them together', () => {
    const one = reduceSelection(new Set(), { kind: 'toggle', id: 'a' })
    expect([...reduceSelection(one, { kind: 'toggle', id: 'b' })]).toEqual(['a', 'b'])
    expect([...reduceSelection(one, { kind: 'toggle', id: 'a' })]).toEqual([])
    expect([...reduceSelection(one, { kind: 'clear' })]).toEqual([])
  })

  it.each([
    ['a person', { kind: 'person', id: 'ann', role: 'member' }, true, true],
    ['a person who is not assigned', { kind: 'person', id: 'bob', role: 'admin' }, true, false],
    ['a viewer', { kind: 'person', id: 'ann', role: 'viewer' }, false, false],
    ['a key', { kind: 'key', id: 'bot', role: 'member' }, false, false],
    ['a caller of an open server', { kind: 'local', id: null, role: 'admin' }, false, false],
  ] as const)('hides the scores of others from %s who reviews it', (_, me, ofAny, ofAssigned) => {
    const assigned = [{ id: 'ann', name: 'Ann', email: null }]
    const queue = { hide_others_scores: true, assigned_reviewers: assigned }
    expect(isBlindReviewer({ ...queue, reviewer_access_mode: 'any' }, me)).toBe(ofAny)
    expect(isBlindReviewer({ ...queue, reviewer_access_mode: 'assigned' }, me)).toBe(ofAssigned)
    expect(isBlindReviewer({ ...queue, hide_others_scores: false, reviewer_access_mode: 'any' }, me)).toBe(false)
  })
})
