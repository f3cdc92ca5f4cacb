import { useMemo, useState } from 'react'
import { intAt } from '#lib/trace-model/columns.ts'
import { filterRuns, type Matches, type RunFilter } from '#lib/trace-model/filter-runs.ts'
import { idAt, rowOf, type Trace } from '#lib/trace-model/trace.ts'
import { parentsBelow, type RowView, revealed, visibleRows } from '#lib/trace-model/visible-rows.ts'

export interface RowState {
  rows: Int32Array
  view: RowView
  matches: Matches | undefined
  folding: boolean
  setFolding: (on: boolean) => void
  isOpen: (row: number) => boolean
  collapse: (row: number) => void
  expand: (row: number) => void
  expandAll: (row: number) => void
  toggleFold: (fold: number) => void
}

/** Which rows are open, remembered by run so that it survives a trace that grows. The selected run is always visible. */
export function useRowView(trace: Trace, selected: number | undefined, filter: RunFilter): RowState {
  const [closedIds, setClosedIds] = useState<ReadonlySet<string>>(new Set())
  const [foldIds, setFoldIds] = useState<ReadonlySet<string>>(new Set())
  const [folding, setFolding] = useState(true)
  const { text, rowsWithText, types, minimumShare } = filter
  const matches = useMemo(
    () => filterRuns(trace, { text, rowsWithText, types, minimumShare }),
    [trace, text, rowsWithText, types, minimumShare],
  )

  const view = useMemo<RowView>(() => {
    const kept = { collapsed: rowsOf(trace, closedIds), openFolds: readFolds(trace, foldIds), folding, matches }
    return selected === undefined ? kept : { ...kept, ...revealed(trace, selected, kept) }
  }, [trace, closedIds, foldIds, folding, matches, selected])
  const rows = useMemo(() => visibleRows(trace, view), [trace, view])

  const firstOf = (fold: number) => idAt(trace, intAt(trace.folds.first, fold))
  return {
    rows,
    view,
    matches,
    folding,
    setFolding,
    isOpen: (row) => !view.collapsed.has(row),
    collapse: (row) => setClosedIds((ids) => new Set(ids).add(idAt(trace, row))),
    expand: (row) => setClosedIds((ids) => without(ids, [idAt(trace, row)])),
    expandAll: (row) => {
      const below = parentsBelow(trace, row)
      setClosedIds((ids) =>
        without(
          ids,
          below.map((one) => idAt(trace, one)),
        ),
      )
    },
    toggleFold: (fold) =>
      setFoldIds((ids) => (view.openFolds.has(fold) ? without(ids, [firstOf(fold)]) : new Set(ids).add(firstOf(fold)))),
  }
}

function rowsOf(trace: Trace, ids: ReadonlySet<string>): Set<number> {
  return new Set([...ids].flatMap((id) => rowOf(trace, id) ?? []))
}

function readFolds(trace: Trace, ids: ReadonlySet<string>): Set<number> {
  return new Set(
    [...rowsOf(trace, ids)].flatMap((row) => (trace.folds.of[row] === -1 ? [] : [intAt(trace.folds.of, row)])),
  )
}

function without(ids: ReadonlySet<string>, gone: readonly string[]): ReadonlySet<string> {
  const left = new Set(ids)
  for (const id of gone) left.delete(id)
  return left
}
