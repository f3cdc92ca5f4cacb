import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { intAt } from '#lib/columns.ts'
import { type Failures, findFailures, findNextCause } from '../model/failures.ts'
import { idAt, type Trace } from '../model/trace.ts'
import { findNextMatch, MATCH, type RowView, stepPosition } from '../model/visible-rows.ts'
import type { RowState } from './row-folding.ts'

export interface TraceCursor {
  /** Index of the selected entry in the list, or -1. */
  cursor: number
  /** The run or fold (`~fold`) under the cursor. */
  current: Entry | undefined
  /** Undefined when no run failed. */
  failures: Failures | undefined
  select: (row: number) => void
  move: (by: number) => void
  moveTo: (end: 'first' | 'last') => void
  toggle: (row: number) => void
  toggleFold: (fold: number) => void
  open: () => void
  close: () => void
  toggleCurrent: () => void
  toError: (direction: 1 | -1) => void
  toMatch: (direction: 1 | -1) => void
}

/** Keyboard navigation in the list of a trace: runs, branches, folds, errors and matches. */
export function useTraceCursor(
  trace: Trace,
  state: RowState,
  selected: number | undefined,
  onSelect: (runId: string) => void,
): TraceCursor {
  const [currentFold, setCurrentFold] = useState<number>()
  const failures = useMemo(() => findFailures(trace), [trace])
  const cursor = useMemo(() => findCursor(state.rows, currentFold, selected), [state.rows, currentFold, selected])
  const current = cursor < 0 ? selected : state.rows[cursor]
  const target = useTarget(current)

  const select = useCallback(
    (row: number) => {
      target.set(row)
      setCurrentFold(undefined)
      onSelect(idAt(trace, row))
    },
    [trace, onSelect, target],
  )
  const goTo = (entry: Entry | undefined) => {
    if (entry === undefined) return
    if (entry >= 0) return select(entry)
    target.set(entry)
    setCurrentFold(~entry)
  }
  const move = (by: number) => {
    const entry = target.get()
    goTo(state.rows[stepPosition(state.rows, entry === undefined ? cursor : state.rows.indexOf(entry), by)])
  }
  const getRun = () => {
    const entry = target.get()
    return (entry !== undefined && entry >= 0 ? entry : selected) ?? -1
  }
  const collapse = (row: number) => {
    const next = findSelectionAfterCollapse(trace, row, selected)
    if (next !== undefined) select(next)
    state.collapse(row)
  }
  const toggleFold = (fold: number) => {
    const next = findSelectionAfterFold(trace, fold, selected)
    if (next !== undefined) select(next)
    setCurrentFold(fold)
    state.toggleFold(fold)
  }
  const perform = (command: CursorCommand | undefined) => {
    if (command?.type === 'next') move(1)
    else if (command?.type === 'goTo') goTo(command.entry)
    else if (command?.type === 'expand') state.expand(command.row)
    else if (command?.type === 'collapse') collapse(command.row)
    else if (command?.type === 'toggleFold') toggleFold(command.fold)
  }
  return {
    cursor,
    current,
    failures,
    select,
    move,
    moveTo: (end) => goTo(state.rows.at(end === 'first' ? 0 : -1)),
    toggle: (row) => (state.view.collapsed.has(row) ? state.expand(row) : collapse(row)),
    toggleFold,
    open: () => current !== undefined && perform(findOpenCommand(trace, state.view, current)),
    close: () => current !== undefined && perform(findCloseCommand(trace, state.view, current)),
    toggleCurrent: () => current !== undefined && perform(findToggleCommand(trace, state.view, current)),
    toError: (direction) => failures && goTo(findNextCause(failures, getRun(), direction)),
    toMatch: (direction) => state.matches && goTo(findNextMatch(state.matches.state, MATCH, getRun(), direction)),
  }
}

/** Index of the fold under the cursor, else of the selected run; -1 when neither is in the list. */
function findCursor(rows: Int32Array, currentFold: number | undefined, selected: number | undefined): number {
  const foldIndex = currentFold === undefined ? -1 : rows.indexOf(~currentFold)
  if (foldIndex !== -1) return foldIndex
  return selected === undefined ? -1 : rows.indexOf(selected)
}

/** The entry of the last key press until it is rendered, so that a key held down does not lose steps. */
function useTarget(current: Entry | undefined) {
  const pending = useRef<Entry>(undefined)
  const latest = useRef(current)
  useEffect(() => {
    latest.current = current
    if (pending.current === current) pending.current = undefined
  }, [current])
  return useMemo(
    () => ({
      get: () => pending.current ?? latest.current,
      set: (entry: Entry) => {
        pending.current = entry
      },
    }),
    [],
  )
}

/** A row of the list: a run is its row, a fold is `~fold` (negative). */
type Entry = number

/** What a key does to the list of a trace. */
type CursorCommand =
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

/** Opens a closed entry and closes an open one; undefined for a run without children. */
export function findToggleCommand(trace: Trace, view: RowView, entry: Entry): CursorCommand | undefined {
  if (entry < 0) return { type: 'toggleFold', fold: ~entry }
  if (intAt(trace.children, entry) === 0) return undefined
  return { type: view.collapsed.has(entry) ? 'expand' : 'collapse', row: entry }
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
