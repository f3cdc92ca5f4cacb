import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { TracerSessionResult as Project } from '@touchstone/sdk'
import { Suspense, useEffect, useState } from 'react'
import { homeQuery } from '#features/home/queries.ts'
import { refreshProjects } from '#features/projects/queries.ts'
import { LIVE_MS, runsQuery } from '#features/runs/queries.ts'
import { lazyExtra } from '#ui/lazy.tsx'
import { FirstTraceStatus } from './first-trace-status.tsx'

const Onboarding = lazyExtra(() => import('./onboarding.tsx').then((module) => module.Onboarding))

export interface FirstTraceProps {
  tenant: string
  /** All projects of a new workspace. */
  projects: readonly Project[]
}

/** Instructions for the first trace of a workspace without traces, and a notice when it arrives. */
export function FirstTrace({ tenant, projects }: FirstTraceProps) {
  const queryClient = useQueryClient()
  const newest = useQuery({
    ...runsQuery.newest(projects.map((project) => project.id)),
    enabled: projects.length > 0,
  })
  const [wasEmpty, setWasEmpty] = useState(false)
  if (newest.data === null && !wasEmpty) setWasEmpty(true)

  // The awaited trace may create its project, so the projects are refreshed too.
  const isWaiting = wasEmpty && !newest.data
  useEffect(() => {
    if (!isWaiting) return
    const timer = setInterval(() => {
      if (document.hidden) return
      void refreshProjects(queryClient)
      void queryClient.invalidateQueries({ queryKey: runsQuery.allNewest() })
    }, LIVE_MS)
    return () => clearInterval(timer)
  }, [isWaiting, queryClient])

  const hasArrived = wasEmpty && Boolean(newest.data)
  useEffect(() => {
    if (hasArrived) void queryClient.invalidateQueries({ queryKey: homeQuery.all() })
  }, [hasArrived, queryClient])

  if (!wasEmpty) return null
  if (newest.data) {
    return (
      <div className="border-b border-border p-3">
        <FirstTraceStatus tenant={tenant} run={newest.data} />
      </div>
    )
  }
  return (
    <div className="flex max-h-[70%] min-h-[45%] flex-col border-b border-border">
      <Suspense>
        {/* The oldest project is the one that every workspace starts with. */}
        <Onboarding tenant={tenant} projectName={projects.at(-1)?.name ?? 'default'} firstRun={undefined} />
      </Suspense>
    </div>
  )
}
