import type { Run } from '@touchstone/sdk'
import { useMemo } from 'react'
import type { RunsSearch } from '#lib/page-search.ts'
import { getMinWidth } from '#ui/grid-columns.tsx'
import { getColumnWidth, toColumnIds } from '../runs-columns.tsx'
import { fitColumns } from './fit-columns.ts'

/** The columns of a list with their tracks. */
export interface ListColumns {
  ids: readonly string[]
  widths: ReadonlyMap<string, string>
  /** Columns of the view that have no place beside the others. */
  hiddenIds: readonly string[]
}

/** Space for the column of checkboxes and a scrollbar, in px. */
const RESERVED_PX = 32 + 16

/**
 * The columns that a list shows. The default columns, and those beside a preview, are as many as fit; columns that a
 * user chose are all shown, and the list scrolls.
 *
 * @param width  of the list in px; 0 before it is known
 * @returns the columns, and the width for them in px; no width if the list may scroll horizontally
 */
export function useListColumns(
  search: RunsSearch,
  runs: readonly Run[],
  width: number,
): { columns: ListColumns; maxWidth: number | undefined } {
  const key = toColumnIds(search.cols, runs).join()
  const tracks = useMemo(() => key.split(',').map((id) => getColumnWidth(id, runs)), [key, runs])
  const widthsKey = tracks.join(';')
  const hasToFit = width > 0 && (search.cols === undefined || search.peek !== undefined)
  const available = hasToFit ? width - RESERVED_PX : undefined
  const maxWidth = search.peek === undefined ? undefined : available
  const all = useMemo(() => {
    const ids = key.split(',')
    const widths = widthsKey.split(';')
    return { ids, widths: new Map(ids.map((id, at) => [id, widths[at] ?? ''])) }
  }, [key, widthsKey])
  const shownKey =
    available === undefined ? key : fitColumns(all.ids, (id) => getMinWidth(all.widths.get(id) ?? ''), available).join()
  // Keeps its identity while the width changes and the same columns fit, so that rows do not render again.
  const columns = useMemo(() => {
    const ids = shownKey.split(',')
    return { ids, widths: all.widths, hiddenIds: all.ids.filter((id) => !ids.includes(id)) }
  }, [all, shownKey])
  return { columns, maxWidth }
}
