import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { RunPanel } from '#features/runs/panel/run-panel.tsx'
import { sharedTraceExtras } from '#features/traces/extra-queries.ts'
import { findRow, idAt, nameAt } from '#features/traces/model/trace.ts'
import { traceQuery } from '#features/traces/queries.ts'
import { findHeaderRunId } from '#features/traces/view/trace-header.tsx'
import { TraceView } from '#features/traces/view/trace-view.tsx'
import { useLiveTrace } from '#features/traces/view/use-live-trace.ts'
import type { TraceSearch } from '#features/traces/view/visualization.ts'
import { describeFailure } from '#lib/errors.ts'
import { PublicNotFound, PublicShell } from '#shell/frame/public-shell.tsx'
import { ErrorState, PaneBoundary, SkeletonRows } from '#ui/states.tsx'

export interface PublicRunPageProps {
  token: string
  /** A run below the shared one. @default the shared run */
  run?: string
  search: TraceSearch
}

/** A shared run with all runs below it. Requests contain no identity of the reader. */
export function PublicRunPage({ token, run: wanted, search }: PublicRunPageProps) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const tree = useQuery(traceQuery.tree('', token))
  const trace = useLiveTrace(tree.data)
  const version = tree.data?.version ?? ''
  const extras = useMemo(() => sharedTraceExtras(token, version), [token, version])
  const runId = wanted ?? (trace && trace.size > 0 ? idAt(trace, 0) : undefined)

  const onSearch = useCallback(
    (change: Partial<TraceSearch>, how: 'push' | 'replace' = 'replace') =>
      void navigate({ to: '.', search: (kept) => ({ ...kept, ...change }), replace: how === 'replace' }),
    [navigate],
  )
  const onSelect = useCallback(
    (id: string) =>
      void navigate({
        to: '/public/$token/r/$run',
        params: { token, run: id },
        search: ({ path: _, ...kept }: TraceSearch) => kept,
        replace: true,
      }),
    [navigate, token],
  )
  const onPrefetch = useCallback(
    (ids: readonly string[]) => {
      for (const id of ids) void queryClient.prefetchQuery(traceQuery.run(id, token))
    },
    [queryClient, token],
  )

  const isClosed = describeFailure(tree.error).status === 404
  if (isClosed || (trace && runId !== undefined && findRow(trace, runId) === undefined)) return <PublicNotFound />
  return (
    <PublicShell title={trace && trace.size > 0 ? nameAt(trace, 0) : 'Shared run'}>
      {tree.error && !trace ? (
        <ErrorState title="Could not load this run" error={tree.error} onRetry={() => void tree.refetch()} />
      ) : !trace || runId === undefined ? (
        <main className="min-h-0 flex-1 overflow-hidden">
          <SkeletonRows rows={24} height={26} label="Loading trace" />
        </main>
      ) : (
        <PaneBoundary title="Could not show this run">
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
              share={token}
              tab={search.tab}
              onTab={(tab) => onSearch({ tab, path: undefined }, 'push')}
              path={search.path}
              onPath={(path) => onSearch({ path: path || undefined })}
              headerRunId={findHeaderRunId(trace)}
            />
          </TraceView>
        </PaneBoundary>
      )}
    </PublicShell>
  )
}
