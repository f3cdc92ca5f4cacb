import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { compareRunsQuery } from '#features/traces/queries.ts'

/** The project of the two runs that are compared, if it is the same. */
export function ComparedProject({ children }: { children: (projectId: string) => ReactNode }) {
  const { a, b } = useSearch({ strict: false }) as { a?: string; b?: string }
  // The page loads the runs; this only waits for them.
  const { data } = useQuery({ ...compareRunsQuery(a ?? '', b ?? ''), enabled: false })
  if (data === undefined || 'missing' in data || data.a.projectId !== data.b.projectId) return null
  return children(data.a.projectId)
}
