// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { clearToasts, Toasts, toast } from './toast.tsx'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  act(clearToasts)
  cleanup()
  vi.useRealTimers()
})

describe('toasts', () => {
  it('announce a success and disappear after four seconds', () => {
    render(<Toasts />)
    act(() => toast.done('Saved'))
    expect(screen.getByRole('status').textContent).toContain('Saved')
    act(() => vi.advanceTimersByTime(3_999))
    expect(screen.queryByRole('status')).not.toBeNull()
    act(() => vi.advanceTimersByTime(1))
    expect(screen.queryByRole('status')).toBeNull()
  })

  it.each([
    ['pointer', fireEvent.pointerEnter, fireEvent.pointerLeave],
    ['focus', fireEvent.focusIn, fireEvent.focusOut],
  ])('do not disappear while the %s is on them', (_, enter, leave) => {
    render(<Toasts />)
    act(() => toast.done('Saved'))
    const list = screen.getByRole('region', { name: 'Notifications' })
    enter(list)
    act(() => vi.advanceTimersByTime(60_000))
    expect(screen.queryByRole('status')).not.toBeNull()
    leave(list)
    act(() => vi.advanceTimersByTime(4_000))
    expect(screen.queryByRole('status')).toBeNull()
  })

  it('are taken back when a failure is found later, so that both are never shown', () => {
    render(<Toasts />)
    const said: { takeBack?: () => void } = {}
    act(() => {
      said.takeBack = toast.done('Deleted', { label: 'Undo', run: () => undefined })
    })
    act(() => {
      said.takeBack?.()
      toast.failure('Could not delete')
    })
    expect(screen.queryByText('Deleted')).toBeNull()
    screen.getByText('Could not delete')
    act(clearToasts)
  })

  it('do not disappear when they come while the pointer is on the others', () => {
    render(<Toasts />)
    act(() => toast.done('Deleted', { label: 'Undo', run: () => undefined }))
    const list = screen.getByRole('region', { name: 'Notifications' })
    fireEvent.pointerEnter(list)
    act(() => toast.done('Saved'))
    act(() => vi.advanceTimersByTime(60_000))
    expect(screen.getAllByRole('status')).toHaveLength(2)
    fireEvent.pointerLeave(list)
    act(() => vi.advanceTimersByTime(5_000))
    expect(screen.queryByRole('status')).toBeNull()
  })

  it('do not disappear while the focus is on them and the pointer has left', () => {
    render(<Toasts />)
    act(() => toast.done('Saved'))
    const list = screen.getByRole('region', { name: 'Notifications' })
    fireEvent.pointerEnter(list)
    fireEvent.focusIn(list)
    fireEvent.pointerLeave(list)
    act(() => vi.advanceTimersByTime(60_000))
    expect(screen.queryByRole('status')).not.toBeNull()
    fireEvent.focusOut(list)
    act(() => vi.advanceTimersByTime(4_000))
    expect(screen.queryByRole('status')).toBeNull()
  })

  it('do not stay when the dismissed one had the focus', () => {
    render(<Toasts />)
    act(() => {
      toast.done('a')
      toast.done('b')
    })
    fireEvent.focusIn(screen.getByRole('region', { name: 'Notifications' }))
    act(() => screen.getAllByRole('button', { name: 'Dismiss' })[0]?.click())
    act(() => vi.advanceTimersByTime(4_000))
    expect(screen.queryByRole('status')).toBeNull()
  })

  it('keep a failure with its cause until it is dismissed, once', () => {
    render(<Toasts />)
    act(() => {
      toast.failure('Could not save', new Error('The disk is full.'))
      toast.failure('Could not save')
      vi.advanceTimersByTime(60_000)
    })
    expect(screen.getAllByRole('alert')).toHaveLength(1)
    expect(screen.getByRole('alert').textContent).toContain('The disk is full.')
    act(() => screen.getByRole('button', { name: 'Dismiss' }).click())
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('run an action and disappear', () => {
    render(<Toasts />)
    const undo = vi.fn()
    act(() => toast.done('Deleted', { label: 'Undo', run: undo }))
    act(() => screen.getByRole('button', { name: 'Undo' }).click())
    expect(undo).toHaveBeenCalledOnce()
    expect(screen.queryByRole('status')).toBeNull()
  })

  it('show the last four', () => {
    render(<Toasts />)
    act(() => {
      for (const name of ['a', 'b', 'c', 'd', 'e']) toast.done(name)
    })
    expect(screen.getAllByRole('status').map((item) => item.textContent)).toEqual(['b', 'c', 'd', 'e'])
  })
})
