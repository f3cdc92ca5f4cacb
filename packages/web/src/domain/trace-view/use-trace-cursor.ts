import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { intAt } from '#lib/trace-model/columns.ts'
import { MATCH } from '#lib/trace-model/filter-runs.ts'
import { idAt, type Trace } from '#lib/trace-model/trace.ts'
import { nextError, nextMatch, step } from '#lib/trace-model/walk.ts'
import type { RowState } from './use-row-view.ts'

export interface TraceCursor {
  /** Index in the list of what is selected, or -1. */
  cursor: number
  /** The run or fold (`~fold`) under the cursor. */
  current: number | undefined
  select: (row: number) => void
  move: (by: number) => void
  moveTo: (end: 'first' | 'last') => void
  toggle: (row: number) => void
  toggleFold: (fold: number) => void
  /** Opens what is under the cursor, or steps into it. */
  open: () => void
  /** Closes what is under the cursor, or steps out of it. */
  close: () => void
  toError: (direction: 1 | -1) => void
  toMatch: (direction: 1 | -1) => void
}

/** Walking the list of a trace: from run to run, into and out of branches and folds, from error to error. */
export function useTraceCursor(
  trace: Trace,
  state: RowState,
  selected: number | undefined,
  onSelect: (runId: string) => void,
): TraceCursor {
  const [foldAt, setFoldAt] = useState<number>()
  const cursor =
    useMemo(
      () =>
        (foldAt === undefined ? -1 : state.rows.indexOf(~foldAt)) + 1 ||
        (selected === undefined ? 0 : state.rows.indexOf(selected) + 1),
      [state.rows, foldAt, selected],
    ) - 1
  const current = cursor < 0 ? selected : state.rows[cursor]

  // Where the last key led, until it is drawn: the address follows a moment later, and a key held down must not lose steps.
  const heading = useRef<number>(undefined)
  useEffect(() => {
    if (heading.current === current) heading.current = undefined
  }, [current])
  const headed = () => (heading.current === undefined ? current : heading.current)
  const headedRun = () => {
    const from = headed()
    return (from !== undefined && from >= 0 ? from : selected) ?? -1
  }

  const select = useCallback(
    (row: number) => {
      heading.current = row
      setFoldAt(undefined)
      onSelect(idAt(trace, row))
    },
    [trace, onSelect],
  )
  const goTo = (entry: number | undefined) => {
    if (entry === undefined) return
    if (entry >= 0) return select(entry)
    heading.current = entry
    setFoldAt(~entry)
  }
  const move = (by: number) => {
    const from = headed()
    goTo(state.rows[step(state.rows, from === undefined ? cursor : state.rows.indexOf(from), by)])
  }
  const toggle = (row: number) => {
    if (!state.isOpen(row)) return state.expand(row)
    const isInside = selected !== undefined && selected > row && selected < intAt(trace.subtreeEnd, row)
    if (isInside) select(row)
    state.collapse(row)
  }
  const toggleFold = (fold: number) => {
    const { first, end } = trace.folds
    const isInside = selected !== undefined && selected >= intAt(first, fold) && selected < intAt(end, fold)
    if (isInside && trace.parent[intAt(first, fold)] !== -1) select(intAt(trace.parent, intAt(first, fold)))
    setFoldAt(fold)
    state.toggleFold(fold)
  }
  return {
    cursor,
    current,
    select,
    move,
    moveTo: (end) => goTo(state.rows[end === 'first' ? 0 : state.rows.length - 1]),
    toggle,
    toggleFold,
    open() {
      if (current === undefined) return
      if (current < 0) return state.view.openFolds.has(~current) ? move(1) : state.toggleFold(~current)
      if (trace.children[current] === 0) return
      if (state.isOpen(current)) move(1)
      else state.expand(current)
    },
    close() {
      if (current === undefined) return
      if (current < 0)
        return state.view.openFolds.has(~current)
          ? toggleFold(~current)
          : goTo(parentOf(trace, intAt(trace.folds.first, ~current)))
      if (intAt(trace.children, current) > 0 && state.isOpen(current)) toggle(current)
      else goTo(parentOf(trace, current))
    },
    toError: (direction) => goTo(nextError(trace, headedRun(), direction)),
    toMatch: (direction) => state.matches && goTo(nextMatch(state.matches.state, MATCH, headedRun(), direction)),
  }
}

function parentOf(trace: Trace, row: number): number | undefined {
  const parent = intAt(trace.parent, row)
  return parent === -1 ? undefined : parent
}
