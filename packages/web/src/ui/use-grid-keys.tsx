import type { RefObject } from 'react'
import type { GridHandle } from './data-grid.tsx'
import { useShortcuts } from './use-shortcuts.tsx'

export interface GridKeysOptions {
  grid: RefObject<GridHandle | null>
  /** Ids of the rows in order. */
  ids: readonly string[]
  activeId: string | undefined
  /** Called with the row that the keys moved to. */
  onActive: (id: string) => void
  onOpen: (id: string) => void
}

/** Keyboard navigation of a list: j/k or arrows, Home/End, Page keys, Enter. */
export function useGridKeys({ grid, ids, activeId, onActive, onOpen }: GridKeysOptions): void {
  function moveTo(index: number) {
    const id = ids[Math.min(Math.max(index, 0), ids.length - 1)]
    if (id === undefined) return
    onActive(id)
    grid.current?.focusRow(id)
  }
  const active = activeId === undefined ? -1 : ids.indexOf(activeId)
  useShortcuts('List', [
    { keys: ['j', 'arrowdown'], label: 'Next row', run: () => moveTo(active + 1) },
    { keys: ['k', 'arrowup'], label: 'Previous row', run: () => moveTo(active < 0 ? 0 : active - 1) },
    { keys: 'home', label: 'First row', run: () => moveTo(0) },
    { keys: 'end', label: 'Last loaded row', run: () => moveTo(ids.length - 1) },
    { keys: 'pagedown', label: 'Ten rows down', run: () => moveTo(active + 10) },
    { keys: 'pageup', label: 'Ten rows up', run: () => moveTo(active - 10) },
    { keys: 'enter', label: 'Open', run: () => activeId !== undefined && onOpen(activeId) },
  ])
}
