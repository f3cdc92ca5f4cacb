import type { Run } from '@touchstone/sdk'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { createPreference, isNumbersByName, isStringList } from '#lib/preferences.ts'
import { type Column, getMinWidth } from '#ui/grid-columns.tsx'
import { usePreference } from '#ui/hooks.tsx'
import { fitWidths, getWidthLimit } from './fit-columns.ts'

const widthsPreference = createPreference<Readonly<Record<string, number>>>('run-column-widths', {}, isNumbersByName)
/** Columns pinned at the left beside the name, which is always pinned. */
export const pinnedColumnsPreference = createPreference<readonly string[]>('run-columns-pinned', [], isStringList)

/**
 * Applies the column widths and pins of this browser; pinned columns come first.
 *
 * The result keeps its identity while `maxWidth` changes and the same widths fit, so that rows do not render again.
 *
 * @param maxWidth  for all columns except the boxes, in px; chosen widths that do not fit into it are ignored, and new
 *   ones are limited to the space that is left
 */
export function useColumnLayout(columns: readonly Column<Run>[], maxWidth = Number.POSITIVE_INFINITY) {
  const [widths, setWidths] = usePreference(widthsPreference)
  const [pinned] = usePreference(pinnedColumnsPreference)
  const [dragged, setDragged] = useState<{ id: string; width: number }>()
  const [lastId, setLastId] = useState<string>()
  const minWidths = useMemo(() => toMinWidths(columns), [columns])
  const fitting = fitWidths(minWidths, widths, maxWidth, lastId)
  const limits = useRef({ fitting, maxWidth })
  useLayoutEffect(() => {
    limits.current = { fitting, maxWidth }
  })
  const fittingIds = [...fitting.keys()].join()
  return useMemo((): readonly Column<Run>[] => {
    const chosenIds = fittingIds.split(',')
    function resize(id: string, requested: number | undefined, isDone: boolean) {
      const limit = getWidthLimit(id, minWidths, limits.current.fitting, limits.current.maxWidth)
      const width = requested === undefined ? undefined : Math.min(requested, limit)
      setDragged(isDone || width === undefined ? undefined : { id, width })
      if (!isDone) return
      setLastId(id)
      const { [id]: _, ...others } = widths
      setWidths(width === undefined ? others : { ...others, [id]: width })
    }
    const arranged = columns.map((column): Column<Run> => {
      const { id } = column
      if (id === 'select') return column
      const saved = chosenIds.includes(id) ? widths[id] : undefined
      const width = dragged?.id === id ? dragged.width : saved
      return {
        ...column,
        ...(width !== undefined && { width: `${width}px` }),
        isPinned: id === 'name' || pinned.includes(id),
        onResize: (next, isDone) => resize(id, next, isDone),
      }
    })
    return arranged.sort((one, other) => Number(other.isPinned) - Number(one.isPinned))
  }, [columns, minWidths, widths, fittingIds, pinned, dragged, setWidths])
}

/** Minimum widths in px by id, without the boxes. */
function toMinWidths(columns: readonly Column<Run>[]): ReadonlyMap<string, number> {
  return new Map(columns.filter(({ id }) => id !== 'select').map(({ id, width }) => [id, getMinWidth(width)]))
}

/** Pins or unpins a column. */
export function togglePinnedColumn(id: string): void {
  const pinned = pinnedColumnsPreference.read()
  pinnedColumnsPreference.write(pinned.includes(id) ? pinned.filter((one) => one !== id) : [...pinned, id])
}
