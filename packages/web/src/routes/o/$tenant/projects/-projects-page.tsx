import { useNavigate } from '@tanstack/react-router'
import { Plus, SearchX } from 'lucide-react'
import { type MouseEvent, Suspense, useMemo, useRef, useState } from 'react'
import { useMay } from '#data/me.ts'
import { hasFewProjects } from '#data/projects.ts'
import { formatCount } from '#lib/format/format.ts'
import type { ProjectsSearch } from '#lib/url/projects-search.ts'
import { PageFrame } from '#shell/page-frame.tsx'
import { Button } from '#ui/button.tsx'
import { DataGrid, type GridHandle } from '#ui/data-grid.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { lazyExtra } from '#ui/lazy-extra.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { TimeRangeMenu } from '#ui/time-range-menu.tsx'
import { useEntryMemory } from '#ui/use-entry-memory.tsx'
import { useGridKeys } from '#ui/use-grid-keys.tsx'
import { useShortcuts } from '#ui/use-shortcuts.tsx'
import type { ProjectDialog } from './-project-dialogs.tsx'
import { type ColumnsContext, ProjectCard, projectColumns } from './-projects-columns.tsx'
import { type ProjectRow, pinnedPreference, useProjects } from './-use-projects.tsx'

const FirstTrace = lazyExtra(() => import('#domain/onboarding/first-trace.tsx').then((module) => module.FirstTrace))
const ProjectLayer = lazyExtra(() => import('./-project-dialogs.tsx').then((module) => module.ProjectDialogs))

