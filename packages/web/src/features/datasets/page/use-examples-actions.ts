import { useNavigate, useRouter } from '@tanstack/react-router'
import { type MouseEvent, type RefObject, useCallback, useMemo, useReducer, useState } from 'react'
import { findNeighbors, reduceSelection, resolveRowClick, startSelection } from '#lib/row-selection.ts'
import { copyText } from '#ui/copy-button.tsx'
import type { GridHandle } from '#ui/data-grid.tsx'
import { useGridKeys } from '#ui/grid-row.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { toast } from '#ui/toast.tsx'
import { useEntryMemory } from '#ui/use-entry-memory.tsx'
import type { EditedCell } from '../examples/cell-editor.tsx'
import { listMemberColumns, toColumnId } from '../examples/logic/columns.ts'
import { isExampleId } from '../examples/logic/example-rows.ts'
import type { Examples } from '../examples/use-examples.ts'
import type { ExamplesSearch } from '../search.ts'

/** The id of the `peek` param for an example that is not created yet. */
export const NEW = 'new'

interface ActionsOptions {
  tenant: string
  datasetId: string
  search: ExamplesSearch
  examples: Examples
  grid: RefObject<GridHandle | null>
  searchField: RefObject<HTMLInputElement | null>
  /** Whether examples can be selected and changed. */
  canEdit: boolean
  columnIds: readonly string[]
}

/** Selection, keyboard and navigation of the list of examples. */
export function useExamplesActions(options: ActionsOptions) {
  const { tenant, datasetId, search, examples, grid } = options
  const navigate = useNavigate({ from: '/o/$tenant/datasets/$datasetId/' })
  const router = useRouter()
  const { recall, note } = useEntryMemory<{ offset: number; active: number }>('examples')
  const [memory] = useState(recall)
  const [selection, select] = useReducer(reduceSelection, startSelection())
  // By position, because a row has no example until its page is loaded.
  const [active, setActive] = useState(memory?.active)
  const ids = useMemo(() => examples.rows.map(({ id }) => id), [examples.rows])
  const activeId = active === undefined ? undefined : ids[active]
  const cell = useActiveCell(options, activeId)

  const change = useCallback(
    (part: Partial<ExamplesSearch>, mode: 'push' | 'replace' = 'push') =>
      void navigate({ search: (current) => ({ ...current, ...part }), replace: mode === 'replace' }),
    [navigate],
  )
  const toLocation = (exampleId: string) =>
    ({
      to: '/o/$tenant/datasets/$datasetId/e/$exampleId',
      params: { tenant, datasetId, exampleId },
      search: { as_of: search.as_of },
    }) as const
  const getHref = (id: string) => router.buildLocation(toLocation(id)).href
  function activate(id: string) {
    const index = ids.indexOf(id)
    if (index < 0) return
    setActive(index)
    note({ active: index })
  }
  function peek(id: string | undefined) {
    if (id === undefined || !isExampleId(id)) return
    activate(id)
    // Walking through the list adds no history.
    change({ peek: id }, search.peek === undefined ? 'push' : 'replace')
  }
  const toggle = useCallback((id: string) => isExampleId(id) && select({ type: 'toggle', id }), [])
  const actions = {
    memory,
    note,
    selection,
    activeId,
    cell,
    ids,
    change,
    toggle,
    clearSelection: () => select({ type: 'clear' }),
    selectRange: (id: string) => select({ type: 'selectRange', id, ids: ids.filter(isExampleId) }),
    selectIds: (all: readonly string[]) => select({ type: 'selectAll', ids: all }),
    selectLoaded: () => select({ type: 'selectAll', ids: ids.filter(isExampleId) }),
    activate,
    peek,
    neighbors: search.peek === undefined ? undefined : findNeighbors(ids, search.peek),
    closePeek() {
      change({ peek: undefined })
      if (activeId !== undefined) grid.current?.focusRow(activeId)
    },
    addExample: () => change({ peek: NEW }),
    openPage: (id: string) => void (isExampleId(id) && router.navigate(toLocation(id))),
    clickRow(id: string, event: MouseEvent) {
      const click = resolveRowClick(event, false)
      if (click === 'openTab') window.open(getHref(id), '_blank', 'noopener')
      else if (click === 'selectRange' && options.canEdit) this.selectRange(id)
      else peek(id)
    },
    async copyLink() {
      const id = search.peek ?? activeId
      const link = id === undefined || !isExampleId(id) ? location.href : location.origin + getHref(id)
      if (await copyText(link)) toast.done('Link copied')
    },
  }
  useGridKeys({ grid, ids, activeId, onActive: activate, onOpen: peek })
  useExamplesShortcuts(options, actions)
  return actions
}

/** The cell of the active row that has the focus, and the one that is edited in place. */
function useActiveCell({ grid, canEdit, columnIds }: ActionsOptions, activeId: string | undefined) {
  const columns = useMemo(() => listMemberColumns(columnIds), [columnIds])
  const [chosen, setChosen] = useState<string>()
  const [edited, setEdited] = useState<EditedCell>()
  const at = columns.findIndex((column) => toColumnId(column) === chosen)
  function move(by: 1 | -1) {
    const column = columns[Math.min(Math.max(at + by, 0), columns.length - 1)]
    if (activeId === undefined || column === undefined) return
    setChosen(toColumnId(column))
  }
  return {
    activeColumnId: at < 0 ? undefined : chosen,
    edited,
    move,
    edit() {
      const column = columns[Math.max(at, 0)]
      if (!canEdit || activeId === undefined || !isExampleId(activeId) || column === undefined) return
      setChosen(toColumnId(column))
      setEdited({ exampleId: activeId, column })
    },
    stopEditing() {
      setEdited(undefined)
      if (edited !== undefined) grid.current?.focusRow(edited.exampleId)
    },
  }
}

export type ExamplesActions = ReturnType<typeof useExamplesActions>

function useExamplesShortcuts({ search, canEdit, searchField }: ActionsOptions, actions: ExamplesActions) {
  const { activeId } = actions
  const onActive = (act: (id: string) => unknown) => () => activeId !== undefined && act(activeId)
  const onSelectable = (act: (id: string) => unknown) => () => canEdit && activeId !== undefined && act(activeId)
  const hasPeek = search.peek !== undefined
  useShortcuts('List', [
    { keys: '/', label: 'Search', run: () => searchField.current?.focus() },
    { keys: 'space', label: 'Open or close the panel', run: hasPeek ? actions.closePeek : onActive(actions.peek) },
    { keys: 'arrowright', label: 'Next cell', run: () => actions.cell.move(1) },
    { keys: 'arrowleft', label: 'Previous cell', run: () => actions.cell.move(-1) },
    { keys: 'alt+enter', label: 'Edit the cell in place', run: actions.cell.edit },
    { keys: 'o', label: 'Open the full page', run: onActive(actions.openPage) },
    { keys: 'x', label: 'Select', run: onSelectable(actions.toggle) },
    { keys: 'shift+x', label: 'Select up to here', run: onSelectable(actions.selectRange) },
    { keys: 'mod+a', label: 'Select all loaded', run: () => canEdit && actions.selectLoaded() },
    { keys: 'n', label: 'New example', run: () => canEdit && actions.addExample() },
    { keys: 'y', label: 'Copy link', run: () => void actions.copyLink() },
    {
      keys: 'escape',
      label: 'Close the panel, or clear the selection',
      run: hasPeek ? actions.closePeek : actions.clearSelection,
    },
  ])
}
