import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { findCachedProject, projectQuery } from '#data/projects.ts'
import { describeFailure } from '#lib/errors.ts'
import { addRecent } from '#lib/preferences.ts'
import { NotFoundPage } from '#shell/not-found-page.tsx'
import { PageFrame } from '#shell/page-frame.tsx'

/** The pages of a project, in the order of their tabs. */
const TABS = [
  { id: 'runs', label: 'Runs', to: '/o/$tenant/projects/p/$projectId' },
  { id: 'threads', label: 'Threads', to: '/o/$tenant/projects/p/$projectId/threads' },
  { id: 'monitor', label: 'Monitor', to: '/o/$tenant/projects/p/$projectId/monitor' },
  { id: 'settings', label: 'Settings', to: '/o/$tenant/projects/p/$projectId/settings' },
] as const

export type ProjectTab = (typeof TABS)[number]['id']

export interface ProjectFrameProps {
  tenant: string
  projectId: string
  /** The page that is open. */
  tab: ProjectTab
  /** At the right of the page header. */
  actions?: ReactNode
  /** Controls of the view, below the tabs. */
  toolbar?: ReactNode
  /** In the status bar. */
  status?: ReactNode
  children: ReactNode
}

/** The project. Its name is available at once when a list has already loaded it. */
export function useProject(projectId: string) {
  const queryClient = useQueryClient()
  return useQuery({ ...projectQuery.one(projectId), placeholderData: () => findCachedProject(queryClient, projectId) })
}

/** The frame around every page of a project: name, tabs, and "not found" when the project does not exist. */
export function ProjectFrame({ tenant, projectId, tab, children, ...bands }: ProjectFrameProps) {
  const project = useProject(projectId)
  const name = project.data?.name
  useEffect(() => {
    if (name !== undefined) addRecent({ kind: 'project', label: name, href: `/o/${tenant}/projects/p/${projectId}` })
  }, [tenant, projectId, name])
  if (describeFailure(project.error).status === 404) return <NotFoundPage what="This project" id={projectId} />
  return (
    <PageFrame
      title={project.data?.name ?? 'Project'}
      tabs={
        <nav aria-label="Project" className="flex h-full min-w-0 items-stretch overflow-x-auto px-1">
          {TABS.map(({ id, label, to }) => (
            <Link
              key={id}
              to={to}
              params={{ tenant, projectId }}
              activeOptions={{ exact: true, includeSearch: false }}
              aria-current={id === tab ? 'page' : undefined}
              className="-mb-px flex items-center whitespace-nowrap border-b-2 border-transparent px-2.5 text-row text-fg-muted outline-offset-[-2px] hover:text-fg aria-[current]:border-accent aria-[current]:font-medium aria-[current]:text-fg"
            >
              {label}
            </Link>
          ))}
        </nav>
      }
      {...bands}
    >
      {children}
    </PageFrame>
  )
}
