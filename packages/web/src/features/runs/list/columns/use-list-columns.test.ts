// @vitest-environment happy-dom
import { renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { RunsSearch } from '#lib/page-search.ts'
import { useListColumns } from './use-list-columns.ts'

it('keeps the columns of a list while its width changes and the same columns fit', () => {
  const search = { peek: 'run' } as RunsSearch
  const { result, rerender } = renderHook(({ width }) => useListColumns(search, [], width), {
    initialProps: { width: 2_000 },
  })
  const before = result.current
  rerender({ width: 1_990 })
  expect(result.current.columns).toBe(before.columns)
  expect(result.current.maxWidth).toBe(1_942)
  rerender({ width: 300 })
  expect(result.current.columns.ids).toEqual(['name', 'output', 'latency'])
})
