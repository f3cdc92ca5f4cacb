import { intAt } from '#lib/trace-model/columns.ts'
import type { Trace } from '#lib/trace-model/trace.ts'
import type { RowView } from '#lib/trace-model/visible-rows.ts'

/** A row of the list: a run is its row, a fold is `~fold` (negative). */
export type Entry = number

/** What a key does to the list of a trace. */
export type CursorCommand =
  | { type: 'next' }
  | { type: 'goTo'; entry: Entry }
  | { type: 'expand'; row: number }
  | { type: 'collapse'; row: number }
  | { type: 'toggleFold'; fold: number }

/** Opens a closed entry; on an open one, moves to its first child. */
export function findOpenCommand(trace: Trace, view: RowView, entry: Entry): CursorCommand | undefined {
  if (entry < 0) return view.openFolds.has(~entry) ? { type: 'next' } : { type: 'toggleFold', fold: ~entry }
  if (intAt(trace.children, entry) === 0) return undefined
  return view.collapsed.has(entry) ? { type: 'expand', row: entry } : { type: 'next' }
}

/** Closes an open entry; on a closed one, moves to its parent. */
export function findCloseCommand(trace: Trace, view: RowView, entry: Entry): CursorCommand | undefined {
  if (entry < 0) {
    const fold = ~entry
    return view.openFolds.has(fold)
      ? { type: 'toggleFold', fold }
      : findParentCommand(trace, intAt(trace.folds.first, fold))
  }
  const isOpen = intAt(trace.children, entry) > 0 && !view.collapsed.has(entry)
  return isOpen ? { type: 'collapse', row: entry } : findParentCommand(trace, entry)
}

/** The run that has to be selected before a row closes over the selected run. */
export function findSelectionAfterCollapse(
  trace: Trace,
  row: number,
  selected: number | undefined,
): number | undefined {
  const isInside = selected !== undefined && selected > row && selected < intAt(trace.subtreeEnd, row)
  return isInside ? row : undefined
}

/** The run that has to be selected before a fold opens or closes over the selected run. */
export function findSelectionAfterFold(trace: Trace, fold: number, selected: number | undefined): number | undefined {
  const first = intAt(trace.folds.first, fold)
  const isInside = selected !== undefined && selected >= first && selected < intAt(trace.folds.end, fold)
  const parent = intAt(trace.parent, first)
  return isInside && parent !== -1 ? parent : undefined
}

function findParentCommand(trace: Trace, row: number): CursorCommand | undefined {
  const parent = intAt(trace.parent, row)
  return parent === -1 ? undefined : { type: 'goTo', entry: parent }
}
