import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo } from 'react'
import { NotFoundPage } from '#features/projects/not-found-page.tsx'
import { RunPanel } from '#features/runs/panel/run-panel.tsx'
import { describeFailure } from '#lib/errors.ts'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { traceExtras } from '../extra-queries.ts'
import { findRow, nameAt } from '../model/trace.ts'
import { traceQuery } from '../queries.ts'
import { findHeaderRunId } from '../view/trace-header.tsx'
import { TraceView } from '../view/trace-view.tsx'
import { useLiveTrace } from '../view/use-live-trace.ts'
import type { TraceSearch } from '../view/visualization.ts'
import { useArrival, WaitingForRun } from './waiting-for-run.tsx'

/** Search parameters of a run page. Links of clients contain `poll`, `trace_id` and `start_time`. */
export interface TracePageSearch extends TraceSearch {
  poll?: true | undefined
  trace_id?: string | undefined
  start_time?: string | undefined
}

export interface TracePageProps {
  tenant: string
  projectId: string
  runId: string
  search: TracePageSearch
  navigate: (to: {
    params?: { tenant: string; projectId: string; runId: string }
    search: (search: TracePageSearch) => TracePageSearch
    replace: boolean
  }) => unknown
}

/** A run in its trace. */
export function TracePage({ tenant, projectId, runId, search, navigate }: TracePageProps) {
  const queryClient = useQueryClient()
  const arrival = useArrival(runId, search.poll === true)
  const run = useQuery({ ...traceQuery.run(runId), enabled: arrival.hasArrived })
  // A link without a trace id needs the trace of the run, before its payload, which may be large, is loaded.
  const location = useQuery({
    ...traceQuery.location(runId),
    enabled: search.trace_id === undefined && arrival.hasArrived,
  })
  const traceId = search.trace_id ?? location.data?.traceId ?? run.data?.run.trace_id
  const tree = useQuery({
    ...traceQuery.tree(traceId ?? ''),
    enabled: traceId !== undefined && arrival.hasArrived,
    placeholderData: keepPreviousData,
  })
  const trace = useLiveTrace(tree.data)
  const version = tree.data?.version ?? ''
  const extras = useMemo(() => traceExtras(traceId ?? '', version), [traceId, version])

  const onSearch = useCallback(
    (change: Partial<TraceSearch>, how: 'push' | 'replace' = 'replace') =>
      void navigate({ search: (current) => ({ ...current, ...change }), replace: how === 'replace' }),
    [navigate],
  )
  const onSelect = useCallback(
    (id: string) =>
      void navigate({
        params: { tenant, projectId, runId: id },
        // The trace stays the same, so it is not loaded again for every selected run.
        search: ({ path: _, start_time: __, ...rest }) => ({ ...rest, trace_id: traceId }),
        replace: true,
      }),
    [navigate, tenant, projectId, traceId],
  )
  const onPrefetch = useCallback(
    (ids: readonly string[]) => {
      for (const id of ids) void queryClient.prefetchQuery(traceQuery.run(id))
    },
    [queryClient],
  )
  useEffect(() => {
    if (search.poll && arrival.hasArrived && run.data)
      void navigate({ search: ({ poll: _, ...rest }) => rest, replace: true })
  }, [search.poll, arrival.hasArrived, run.data, navigate])

  if (!arrival.hasArrived) return <WaitingForRun runId={runId} projectId={projectId} {...arrival} />
  const runProjectId = run.data?.run.session_id ?? location.data?.projectId
  if (runProjectId !== undefined && runProjectId !== projectId) {
    return (
      <Navigate
        to="/o/$tenant/projects/p/$projectId/r/$runId"
        params={{ tenant, projectId: runProjectId, runId }}
        search={({ poll: _, ...rest }: TracePageSearch) => rest}
        replace
      />
    )
  }
  if (describeFailure(run.error).status === 404) return <NotFoundPage what="This run" id={runId} />
  if (run.error && !trace)
    return <ErrorState title="Could not load the run" error={run.error} onRetry={() => void run.refetch()} />
  if (tree.error && !trace)
    return <ErrorState title="Could not load the trace" error={tree.error} onRetry={() => void tree.refetch()} />
  if (!trace || trace.size === 0) return <Loading />

  return (
    <>
      <title>{`${formatTitle(trace, runId)} · Touchstone`}</title>
      <TraceView
        trace={trace}
        runId={runId}
        search={search}
        onSearch={onSearch}
        onSelect={onSelect}
        onPrefetch={onPrefetch}
        extras={extras}
      >
        <RunPanel
          runId={runId}
          tab={search.tab}
          onTab={(tab) => onSearch({ tab, path: undefined }, 'push')}
          path={search.path}
          onPath={(path) => onSearch({ path: path || undefined })}
          headerRunId={findHeaderRunId(trace)}
        />
      </TraceView>
    </>
  )
}

function Loading() {
  return (
    <main className="min-h-0 flex-1 overflow-hidden">
      <SkeletonRows rows={24} height={26} label="Loading the trace" />
    </main>
  )
}

function formatTitle(trace: Parameters<typeof nameAt>[0], runId: string): string {
  return nameAt(trace, findRow(trace, runId) ?? 0)
}
