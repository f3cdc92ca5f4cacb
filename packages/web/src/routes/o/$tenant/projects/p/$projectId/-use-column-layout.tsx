import type { Run } from '@touchstone/sdk'
import { useMemo, useState } from 'react'
import { createPreference, isNumbersByName, isStringList } from '#lib/preferences.ts'
import type { Column } from '#ui/grid-columns.tsx'
import { usePreference } from '#ui/hooks.tsx'

const widthsPreference = createPreference<Readonly<Record<string, number>>>('run-column-widths', {}, isNumbersByName)
/** Columns pinned at the left beside the name, which is always pinned. */
export const pinnedColumnsPreference = createPreference<readonly string[]>('run-columns-pinned', [], isStringList)

/** Applies the column widths and pins of this browser; pinned columns come first. */
export function useColumnLayout(columns: readonly Column<Run>[]): readonly Column<Run>[] {
  const [widths, setWidths] = usePreference(widthsPreference)
  const [pinned] = usePreference(pinnedColumnsPreference)
  const [dragged, setDragged] = useState<{ id: string; width: number }>()
  return useMemo(() => {
    const arranged = columns.map((column): Column<Run> => {
      if (column.id === 'select') return column
      const width = dragged?.id === column.id ? dragged.width : widths[column.id]
      return {
        ...column,
        ...(width !== undefined && { width: `${width}px` }),
        isPinned: column.id === 'name' || pinned.includes(column.id),
        onResize: (next, isDone) => {
          setDragged(isDone || next === undefined ? undefined : { id: column.id, width: next })
          if (!isDone) return
          const { [column.id]: _, ...others } = widths
          setWidths(next === undefined ? others : { ...others, [column.id]: next })
        },
      }
    })
    return arranged.sort((one, other) => Number(other.isPinned) - Number(one.isPinned))
  }, [columns, widths, pinned, dragged, setWidths])
}

/** Pins or unpins a column. */
export function togglePinnedColumn(id: string): void {
  const pinned = pinnedColumnsPreference.read()
  pinnedColumnsPreference.write(pinned.includes(id) ? pinned.filter((one) => one !== id) : [...pinned, id])
}
