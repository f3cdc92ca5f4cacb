/** The active row, the selected rows, and the row from which a range selection starts. */
export interface RowSelection {
  readonly activeId: string | undefined
  readonly selectedIds: ReadonlySet<string>
  readonly anchorId: string | undefined
}

export type SelectionAction =
  | { type: 'activate'; id: string }
  | { type: 'toggle'; id: string }
  /** `ids` are the ids of all loaded rows, in order. */
  | { type: 'selectRange'; id: string; ids: readonly string[] }
  | { type: 'selectAll'; ids: readonly string[] }
  | { type: 'clear' }

export function startSelection(activeId?: string, selected: readonly string[] = []): RowSelection {
  return { activeId, selectedIds: new Set(selected), anchorId: undefined }
}

export function reduceSelection(state: RowSelection, action: SelectionAction): RowSelection {
  switch (action.type) {
    case 'activate':
      return state.activeId === action.id ? state : { ...state, activeId: action.id }
    case 'toggle': {
      const selectedIds = new Set(state.selectedIds)
      if (!selectedIds.delete(action.id)) selectedIds.add(action.id)
      return { activeId: action.id, selectedIds, anchorId: action.id }
    }
    case 'selectRange': {
      const range = findRange(state, action)
      return { activeId: action.id, selectedIds: new Set([...state.selectedIds, ...range]), anchorId: action.id }
    }
    case 'selectAll':
      return { ...state, selectedIds: new Set(action.ids) }
    case 'clear':
      return { ...state, selectedIds: new Set() }
  }
}

/** From the row selected last, else the active row, else the first row, to the given one. */
function findRange(state: RowSelection, { id, ids }: { id: string; ids: readonly string[] }): readonly string[] {
  const { anchorId, selectedIds, activeId } = state
  const startId = anchorId !== undefined && selectedIds.has(anchorId) ? anchorId : activeId
  const start = Math.max(startId === undefined ? 0 : ids.indexOf(startId), 0)
  const end = Math.max(ids.indexOf(id), 0)
  return ids.slice(Math.min(start, end), Math.max(start, end) + 1)
}

/** The rows before and after a row. */
export function findNeighbors(ids: readonly string[], id: string) {
  const index = ids.indexOf(id)
  return {
    previous: index > 0 ? ids[index - 1] : undefined,
    next: index < 0 ? undefined : ids[index + 1],
  }
}

export type RowClick = 'toggle' | 'openTab' | 'selectRange' | 'peek'

/**
 * What a click on a row does.
 *
 * @param isSelecting  whether a press on a card selects it
 */
export function resolveRowClick(
  keys: { ctrlKey: boolean; metaKey: boolean; shiftKey: boolean },
  isSelecting: boolean,
): RowClick {
  if (isSelecting) return 'toggle'
  if (keys.ctrlKey || keys.metaKey) return 'openTab'
  return keys.shiftKey ? 'selectRange' : 'peek'
}
