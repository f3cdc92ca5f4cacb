import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams, useRouterState } from '@tanstack/react-router'
import { ChevronsUpDown } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { findCachedProject, projectQuery } from '#data/projects.ts'
import { Popover } from '#ui/popover.tsx'

/** Falls back to the name if the code of the label cannot be loaded. */
const ProjectLabel = lazy(async () => {
  const module = await import('./project-label.tsx').catch(() => undefined)
  return { default: module?.ProjectLabel ?? (({ name }: { projectId: string; name: string }) => name) }
})

/** The areas of a workspace, by the first part of their path. */
const AREAS = {
  home: { label: 'Home', to: '/o/$tenant' },
  projects: { label: 'Projects', to: '/o/$tenant/projects' },
  datasets: { label: 'Datasets & experiments', to: '/o/$tenant/datasets' },
  'annotation-queues': { label: 'Annotation queues', to: '/o/$tenant/annotation-queues' },
  agents: { label: 'Agents', to: '/o/$tenant/agents' },
  settings: { label: 'Settings', to: '/o/$tenant/settings' },
} as const

type Area = keyof typeof AREAS

function getArea(pathname: string): Area {
  if (pathname === '/account') return 'settings'
  const name = pathname.split('/')[3] ?? ''
  if (name === '') return 'home'
  return name in AREAS ? (name as Area) : 'projects'
}

/** The path to this page, with a menu to switch to another project. */
export function Breadcrumbs({ tenant }: { tenant: string }) {
  const { projectId, runId } = useParams({ strict: false }) as { projectId?: string; runId?: string }
  const area = useRouterState({ select: (state) => getArea(state.location.pathname) })
  return (
    <nav aria-label="Breadcrumb" className="min-w-0 flex-1">
      <ol className="flex min-w-0 items-center gap-1 text-base text-fg-muted">
        <Crumb first hideOnPhone={projectId !== undefined}>
          <Link to={AREAS[area].to} params={{ tenant }} className="truncate hover:text-fg hover:underline">
            {AREAS[area].label}
          </Link>
        </Crumb>
        {projectId !== undefined && <ProjectCrumb tenant={tenant} projectId={projectId} />}
        {runId !== undefined && (
          <Crumb>
            <span className="truncate font-mono text-row" title={runId}>
              {runId.slice(0, 8)}
            </span>
          </Crumb>
        )}
      </ol>
    </nav>
  )
}

function Crumb(props: { children: ReactNode; first?: boolean; hideOnPhone?: boolean }) {
  return (
    <li className={`min-w-0 items-center gap-1 ${props.hideOnPhone ? 'hidden sm:flex' : 'flex'}`}>
      {!props.first && (
        <span aria-hidden className="hidden px-0.5 text-fg-subtle sm:inline">
          /
        </span>
      )}
      {props.children}
    </li>
  )
}

function ProjectCrumb({ tenant, projectId }: { tenant: string; projectId: string }) {
  const queryClient = useQueryClient()
  const project = useQuery({
    ...projectQuery.one(projectId),
    placeholderData: () => findCachedProject(queryClient, projectId),
  })
  const name = project.data?.name ?? projectId.slice(0, 8)
  return (
    <Crumb>
      <Link
        to="/o/$tenant/projects/p/$projectId"
        params={{ tenant, projectId }}
        className="truncate text-fg hover:underline"
      >
        <Suspense fallback={name}>
          <ProjectLabel projectId={projectId} name={name} />
        </Suspense>
      </Link>
      <ProjectSwitcher tenant={tenant} projectId={projectId} />
    </Crumb>
  )
}

function ProjectSwitcher({ tenant, projectId }: { tenant: string; projectId: string }) {
  const [open, setOpen] = useState(false)
  return (
    <Popover
      label="Switch project"
      open={open}
      onOpenChange={setOpen}
      className="w-72"
      trigger={
        <button
          type="button"
          aria-label="Switch project"
          className="inline-flex size-6 shrink-0 items-center justify-center rounded-control hover:bg-hover"
        >
          <ChevronsUpDown size={13} aria-hidden />
        </button>
      }
    >
      <SiblingList tenant={tenant} projectId={projectId} onPick={() => setOpen(false)} />
    </Popover>
  )
}

/** The pages of a project that stay open when the user switches to another project. */
const PAGES = [
  { path: '/threads', to: '/o/$tenant/projects/p/$projectId/threads' },
  { path: '/monitor', to: '/o/$tenant/projects/p/$projectId/monitor' },
  { path: '/settings', to: '/o/$tenant/projects/p/$projectId/settings' },
] as const

function SiblingList({ tenant, projectId, onPick }: { tenant: string; projectId: string; onPick: () => void }) {
  const [search, setSearch] = useState('')
  const rest = useRouterState({ select: ({ location }) => location.pathname.split(projectId)[1] ?? '' })
  const to = PAGES.find(({ path }) => rest.startsWith(path))?.to ?? '/o/$tenant/projects/p/$projectId'
  const { data } = useInfiniteQuery(projectQuery.names())
  const query = search.trim().toLowerCase()
  const found = (data?.pages.flat() ?? []).filter((project) => project.name.toLowerCase().includes(query))
  return (
    <>
      <input
        type="search"
        aria-label="Find a project"
        placeholder="Find a project"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
        className="mb-1 h-7 w-full rounded-control border border-border-strong bg-surface px-2 text-base coarse:h-10"
      />
      <ul className="max-h-80 overflow-y-auto">
        {found.slice(0, 100).map((project) => (
          <li key={project.id}>
            <Link
              to={to}
              params={{ tenant, projectId: project.id }}
              // Filters and time range are kept; the saved view, the dashboard and the open run belong to the old project.
              search={(kept: object) => ({ ...kept, peek: undefined, view: undefined, board: undefined })}
              onClick={onPick}
              aria-current={project.id === projectId ? 'page' : undefined}
              className="flex h-7 items-center rounded-control px-2 text-row hover:bg-hover aria-[current]:bg-selected coarse:h-10"
            >
              <span className="truncate">{project.name}</span>
            </Link>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="px-2 py-1 text-row text-fg-muted">No projects found.</p>}
      {found.length > 100 && (
        <p className="px-2 py-1 text-meta text-fg-muted">{found.length - 100} more. Type to narrow down.</p>
      )}
    </>
  )
}
