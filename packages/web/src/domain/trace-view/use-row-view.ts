import { useMemo, useReducer } from 'react'
import { intAt } from '#lib/trace-model/columns.ts'
import { filterRuns, type Matches, type RunFilter } from '#lib/trace-model/filter-runs.ts'
import { idAt, type Trace } from '#lib/trace-model/trace.ts'
import { listVisibleRows, type RowView } from '#lib/trace-model/visible-rows.ts'
import { ALL_OPEN, listParentIds, reduceFolding, toRowView } from './row-folding.ts'

export interface RowState {
  rows: Int32Array
  view: RowView
  matches: Matches | undefined
  folding: boolean
  setFolding: (isOn: boolean) => void
  collapse: (row: number) => void
  expand: (row: number) => void
  expandAll: (row: number) => void
  toggleFold: (fold: number) => void
}

/** The rows that are shown, after folding and filtering. */
export function useRowView(trace: Trace, selected: number | undefined, filter: RunFilter): RowState {
  const [folding, dispatch] = useReducer(reduceFolding, ALL_OPEN)
  const { text, rowsWithText, types, minimumShare } = filter
  const matches = useMemo(
    () => filterRuns(trace, { text, rowsWithText, types, minimumShare }),
    [trace, text, rowsWithText, types, minimumShare],
  )
  const view = useMemo(() => toRowView(trace, folding, matches, selected), [trace, folding, matches, selected])
  const rows = useMemo(() => listVisibleRows(trace, view), [trace, view])
  return {
    rows,
    view,
    matches,
    folding: folding.isOn,
    setFolding: (isOn) => dispatch({ type: 'setFolding', isOn }),
    collapse: (row) => dispatch({ type: 'collapse', id: idAt(trace, row) }),
    expand: (row) => dispatch({ type: 'expand', ids: [idAt(trace, row)] }),
    expandAll: (row) => dispatch({ type: 'expand', ids: listParentIds(trace, row) }),
    toggleFold: (fold) =>
      dispatch({
        type: 'setFold',
        id: idAt(trace, intAt(trace.folds.first, fold)),
        isOpen: !view.openFolds.has(fold),
      }),
  }
}
