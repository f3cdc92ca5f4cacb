// @vitest-environment happy-dom
import { act, cleanup, renderHook } from '@testing-library/react'
import type { Run } from '@touchstone/sdk'
import { afterEach, describe, expect, it } from 'vitest'
import type { Column } from '#ui/grid-columns.tsx'
import { useColumnLayout } from './use-column-layout.tsx'

const COLUMNS: readonly Column<Run>[] = [
  { id: 'select', header: '', width: '32px', cell: () => null },
  { id: 'name', header: 'Name', width: 'minmax(120px, 1fr)', cell: () => null },
  { id: 'output', header: 'Output', width: 'minmax(100px, 2fr)', cell: () => null },
  { id: 'latency', header: 'Latency', width: '80px', cell: () => null },
]

function showLayout(initialMaxWidth?: number) {
  const { result, rerender } = renderHook(({ maxWidth }) => useColumnLayout(COLUMNS, maxWidth), {
    initialProps: { maxWidth: initialMaxWidth },
  })
  return {
    result,
    setMaxWidth: (maxWidth: number | undefined) => rerender({ maxWidth }),
    getWidths: () => result.current.map(({ width }) => width),
    resize: (id: string, width: number | undefined, isDone = true) =>
      act(() => result.current.find((column) => column.id === id)?.onResize?.(width, isDone)),
  }
}

afterEach(() => {
  const { resize } = showLayout()
  for (const { id } of COLUMNS) resize(id, undefined)
  cleanup()
})

describe('a column that is resized beside a preview', () => {
  it('keeps its width after release, up to the space that is left', () => {
    const { resize, getWidths } = showLayout(400)
    resize('name', 150)
    resize('output', 500, false)
    expect(getWidths()).toEqual(['32px', '150px', '170px', '80px'])
    resize('output', 500)
    expect(getWidths()).toEqual(['32px', '150px', '170px', '80px'])
  })

  it('keeps its width where the saved widths of others do not fit', () => {
    const { resize, setMaxWidth, getWidths } = showLayout()
    resize('name', 600)
    setMaxWidth(400)
    expect(getWidths()).toEqual(['32px', 'minmax(120px, 1fr)', 'minmax(100px, 2fr)', '80px'])
    resize('output', 180)
    expect(getWidths()).toEqual(['32px', 'minmax(120px, 1fr)', '180px', '80px'])
  })
})

describe('the layout of columns', () => {
  it('has no limit without a preview', () => {
    const { resize, getWidths } = showLayout()
    resize('output', 900)
    expect(getWidths()).toEqual(['32px', 'minmax(120px, 1fr)', '900px', '80px'])
  })

  it('keeps its identity while the width of the list changes and the same widths fit', () => {
    const { result, resize, setMaxWidth } = showLayout(500)
    resize('name', 200)
    const before = result.current
    setMaxWidth(480)
    expect(result.current).toBe(before)
    setMaxWidth(340)
    expect(result.current).not.toBe(before)
  })
})
