// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { NothingMatches } from './nothing-matches.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

it('offers wider views once the runs of all are counted, so that no button moves under the pointer', async () => {
  const waiting: ((count: number) => void)[] = []
  fakeApi({
    'POST /runs/stats': () =>
      new Promise<Response>((done) => waiting.push((count) => done(json({ run_count: count })))),
  })
  const search = { scope: 'traces', t: '1h', sort: 'start_time.desc', live: 'off' } as const
  renderWithQueries(<NothingMatches projectId="p" search={search} waiting={0} onShow={() => {}} onChange={() => {}} />)
  await waitFor(() => expect(waiting).toHaveLength(3))
  const labels = () => screen.queryAllByRole('button').map((button) => button.textContent)
  waiting[0]!(5)
  waiting[1]!(0)
  // Pause: a button that appears too early would appear in this time.
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(labels()).toEqual([])
  waiting[2]!(70)
  await waitFor(() => expect(labels()).toHaveLength(2))
  expect(labels()).toEqual(['All runs, not only roots70', expect.stringMatching(/5$/)])
})
