import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useParams, useRouter } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { CornerDownLeft, Hash } from 'lucide-react'
import { useCallback, useRef, useState } from 'react'
import { projectQuery } from '#features/projects/queries.ts'
import { findLoadedRuns } from '#features/runs/queries.ts'
import { readReference } from '#lib/palette.ts'
import { FocusReturn } from '#ui/dialog.tsx'
import { useShortcutRegistry } from '#ui/shortcuts.tsx'
import { EvaluationItems, FoundEvaluation } from './palette-evaluation.tsx'
import {
  DestinationItems,
  FoundProjects,
  listPageActions,
  PageActionItems,
  PaletteItem,
  PreferenceItems,
  ProjectItems,
  ProjectPageItems,
  RecentItems,
  RunItems,
  rankLoadedFirst,
} from './palette-sections.tsx'

export interface CommandPaletteProps {
  tenant: string
  onClose: () => void
}

/**
 * `Ctrl K`: opens a pasted id, URL or share link, or searches actions of this page, destinations, projects, datasets,
 * queues, loaded runs and preferences by name. All of these are in memory, so typing never waits. Results from the server
 * come last: experiments, and projects and datasets that are not loaded.
 */
export function CommandPalette({ tenant, onClose }: CommandPaletteProps) {
  const [typed, setTyped] = useState('')
  const reference = readReference(typed, location.origin)
  const { active, setActive, watch, keep, reset } = useFirstActive()
  return (
    <Command.Dialog
      open
      value={active}
      onValueChange={setActive}
      onKeyDown={({ key, ctrlKey }) => (ctrlKey || MOVES.includes(key)) && keep()}
      onPointerMove={keep}
      onOpenChange={(open) => !open && onClose()}
      label="Search or jump"
      overlayClassName="fixed inset-0 z-40 bg-[rgb(0_0_0/0.4)]"
      contentClassName="fixed left-1/2 top-[12vh] z-50 w-[calc(100vw-24px)] max-w-xl -translate-x-1/2 animate-layer rounded-dialog border border-border bg-surface shadow-layer"
      shouldFilter={reference === undefined}
      filter={rankLoadedFirst}
    >
      <Command.Input
        value={typed}
        onValueChange={(text) => {
          reset()
          setTyped(text)
        }}
        placeholder="Search, or paste an ID or a link"
        className="h-11 w-full border-b border-border bg-transparent px-4 text-form outline-none placeholder:text-fg-subtle"
      />
      <FocusReturn />
      <Command.List ref={watch} className="max-h-[50vh] overflow-y-auto p-1.5">
        {reference === undefined ? (
          <Results tenant={tenant} typed={typed} onClose={onClose} />
        ) : (
          <ReferenceItem reference={reference} onClose={onClose} />
        )}
      </Command.List>
    </Command.Dialog>
  )
}

/** Keys that move through the list, besides those with Ctrl. */
const MOVES = ['ArrowDown', 'ArrowUp', 'Home', 'End']

/** Keeps the first item active while items arrive above it, until the user has moved to another one. */
function useFirstActive() {
  const [active, setActive] = useState('')
  const hasMoved = useRef(false)
  const watch = useCallback((list: HTMLElement | null) => {
    if (list === null) return undefined
    const activateFirst = () => {
      const first = list.querySelector('[cmdk-item]:not([aria-disabled=true])')
      if (!hasMoved.current) setActive(first?.getAttribute('data-value') ?? '')
    }
    const observer = new MutationObserver(activateFirst)
    observer.observe(list, { childList: true, subtree: true })
    activateFirst()
    return () => observer.disconnect()
  }, [])
  return {
    active,
    setActive,
    /** The ref of the list. */
    watch,
    keep: () => {
      hasMoved.current = true
    },
    reset: () => {
      hasMoved.current = false
    },
  }
}

const FOCUS_RETURN_MS = 30

/** Wraps an action so that it closes the palette first, and runs after the focus has returned to the page. */
function useGo(onClose: () => void) {
  return (act: () => unknown) => () => {
    onClose()
    setTimeout(act, FOCUS_RETURN_MS)
  }
}

interface ReferenceItemProps {
  reference: NonNullable<ReturnType<typeof readReference>>
  onClose: () => void
}

function ReferenceItem({ reference, onClose }: ReferenceItemProps) {
  const router = useRouter()
  const go = useGo(onClose)
  const isId = reference.kind === 'id'
  return (
    <PaletteItem
      icon={isId ? <Hash size={14} /> : <CornerDownLeft size={14} />}
      onSelect={go(() =>
        reference.kind === 'id'
          ? router.navigate({ to: '/go/$id', params: { id: reference.id } })
          : router.navigate({ href: reference.href }),
      )}
    >
      {isId ? `Open ${reference.id}` : `Open ${reference.href}`}
    </PaletteItem>
  )
}

/** Projects in the list before anything is typed. */
const FIRST_PROJECTS = 6

function Results({ tenant, typed, onClose }: CommandPaletteProps & { typed: string }) {
  const router = useRouter()
  const queryClient = useQueryClient()
  const registry = useShortcutRegistry()
  const { projectId } = useParams({ strict: false })
  const projects = useInfiniteQuery(projectQuery.names())
  const names = projects.data?.pages.flat() ?? []
  // The actions and runs of the page that was open when the palette opened.
  const [{ actions, runs }] = useState(() => ({
    actions: listPageActions(registry.groups()),
    runs: findLoadedRuns(queryClient),
  }))
  const go = useGo(onClose)
  const openProject = (id: string) =>
    go(() => router.navigate({ to: '/o/$tenant/projects/p/$projectId', params: { tenant, projectId: id } }))
  const reload = go(() => queryClient.invalidateQueries({ refetchType: 'active' }))
  const isEmpty = typed === ''
  // Without a search text, the pages that are most likely wanted come first, then what can be done on this one.
  const pageActions = <PageActionItems actions={actions} go={go} onReload={reload} />
  return (
    <>
      <Command.Empty className="px-3 py-6 text-center text-row text-fg-muted">No results</Command.Empty>
      {isEmpty && <RecentItems tenant={tenant} go={go} />}
      <ProjectItems projects={isEmpty ? names.slice(0, FIRST_PROJECTS) : names} openProject={openProject} />
      {isEmpty && pageActions}
      <EvaluationItems tenant={tenant} go={go} />
      {projectId !== undefined && (
        <ProjectPageItems
          tenant={tenant}
          projectId={projectId}
          name={names.find(({ id }) => id === projectId)?.name}
          go={go}
        />
      )}
      <DestinationItems tenant={tenant} go={go} />
      {!isEmpty && pageActions}
      {!isEmpty && <RunItems tenant={tenant} runs={runs} go={go} />}
      <PreferenceItems onSelect={onClose} />
      {projects.hasNextPage && typed.trim().length > 1 && (
        <FoundProjects typed={typed} loadedIds={new Set(names.map(({ id }) => id))} openProject={openProject} />
      )}
      {typed.trim().length > 1 && <FoundEvaluation tenant={tenant} typed={typed} go={go} />}
    </>
  )
}
