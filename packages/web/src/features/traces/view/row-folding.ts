import { useMemo, useReducer } from 'react'
import { intAt } from '#lib/columns.ts'
import { findRow, idAt, type Trace } from '../model/trace.ts'
import {
  filterRuns,
  listParentsBelow,
  listVisibleRows,
  type Matches,
  type RowView,
  type RunFilter,
  revealRow,
} from '../model/visible-rows.ts'

/** Which runs and folds are open. Kept by run id, so that it stays valid while a live trace grows. */
export interface Folding {
  readonly collapsedIds: ReadonlySet<string>
  /** Ids of the first runs of open folds. */
  readonly openFoldIds: ReadonlySet<string>
  /** Whether similar siblings fold at all. */
  readonly isOn: boolean
}

export type FoldingAction =
  | { type: 'collapse'; id: string }
  | { type: 'expand'; ids: readonly string[] }
  | { type: 'setFold'; id: string; isOpen: boolean }
  | { type: 'setFolding'; isOn: boolean }

export const ALL_OPEN: Folding = { collapsedIds: new Set(), openFoldIds: new Set(), isOn: true }

export function reduceFolding(state: Folding, action: FoldingAction): Folding {
  switch (action.type) {
    case 'collapse':
      return { ...state, collapsedIds: new Set(state.collapsedIds).add(action.id) }
    case 'expand':
      return { ...state, collapsedIds: without(state.collapsedIds, action.ids) }
    case 'setFold': {
      const { openFoldIds } = state
      return {
        ...state,
        openFoldIds: action.isOpen ? new Set(openFoldIds).add(action.id) : without(openFoldIds, [action.id]),
      }
    }
    case 'setFolding':
      return { ...state, isOn: action.isOn }
  }
}

/** The rows to show. The selected run is always visible. */
export function toRowView(
  trace: Trace,
  folding: Folding,
  matches: Matches | undefined,
  selected: number | undefined,
): RowView {
  const rows = findRows(trace, folding.openFoldIds)
  const view = {
    collapsed: new Set(findRows(trace, folding.collapsedIds)),
    openFolds: new Set(rows.flatMap((row) => trace.folds.byRow[row] ?? []).filter((fold) => fold !== -1)),
    folding: folding.isOn,
    matches,
  }
  return selected === undefined ? view : { ...view, ...revealRow(trace, selected, view) }
}

/** Ids of the runs in a subtree that have children. */
export function listParentIds(trace: Trace, row: number): string[] {
  return listParentsBelow(trace, row).map((parent) => idAt(trace, parent))
}

function findRows(trace: Trace, ids: ReadonlySet<string>): number[] {
  return [...ids].flatMap((id) => findRow(trace, id) ?? [])
}

function without(ids: ReadonlySet<string>, removed: readonly string[]): ReadonlySet<string> {
  const rest = new Set(ids)
  for (const id of removed) rest.delete(id)
  return rest
}

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
