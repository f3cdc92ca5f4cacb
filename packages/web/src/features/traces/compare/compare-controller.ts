import { intAt } from '#lib/columns.ts'
import { findRow, idAt } from '../model/trace.ts'
import { type ComparedTraces, mergedAncestors, nextDifference, visibleMerged } from './merged.ts'

/** The merged tree with its selected row and its visible rows. */
export interface CompareTreeState {
  readonly compared: ComparedTraces
  readonly selected: number
  readonly collapsed: ReadonlySet<number>
  /** Visible rows, from top to bottom. */
  readonly rows: Int32Array
  /** Index of the selected row in `rows`, or -1. */
  readonly cursor: number
  /** Number of equal steps that are hidden. */
  readonly hiddenCount: number
}

export interface CompareTreeOptions {
  /** Id of a run of either side. Without it the roots are selected. */
  selectedId: string | undefined
  /** Ids of collapsed runs. Rows change while a side is running, ids do not. */
  collapsedIds: ReadonlySet<string>
  onlyDifferences: boolean
}

/** What a command changes; a missing field does not change. */
export interface CompareChange {
  selectedId?: string
  collapsedIds?: ReadonlySet<string>
}

const NONE: ReadonlySet<number> = new Set()
const NO_CHANGE: CompareChange = {}

/** Computes the visible rows. The ancestors of the selected row are always expanded. */
export function buildCompareTree(compared: ComparedTraces, options: CompareTreeOptions): CompareTreeState {
  const { merged } = compared
  const { selectedId, collapsedIds, onlyDifferences } = options
  const found = findMergedRow(compared, selectedId)
  const selected = found === -1 ? merged.b.indexOf(compared.rootB) : found
  const ancestors = new Set(mergedAncestors(merged, selected))
  const collapsedRows = [...collapsedIds].map((id) => findMergedRow(compared, id))
  const collapsed = new Set(collapsedRows.filter((row) => row !== -1 && !ancestors.has(row)))
  const rows = visibleMerged(merged, collapsed, onlyDifferences)
  return {
    compared,
    selected,
    collapsed,
    rows,
    cursor: rows.indexOf(selected),
    hiddenCount: onlyDifferences ? merged.size - visibleMerged(merged, NONE, true).length : 0,
  }
}

/** The merged row of a run of either side, or -1. */
function findMergedRow({ a, b, merged }: ComparedTraces, id: string | undefined): number {
  const [rowB, rowA] = [findRow(b, id), findRow(a, id)]
  const found = rowB === undefined ? -1 : merged.b.indexOf(rowB)
  return found !== -1 || rowA === undefined ? found : merged.a.indexOf(rowA)
}

/** The run ids of a merged row; a side without the run is undefined. */
export function getRunIds({ a, b, merged }: ComparedTraces, row: number) {
  const [rowA, rowB] = [intAt(merged.a, row), intAt(merged.b, row)]
  return { a: rowA === -1 ? undefined : idAt(a, rowA), b: rowB === -1 ? undefined : idAt(b, rowB) }
}

function getId(compared: ComparedTraces, row: number): string {
  const { a, b } = getRunIds(compared, row)
  return b ?? a ?? ''
}

export function selectRow({ compared }: CompareTreeState, row: number | undefined): CompareChange {
  return row === undefined || row === -1 ? NO_CHANGE : { selectedId: getId(compared, row) }
}

/** Moves the selection by a number of visible rows, at most to the first or last row. */
export function moveSelection(state: CompareTreeState, by: number): CompareChange {
  const { rows, cursor } = state
  return selectRow(state, rows[Math.min(Math.max(cursor + by, 0), rows.length - 1)])
}

export function selectDifference(state: CompareTreeState, direction: 1 | -1): CompareChange {
  return selectRow(state, nextDifference(state.compared.merged, state.selected, direction))
}

/** Expands or collapses a row. A selected row below a collapsed one is replaced by the collapsed row. */
export function toggleRow(state: CompareTreeState, row: number): CompareChange {
  const { compared, collapsed, selected } = state
  const id = getId(compared, row)
  const collapsedIds = new Set([...collapsed].map((one) => getId(compared, one)))
  if (collapsedIds.delete(id)) return { collapsedIds }
  collapsedIds.add(id)
  const isAboveSelected = selected > row && selected < intAt(compared.merged.subtreeEnd, row)
  return isAboveSelected ? { collapsedIds, selectedId: id } : { collapsedIds }
}

/** Expands the selected row, or selects its first child. */
export function expandOrEnter(state: CompareTreeState): CompareChange {
  if (!hasChildren(state)) return NO_CHANGE
  return state.collapsed.has(state.selected) ? toggleRow(state, state.selected) : moveSelection(state, 1)
}

/** Collapses the selected row, or selects its parent. */
export function collapseOrLeave(state: CompareTreeState): CompareChange {
  const { compared, collapsed, selected } = state
  if (hasChildren(state) && !collapsed.has(selected)) return toggleRow(state, selected)
  return selectRow(state, intAt(compared.merged.parent, selected))
}

function hasChildren({ compared, selected }: CompareTreeState): boolean {
  return intAt(compared.merged.subtreeEnd, selected) > selected + 1
}
