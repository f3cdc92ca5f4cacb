// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { comparisonQuery } from '#data/comparison.ts'
import { useRefreshOnClose } from './score-popover.tsx'

afterEach(cleanup)

function open() {
  const queryClient = new QueryClient()
  const refresh = vi.spyOn(queryClient, 'invalidateQueries')
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
  )
  const { result, unmount } = renderHook(() => useRefreshOnClose('dataset'), { wrapper })
  return { note: result.current, close: unmount, refresh }
}

describe('the comparison below a popover of scores', () => {
  it('is read again when the popover closes after a correction', () => {
    const { note, close, refresh } = open()
    note()
    expect(refresh).not.toHaveBeenCalled()
    close()
    expect(refresh.mock.calls).toEqual([[{ queryKey: comparisonQuery.ofDataset('dataset') }]])
  })

  it('is read again when a correction is stored after the popover was closed', () => {
    const { note, close, refresh } = open()
    close()
    expect(refresh).not.toHaveBeenCalled()
    note()
    expect(refresh).toHaveBeenCalledOnce()
  })

  it('stays as it is when nothing was corrected', () => {
    const { close, refresh } = open()
    close()
    expect(refresh).not.toHaveBeenCalled()
  })
})
