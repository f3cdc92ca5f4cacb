import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import type { Run } from '@touchstone/sdk'
import { type MouseEvent, type RefObject, useCallback, useState } from 'react'
import { useCompareMark } from '#features/traces/compare/use-compare-mark.ts'
import type { RunsSearch } from '#lib/page-search.ts'
import { resolveRowClick } from '#lib/row-selection.ts'
import { copyText } from '#ui/copy-button.tsx'
import type { GridHandle } from '#ui/data-grid.tsx'
import { NARROW, useMedia } from '#ui/hooks.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { toast } from '#ui/toast.tsx'
import { type RunsView, reloadRuns } from '../queries.ts'
import type { ToolbarMenu } from './runs-toolbar.tsx'
import type { Runs } from './use-runs.tsx'

export type RunActions = ReturnType<typeof useRunActions>

export interface RunActionsOptions {
  tenant: string
  view: RunsView
  search: RunsSearch
  runs: Runs
  grid: RefObject<GridHandle | null>
}

/** The user's actions on the list: open, peek, select, change the view, reload. */
export function useRunActions({ tenant, view, search, runs, grid }: RunActionsOptions) {
  const { selection } = runs
  const queryClient = useQueryClient()
  const isNarrow = useMedia(NARROW)
  const navigate = useNavigate({ from: '/o/$tenant/projects/p/$projectId/' })
  const { openPage, openTab, getHref } = useRunPages(tenant, view.projectId)
  // Cards have no checkboxes until the user starts selecting.
  const [isSelectMode, setSelectMode] = useState(false)
  const isSelecting = isNarrow && (isSelectMode || selection.selectedIds.size > 0)

  /** Changes of the view are pushed, so that Back undoes them; moving between rows replaces the history entry. */
  const change = useCallback(
    (part: Partial<RunsSearch>, how: 'push' | 'replace' = 'push') =>
      void navigate({ search: (current) => ({ ...current, ...part }), replace: how === 'replace' }),
    [navigate],
  )
  function clearSelection() {
    setSelectMode(false)
    selection.clear()
  }
  function peek(id: string) {
    selection.activate(id)
    if (isNarrow) openPage(id)
    else change({ peek: id }, search.peek === undefined ? 'push' : 'replace')
  }
  function closePeek() {
    change({ peek: undefined, tab: undefined })
    if (selection.activeId !== undefined) grid.current?.focusRow(selection.activeId)
  }
  function clickRow(run: Run, event: MouseEvent) {
    const act = { toggle: selection.toggle, openTab, selectRange: selection.selectRange, peek }
    act[resolveRowClick(event, isSelecting)](run.id)
  }
  function activate(id: string) {
    selection.activate(id)
    if (search.peek !== undefined && search.peek !== id) change({ peek: id }, 'replace')
  }
  async function reload() {
    await reloadRuns(queryClient, view).catch((cause) => toast.failure('Could not refresh the list.', cause))
    grid.current?.scrollToTop()
  }
  return {
    isSelecting,
    setSelecting: (isOn: boolean) => (isOn ? setSelectMode(true) : clearSelection()),
    longPress: (id: string) => void (isNarrow && selection.toggle(id)),
    clearSelection,
    change,
    openPage,
    openTab,
    getHref,
    peek,
    closePeek,
    clickRow,
    activate,
    /** Moves the peek and the focus to a run of the list. */
    move: (id: string) => {
      activate(id)
      grid.current?.focusRow(id)
    },
    reload,
  }
}

function useRunPages(tenant: string, projectId: string) {
  const router = useRouter()
  const toLocation = (runId: string) =>
    ({ to: '/o/$tenant/projects/p/$projectId/r/$runId', params: { tenant, projectId, runId } }) as const
  const getHref = (runId: string) => router.buildLocation(toLocation(runId)).href
  return {
    getHref,
    openPage: (runId: string) => void router.navigate(toLocation(runId)),
    openTab: (runId: string) => void window.open(getHref(runId), '_blank', 'noopener'),
  }
}

export interface RunsShortcutsOptions {
  runs: Runs
  actions: RunActions
  search: RunsSearch
  onMenu: (menu: ToolbarMenu) => void
}

/** The keyboard shortcuts of the runs list. */
export function useRunsShortcuts({ runs, actions, search, onMenu }: RunsShortcutsOptions) {
  const { list, selection } = runs
  const { change } = actions
  const markForCompare = useCompareMark()
  const onActive = (act: (id: string) => unknown) => () => selection.activeId !== undefined && act(selection.activeId)
  const hasPeek = search.peek !== undefined
  // The preview may show another run of the trace than the active row.
  const onShown = (act: (id: string) => unknown) => () => {
    const id = search.peek ?? selection.activeId
    if (id !== undefined) act(id)
  }

  async function copyLink() {
    const id = search.peek ?? selection.activeId
    const link = id === undefined ? location.href : location.origin + actions.getHref(id)
    if (await copyText(link)) toast.done('Link copied')
  }
  function mark(id: string) {
    const run = list.rows.find((row) => row.id === id)
    if (run) markForCompare({ id, name: run.name })
  }
  useShortcuts('List', [
    { keys: 'space', label: 'Open or close the preview', run: hasPeek ? actions.closePeek : onActive(actions.peek) },
    { keys: 'o', label: 'Open the full page', run: onShown(actions.openPage) },
    { keys: 'mod+enter', label: 'Open in a new browser tab', run: onShown(actions.openTab) },
    { keys: 'x', label: 'Select', run: onActive(selection.toggle) },
    { keys: 'shift+x', label: 'Select up to here', run: onActive(selection.selectRange) },
    { keys: 'mod+a', label: 'Select all loaded', run: selection.selectAll },
    { keys: 'y', label: 'Copy link', run: () => void copyLink() },
    { keys: 'm', label: 'Mark for compare, then compare', run: onActive(mark) },
    { keys: 't', label: 'Time range', run: () => onMenu('time') },
    {
      keys: 'shift+f',
      label: 'Show or hide facets',
      run: () => change({ facets: search.facets ? undefined : true }, 'replace'),
    },
    { keys: 'v', label: 'Saved views', run: () => onMenu('views') },
    { keys: 'c', label: 'Columns', run: () => onMenu('columns') },
    {
      keys: 'l',
      label: 'Turn live updates on or off',
      run: () => change({ live: search.live === 'on' ? 'off' : 'on' }, 'replace'),
    },
    { keys: 'shift+r', label: 'Refresh the list', run: () => void actions.reload() },
    {
      keys: 'escape',
      label: 'Close the preview, or clear the selection',
      run: hasPeek ? actions.closePeek : actions.clearSelection,
    },
  ])
}
