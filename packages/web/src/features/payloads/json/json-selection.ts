/** The current row, the highlighted row and the current hit of a JSON view. */
export interface JsonSelection {
  readonly cursor: number
  /** Row that a search or a link led to. */
  readonly flash: number | undefined
  /** Index of the current hit, or -1. */
  readonly hit: number
}

export type JsonSelectionAction =
  /** `rowCount` bounds the row. */
  | { type: 'move'; row: number; rowCount: number }
  | { type: 'pick'; row: number }
  | { type: 'reveal'; row: number }
  | { type: 'goToHit'; hit: number }
  | { type: 'newSearch' }

export const START: JsonSelection = { cursor: 0, flash: undefined, hit: -1 }

export function reduceJsonSelection(state: JsonSelection, action: JsonSelectionAction): JsonSelection {
  switch (action.type) {
    case 'move':
      return { ...state, cursor: Math.min(Math.max(action.row, 0), Math.max(action.rowCount - 1, 0)), flash: undefined }
    case 'pick':
      return { ...state, cursor: action.row, flash: undefined }
    case 'reveal':
      return { ...state, cursor: action.row, flash: action.row }
    case 'goToHit':
      return { ...state, hit: action.hit }
    case 'newSearch':
      return { ...state, hit: -1 }
  }
}

/** Index of a hit, starting over at either end; undefined without hits. */
export function wrapHit(hit: number, hitCount: number): number | undefined {
  return hitCount === 0 ? undefined : ((hit % hitCount) + hitCount) % hitCount
}

/** What opening or closing a row does. */
export type RowAction = 'showMedia' | 'showWhole' | 'toggle'

export function findRowAction(
  row: { open?: boolean | undefined; media?: string | undefined; what?: string } | undefined,
): RowAction | undefined {
  if (row?.media !== undefined && !row.open) return 'showMedia'
  if (row?.what === 'more') return 'showWhole'
  return row?.open === undefined ? undefined : 'toggle'
}
