// @vitest-environment happy-dom
import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { useRunSelection } from './use-runs.tsx'

afterEach(cleanup)

const memory = { note: () => {} }
const renderSelection = (ids: readonly string[]) =>
  renderHook(({ ids }) => useRunSelection(ids, 'view', undefined, memory), { initialProps: { ids } })

it('keeps what rows are drawn with while a page of runs arrives, so that no row renders again', () => {
  const { result, rerender } = renderSelection(['a', 'b'])
  const before = result.current
  rerender({ ids: ['a', 'b', 'c'] })
  expect(result.current).toEqual(before)
})

it('selects the runs that have arrived, too', () => {
  const { result, rerender } = renderSelection(['a', 'b'])
  const { selectAll, selectRange, toggle } = result.current
  rerender({ ids: ['a', 'b', 'c'] })
  act(() => selectAll())
  expect([...result.current.selectedIds]).toEqual(['a', 'b', 'c'])
  act(() => toggle('a'))
  act(() => toggle('b'))
  act(() => selectRange('c'))
  expect(result.current.selectedIds.has('c')).toBe(true)
})
