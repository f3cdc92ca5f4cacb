import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import type { TracerSessionResult as Project } from '@touchstone/sdk'
import { useEffect, useMemo, useState } from 'react'
import type { ProjectsSearch } from '#lib/page-search.ts'
import { createPreference, isStringList } from '#lib/preferences.ts'
import { toBounds } from '#lib/time/time-range.ts'
import { usePreference } from '#ui/hooks.tsx'
import { projectQuery } from '../queries.ts'
import { sortProjects } from './projects-controller.ts'

/** A project and, once loaded, its figures. */
export interface ProjectRow {
  project: Project
  stats: Project | undefined
  /** Its figures could not be loaded. */
  failed: boolean
  /** Listed above the others in any order. */
  isPinned: boolean
}

export const pinnedPreference = createPreference<string[]>('pinned-projects', [], isStringList)

export type Projects = ReturnType<typeof useProjects>

/** Loads all pages of projects by name, then their figures. */
export function useProjects(search: ProjectsSearch) {
  const names = useInfiniteQuery(projectQuery.names({ experiments: search.experiments }))
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = names
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])

  // The range starts from the moment it was selected, so that all pages of figures cover the same time.
  const [anchor, setAnchor] = useState({ t: search.t, now: Date.now() })
  if (anchor.t !== search.t) setAnchor({ t: search.t, now: Date.now() })
  const since = toBounds(search.t, anchor.now).from

  const pages = names.data?.pages
  const stats = useQueries({
    queries: (pages ?? [])
      .filter((page) => page.length > 0)
      .map((page) =>
        projectQuery.stats(
          page.map((project) => project.id),
          since,
          search.t,
        ),
      ),
    combine: (results) => ({
      byId: results.map((result) => result.data),
      failed: results.map((result) => result.isError),
      isPending: results.some((result) => result.isPending),
      error: results.find((result) => result.isError)?.error,
      retry: () => {
        for (const result of results) if (result.isError) void result.refetch()
      },
    }),
  })

  const [pinned] = usePreference(pinnedPreference)
  const rows = useMemo(() => {
    const word = search.q.trim().toLowerCase()
    const all = (pages ?? []).flatMap((page, at) =>
      page.map((project) => ({
        project,
        stats: stats.byId[at]?.get(project.id),
        failed: stats.failed[at] ?? false,
        isPinned: pinned.includes(project.id),
      })),
    )
    const found = all.filter(({ project }) => matches(project, word))
    return sortProjects(found, search.sort).sort((one, other) => Number(other.isPinned) - Number(one.isPinned))
  }, [pages, stats, pinned, search.q, search.sort])
  return { names, stats, rows, total: pages?.reduce((sum, page) => sum + page.length, 0) ?? 0 }
}

/** Searches name, description, id and metadata. */
function matches(project: Project, word: string): boolean {
  if (word === '') return true
  const text = `${project.name}\n${project.description ?? ''}\n${project.id}\n${JSON.stringify(project.extra?.metadata ?? '')}`
  return text.toLowerCase().includes(word)
}
