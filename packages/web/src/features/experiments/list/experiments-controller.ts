import type { ExperimentRow } from '../experiment-row.ts'

/** The open dialog of the page. */
export type ExperimentDialog =
  | { readonly kind: 'rename'; readonly row: ExperimentRow }
  | { readonly kind: 'delete' | 'queue'; readonly rows: readonly ExperimentRow[] }

/** Row with the focus, selected experiments, closed groups and the open dialog of the page. */
export interface ExperimentsPageState {
  readonly activeId: string | undefined
  /** In the order of selection, which is the order of the comparison. */
  readonly selected: ReadonlySet<string>
  readonly closedGroups: ReadonlySet<string>
  readonly dialog: ExperimentDialog | undefined
}

export type ExperimentsPageAction =
  | { kind: 'activate'; id: string }
  | { kind: 'toggle'; id: string }
  | { kind: 'toggle-group'; id: string }
  | { kind: 'clear' }
  | { kind: 'open'; dialog: ExperimentDialog }
  | { kind: 'close' }

export const INITIAL_STATE: ExperimentsPageState = {
  activeId: undefined,
  selected: new Set(),
  closedGroups: new Set(),
  dialog: undefined,
}

export function reduceExperimentsPage(
  state: ExperimentsPageState,
  action: ExperimentsPageAction,
): ExperimentsPageState {
  switch (action.kind) {
    case 'activate':
      return { ...state, activeId: action.id }
    case 'toggle':
      return { ...state, selected: toggle(state.selected, action.id) }
    case 'toggle-group':
      return { ...state, closedGroups: toggle(state.closedGroups, action.id) }
    case 'clear':
      return { ...state, selected: new Set() }
    case 'open':
      return { ...state, dialog: action.dialog }
    case 'close':
      return { ...state, dialog: undefined }
  }
}

function toggle(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set)
  if (!next.delete(id)) next.add(id)
  return next
}

/** Most experiments that a comparison shows beside each other. */
export const MAX_COMPARED = 6

/**
 * The experiments to compare, the baseline first. One selected experiment is compared with the baseline.
 *
 * @returns undefined when there are fewer than two, or too many
 */
export function toCompared(selected: readonly string[], baselineId: string | undefined): readonly string[] | undefined {
  const isAlone = selected.length === 1 && baselineId !== undefined && selected[0] !== baselineId
  const ids = isAlone ? [baselineId, ...selected] : selected
  if (ids.length < 2 || ids.length > MAX_COMPARED) return undefined
  return ids.toSorted((a, b) => Number(b === baselineId) - Number(a === baselineId))
}

/** Why the selected experiments cannot be compared. */
export function explainCompare(count: number): string {
  return count > MAX_COMPARED
    ? `At most ${MAX_COMPARED} experiments can be compared at once.`
    : 'Select two to six experiments to compare them.'
}

/** The sort after a click on a header: figures and times start descending, texts ascending; a second click reverses. */
export function nextExperimentSort(current: string, column: string): string {
  const first = ['name', 'model', 'prompt'].includes(column) ? column : `-${column}`
  const second = first === column ? `-${column}` : column
  return current === first ? second : first
}
