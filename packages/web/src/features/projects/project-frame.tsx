import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, Suspense, useEffect } from 'react'
import { describeFailure } from '#lib/errors.ts'
import { addRecent } from '#lib/preferences.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { PageTabs } from '#shell/frame/page-tabs.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { findCachedProject, projectQuery } from './queries.ts'

const NotFoundPage = lazyExtra(() => import('./not-found-page.tsx').then((module) => module.NotFoundPage))

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
  if (describeFailure(project.error).status === 404) {
    return (
      <Suspense>
        <NotFoundPage what="This project" id={projectId} />
      </Suspense>
    )
  }
  return (
    <PageFrame
      title={project.data?.name ?? 'Project'}
      tabs={
        <PageTabs
          label="Project"
          current={tab}
          tabs={TABS.map(({ to, ...one }) => ({ ...one, link: { to, params: { tenant, projectId } } }))}
        />
      }
      {...bands}
    >
      {children}
    </PageFrame>
  )
}
