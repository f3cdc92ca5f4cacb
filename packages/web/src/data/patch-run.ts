import type { QueryClient } from '@tanstack/react-query'
import type { Run } from '@touchstone/sdk'

/** Lays fields onto a run wherever it is cached: in lists, among their news, and in its own document. */
export function patchRun(queryClient: QueryClient, runId: string, change: Partial<Run>): void {
  queryClient.setQueriesData({ queryKey: ['runs'] }, (data: unknown) => patched(data, runId, change))
  queryClient.setQueryData(['run', runId], (document: { run: Run } | undefined) =>
    document === undefined ? undefined : { ...document, run: { ...document.run, ...change } },
  )
}

/** Lists keep pages of runs, their news a map by id; anything else stays as it is. */
function patched(data: unknown, runId: string, change: Partial<Run>): unknown {
  if (typeof data !== 'object' || data === null) return data
  if ('pages' in data) {
    const { pages } = data as { pages: { runs?: Run[] }[] }
    if (!pages.some(({ runs }) => runs?.some(({ id }) => id === runId))) return data
    return {
      ...data,
      pages: pages.map((page) =>
        page.runs === undefined
          ? page
          : { ...page, runs: page.runs.map((run) => (run.id === runId ? { ...run, ...change } : run)) },
      ),
    }
  }
  if ('byId' in data) {
    const byId = data.byId as ReadonlyMap<string, Run>
    const run = byId.get(runId)
    return run === undefined ? data : { ...data, byId: new Map(byId).set(runId, { ...run, ...change }) }
  }
  return data
}
