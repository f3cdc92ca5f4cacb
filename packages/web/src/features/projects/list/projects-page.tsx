import { type UseNavigateResult, useNavigate } from '@tanstack/react-router'
import { Plus, SearchX } from 'lucide-react'
import { type Ref, Suspense, useMemo, useReducer, useRef, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { formatCount } from '#lib/format.ts'
import type { ProjectsSearch } from '#lib/page-search.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { Button } from '#ui/button.tsx'
import { DataGrid, type GridHandle } from '#ui/data-grid.tsx'
import { useGridKeys } from '#ui/grid-row.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { SearchField } from '#ui/search-field.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { TimeRangeMenu } from '#ui/time-range-menu.tsx'
import { useEntryMemory } from '#ui/use-entry-memory.tsx'
import { hasFewProjects } from '../queries.ts'
import type { ProjectDialog } from './project-dialogs.tsx'
import { type ColumnsContext, ProjectCard, projectColumns } from './projects-columns.tsx'
import { INITIAL_STATE, type ProjectsPageAction, reduceProjectsPage, toggleInSet } from './projects-controller.ts'
import { type ProjectRow, type Projects, pinnedPreference, useProjects } from './use-projects.tsx'

const FirstTrace = lazyExtra(() => import('#features/onboarding/first-trace.tsx').then((module) => module.FirstTrace))
const ProjectDialogs = lazyExtra(() => import('./project-dialogs.tsx').then((module) => module.ProjectDialogs))

type Navigate = UseNavigateResult<'/o/$tenant/projects/'>

/** All projects with their figures; each number links to its runs. */
export function ProjectsPage({ tenant, search }: { tenant: string; search: ProjectsSearch }) {
  const navigate = useNavigate({ from: '/o/$tenant/projects/' })
  const canWrite = useMay('member')
  const projects = useProjects(search)
  const { rows, total, names } = projects
  const { recall, note } = useEntryMemory<{ offset: number; activeId: string }>('projects')
  const [memory] = useState(recall)
  const [state, dispatch] = useReducer(reduceProjectsPage, { ...INITIAL_STATE, activeId: memory?.activeId })
  const [isTimeOpen, setTimeOpen] = useState(false)
  const grid = useRef<GridHandle>(null)
  const field = useRef<HTMLInputElement>(null)
  const selectedRows = rows.filter((row) => state.selected.has(row.project.id))

  const open = (projectId: string) =>
    void navigate({ to: '/o/$tenant/projects/p/$projectId', params: { tenant, projectId } })
  function setActive(id: string) {
    dispatch({ kind: 'activate', id })
    note({ activeId: id })
  }
  const context = useMemo<ColumnsContext>(
    () => ({
      tenant,
      mayWrite: canWrite,
      t: search.t,
      sort: search.sort,
      onSort: (sort) => void navigate({ search: (kept) => ({ ...kept, sort }), replace: true }),
      onRename: (row) => dispatch({ kind: 'open', dialog: { kind: 'rename', row } }),
      onDelete: (row) => dispatch({ kind: 'open', dialog: { kind: 'delete', row } }),
      selected: state.selected,
      onSelect: (id) => dispatch({ kind: 'toggle', id }),
      onPin: togglePinned,
    }),
    [tenant, canWrite, search.t, search.sort, navigate, state.selected],
  )
  useGridKeys({
    grid,
    ids: rows.map(getRowId),
    activeId: state.activeId,
    onActive: setActive,
    onOpen: open,
  })
  useProjectShortcuts({
    active: rows.find((row) => row.project.id === state.activeId),
    canWrite,
    onSearch: () => field.current?.focus(),
    onTimeRange: () => setTimeOpen(true),
    onOpen: open,
    dispatch,
  })
  return (
    <PageFrame
      title="Projects"
      actions={<ProjectsActions canWrite={canWrite} selectedRows={selectedRows} dispatch={dispatch} />}
      toolbar={
        <ProjectsToolbar
          search={search}
          navigate={navigate}
          field={field}
          isTimeOpen={isTimeOpen}
          onTimeOpen={setTimeOpen}
        />
      }
      status={
        names.isSuccess && (
          <span role="status">
            {rows.length === total ? formatCount(total) : `${formatCount(rows.length)} of ${formatCount(total)}`}
            {names.hasNextPage && '+'} {total === 1 ? 'project' : 'projects'}
            {selectedRows.length > 0 && `, ${formatCount(selectedRows.length)} selected`}
          </span>
        )
      }
    >
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <ProjectsState tenant={tenant} search={search} projects={projects} navigate={navigate} />
        {rows.length > 0 && (
          <ProjectsGrid
            gridRef={grid}
            rows={rows}
            context={context}
            activeId={state.activeId}
            isComplete={!names.hasNextPage}
            initialOffset={memory?.offset}
            onScroll={(offset) => note({ offset })}
            onOpen={(id) => {
              setActive(id)
              open(id)
            }}
          />
        )}
      </div>
      <Suspense>
        {state.dialog && (
          <ProjectDialogs dialog={state.dialog} onClose={() => dispatch({ kind: 'close' })} onCreated={open} />
        )}
      </Suspense>
    </PageFrame>
  )
}

interface ProjectShortcuts {
  active: ProjectRow | undefined
  canWrite: boolean
  onSearch: () => void
  onTimeRange: () => void
  onOpen: (projectId: string) => void
  dispatch: (action: ProjectsPageAction) => void
}

function useProjectShortcuts({ active, canWrite, onSearch, onTimeRange, onOpen, dispatch }: ProjectShortcuts) {
  const openDialog = (dialog: ProjectDialog | undefined) => canWrite && dialog && dispatch({ kind: 'open', dialog })
  useShortcuts('List', [
    { keys: '/', label: 'Search', run: onSearch },
    { keys: 'o', label: 'Open', run: () => active && onOpen(active.project.id) },
    { keys: 't', label: 'Time range', run: onTimeRange },
    { keys: 'n', label: 'New project', run: () => openDialog({ kind: 'create' }) },
    { keys: 'x', label: 'Select', run: () => active && dispatch({ kind: 'toggle', id: active.project.id }) },
    { keys: 'p', label: 'Pin or unpin', run: () => active && togglePinned(active.project.id) },
    { keys: 'f2', label: 'Rename', run: () => openDialog(active && { kind: 'rename', row: active }) },
    { keys: 'delete', label: 'Delete', run: () => openDialog(active && { kind: 'delete', row: active }) },
  ])
}

interface ProjectsActionsProps {
  canWrite: boolean
  selectedRows: readonly ProjectRow[]
  dispatch: (action: ProjectsPageAction) => void
}

function ProjectsActions({ canWrite, selectedRows, dispatch }: ProjectsActionsProps) {
  return (
    <>
      {selectedRows.length > 0 && canWrite && (
        <Button
          look="danger"
          onClick={() => dispatch({ kind: 'open', dialog: { kind: 'delete-many', rows: selectedRows } })}
        >
          Delete {formatCount(selectedRows.length)}…
        </Button>
      )}
      <Button
        look="primary"
        disabled={!canWrite}
        title={canWrite ? undefined : 'Viewers cannot create projects.'}
        onClick={() => dispatch({ kind: 'open', dialog: { kind: 'create' } })}
      >
        <Plus size={13} aria-hidden />
        New project
      </Button>
    </>
  )
}

interface ProjectsToolbarProps {
  search: ProjectsSearch
  navigate: Navigate
  field: Ref<HTMLInputElement>
  isTimeOpen: boolean
  onTimeOpen: (isOpen: boolean) => void
}

function ProjectsToolbar({ search, navigate, field, isTimeOpen, onTimeOpen }: ProjectsToolbarProps) {
  return (
    <>
      <SearchField
        ref={field}
        label="Search projects"
        placeholder="Search by name or metadata"
        value={search.q}
        onChange={(q) => void navigate({ search: (kept) => ({ ...kept, q }), replace: true })}
      />
      <TimeRangeMenu
        value={search.t}
        onChange={(t) => void navigate({ search: (kept) => ({ ...kept, t }) })}
        open={isTimeOpen}
        onOpenChange={onTimeOpen}
      />
      <Button
        aria-pressed={search.experiments ?? false}
        onClick={() =>
          void navigate({ search: (kept) => ({ ...kept, experiments: kept.experiments ? undefined : true }) })
        }
        className="aria-pressed:border-accent aria-pressed:bg-selected"
      >
        Experiments
      </Button>
    </>
  )
}

interface ProjectsStateProps {
  tenant: string
  search: ProjectsSearch
  projects: Projects
  navigate: Navigate
}

/** What is shown above or instead of the table: loading, failures, onboarding and "no match". */
function ProjectsState({ tenant, search, projects: { names, stats, rows }, navigate }: ProjectsStateProps) {
  const isSearching = search.q !== ''
  return (
    <>
      {names.isError && names.data && (
        <ErrorState
          compact
          title="Could not load more projects"
          error={names.error}
          onRetry={() => void names.fetchNextPage()}
        />
      )}
      {stats.error && (
        <ErrorState compact title="Could not load some figures" error={stats.error} onRetry={stats.retry} />
      )}
      <Suspense>
        {!isSearching && names.data && hasFewProjects(names.data) && (
          <FirstTrace tenant={tenant} projects={names.data.pages.flat()} />
        )}
      </Suspense>
      {names.isPending && <SkeletonRows rows={14} label="Loading projects" />}
      {names.isError && !names.data && (
        <ErrorState title="Could not load projects" error={names.error} onRetry={() => void names.refetch()} />
      )}
      {names.data && rows.length === 0 && (
        <EmptyState
          icon={SearchX}
          title={isSearching ? 'No matching projects' : 'No projects yet'}
          actions={
            isSearching && (
              <Button onClick={() => void navigate({ search: (kept) => ({ ...kept, q: '' }) })}>Clear search</Button>
            )
          }
        >
          {isSearching
            ? `No project has “${search.q}” in its name or metadata.`
            : 'Create a project, or send a trace: the first trace creates its project.'}
        </EmptyState>
      )}
    </>
  )
}

interface ProjectsGridProps {
  gridRef: Ref<GridHandle>
  rows: readonly ProjectRow[]
  context: ColumnsContext
  activeId: string | undefined
  isComplete: boolean
  initialOffset: number | undefined
  onScroll: (offset: number) => void
  onOpen: (projectId: string) => void
}

function ProjectsGrid({ gridRef, rows, context, activeId, isComplete, initialOffset, ...on }: ProjectsGridProps) {
  const columns = useMemo(() => projectColumns(context), [context])
  return (
    <DataGrid
      ref={gridRef}
      label="Projects"
      columns={columns}
      rows={rows}
      rowId={getRowId}
      rowHeight={32}
      card={(row) => <ProjectCard row={row} {...context} />}
      total={isComplete ? rows.length : undefined}
      activeId={activeId}
      selectedIds={context.selected}
      onRowClick={({ project }) => on.onOpen(project.id)}
      initialOffset={initialOffset}
      onScroll={on.onScroll}
    />
  )
}

const getRowId = (row: ProjectRow) => row.project.id

function togglePinned(id: string) {
  pinnedPreference.write([...toggleInSet(new Set(pinnedPreference.read()), id)])
}