/** All projects with their figures; each number links to its runs. */
export function ProjectsPage({ tenant, search }: { tenant: string; search: ProjectsSearch }) {
  const navigate = useNavigate({ from: '/o/$tenant/projects/' })
  const mayWrite = useMay('member')
  const { names, stats, rows, total } = useProjects(search)
  const { recall, note } = useEntryMemory<{ offset: number; activeId: string }>('projects')
  const [left] = useState(recall)
  const [activeId, setActiveId] = useState(left?.activeId)
  const [layer, setLayer] = useState<ProjectDialog>()
  const [isTimeOpen, setTimeOpen] = useState(false)
  const grid = useRef<GridHandle>(null)
  const field = useRef<HTMLInputElement>(null)
  const active = rows.find((row) => row.project.id === activeId)

  const open = (projectId: string) =>
    navigate({ to: '/o/$tenant/projects/p/$projectId', params: { tenant, projectId } })
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const chosen = rows.filter((row) => selected.has(row.project.id))
  const toggleSelected = (id: string) => setSelected((before) => toggleInSet(before, id))
  function setActive(id: string) {
    setActiveId(id)
    note({ activeId: id })
  }
  const context = useMemo<ColumnsContext>(
    () => ({
      tenant,
      mayWrite,
      t: search.t,
      sort: search.sort,
      onSort: (sort) => void navigate({ search: (kept) => ({ ...kept, sort }), replace: true }),
      onRename: (row) => setLayer({ kind: 'rename', row }),
      onDelete: (row) => setLayer({ kind: 'delete', row }),
      selected,
      onSelect: (id) => setSelected((before) => toggleInSet(before, id)),
      onPin: togglePinned,
    }),
    [tenant, mayWrite, search.t, search.sort, navigate, selected],
  )
  const columns = useMemo(() => projectColumns(context), [context])

  useGridKeys({
    grid,
    ids: rows.map((row) => row.project.id),
    activeId,
    onActive: setActive,
    onOpen: (id) => void open(id),
  })
  useShortcuts('List', [
    { keys: '/', label: 'Search', run: () => field.current?.focus() },
    { keys: 'o', label: 'Open', run: () => activeId !== undefined && void open(activeId) },
    { keys: 't', label: 'Time range', run: () => setTimeOpen(true) },
    { keys: 'n', label: 'New project', run: () => mayWrite && setLayer({ kind: 'create' }) },
    { keys: 'x', label: 'Select', run: () => activeId !== undefined && toggleSelected(activeId) },
    { keys: 'p', label: 'Pin or unpin', run: () => activeId !== undefined && togglePinned(activeId) },
    { keys: 'f2', label: 'Rename', run: () => mayWrite && active && setLayer({ kind: 'rename', row: active }) },
    { keys: 'delete', label: 'Delete', run: () => mayWrite && active && setLayer({ kind: 'delete', row: active }) },
  ])
  function clickRow(row: ProjectRow, event: MouseEvent) {
    if (event.target instanceof Element && event.target.closest('a, button, input, [role=menuitem]')) return
    setActive(row.project.id)
    void open(row.project.id)
  }

  return (
    <PageFrame
      title="Projects"
      actions={
        <>
          {chosen.length > 0 && mayWrite && (
            <Button look="danger" onClick={() => setLayer({ kind: 'delete-many', rows: chosen })}>
              Delete {formatCount(chosen.length)}…
            </Button>
          )}
          <Button
            look="primary"
            disabled={!mayWrite}
            title={mayWrite ? undefined : 'Viewers cannot create projects.'}
            onClick={() => setLayer({ kind: 'create' })}
          >
            <Plus size={13} aria-hidden />
            New project
          </Button>
        </>
      }
      toolbar={
        <>
          <input
            ref={field}
            type="search"
            aria-label="Search projects"
            placeholder="Search by name or metadata"
            value={search.q}
            onChange={(event) =>
              void navigate({ search: (kept) => ({ ...kept, q: event.target.value }), replace: true })
            }
            onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
            className="h-7 w-64 min-w-32 rounded-control border border-border-strong bg-surface px-2 text-row coarse:h-10"
          />
          <TimeRangeMenu
            value={search.t}
            onChange={(t) => void navigate({ search: (kept) => ({ ...kept, t }) })}
            open={isTimeOpen}
            onOpenChange={setTimeOpen}
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
      }
      status={
        names.isSuccess && (
          <span role="status">
            {rows.length === total ? formatCount(total) : `${formatCount(rows.length)} of ${formatCount(total)}`}
            {names.hasNextPage && '+'} {total === 1 ? 'project' : 'projects'}
            {chosen.length > 0 && `, ${formatCount(chosen.length)} selected`}
          </span>
        )
      }
    >
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
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
          {search.q === '' && hasFewProjects(names.data) && (
            <FirstTrace tenant={tenant} projects={names.data!.pages.flat()} />
          )}
        </Suspense>
        {names.isPending && <SkeletonRows rows={14} label="Loading projects" />}
        {names.isError && !names.data && (
          <ErrorState title="Could not load projects" error={names.error} onRetry={() => void names.refetch()} />
        )}
        {names.data && rows.length === 0 && (
          <EmptyState
            icon={SearchX}
            title={search.q === '' ? 'No projects yet' : 'No matching projects'}
            actions={
              search.q !== '' && (
                <Button onClick={() => void navigate({ search: (kept) => ({ ...kept, q: '' }) })}>Clear search</Button>
              )
            }
          >
            {search.q === ''
              ? 'Create a project, or send a trace: the first trace creates its project.'
              : `No project has “${search.q}” in its name or metadata.`}
          </EmptyState>
        )}
        {rows.length > 0 && (
          <DataGrid
            ref={grid}
            label="Projects"
            columns={columns}
            rows={rows}
            rowId={getRowId}
            rowHeight={32}
            card={(row) => <ProjectCard row={row} {...context} />}
            total={names.hasNextPage ? undefined : rows.length}
            activeId={activeId}
            selectedIds={selected}
            onRowClick={clickRow}
            initialOffset={left?.offset}
            onScroll={(offset) => note({ offset })}
          />
        )}
      </div>
      <Suspense>
        {layer && <ProjectLayer layer={layer} onClose={() => setLayer(undefined)} onCreated={(id) => void open(id)} />}
      </Suspense>
    </PageFrame>
  )
}

const getRowId = (row: ProjectRow) => row.project.id

function togglePinned(id: string) {
  pinnedPreference.write([...toggleInSet(new Set(pinnedPreference.read()), id)])
}

function toggleInSet(set: ReadonlySet<string>, id: string): Set<string> {
  const next = new Set(set)
  if (!next.delete(id)) next.add(id)
  return next
}
