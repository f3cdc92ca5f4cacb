import { useQuery } from '@tanstack/react-query'
import { Hourglass } from 'lucide-react'
import { Suspense, useRef } from 'react'
import { cx } from '#lib/browser.ts'
import { Button } from '#ui/button.tsx'
import { useDelayedFlag } from '#ui/hooks.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { runsQuery } from '../queries.ts'
import { RunsTable, type RunsTableProps } from './runs-table.tsx'

const NothingMatches = lazyExtra(() => import('./nothing-matches.tsx').then((module) => module.NothingMatches))
const Onboarding = lazyExtra(() => import('#features/onboarding/onboarding.tsx').then((module) => module.Onboarding))

export interface RunsListProps extends RunsTableProps {
  tenant: string
  project: { id: string; name: string | undefined }
}

/** The table of runs, or its replacement: skeleton rows, an error, onboarding, or "no runs match". */
export function RunsList(props: RunsListProps) {
  const { query, isStale } = props.runs.list
  if (query.isError && props.runs.list.rows.length === 0) {
    return <ErrorState title="Could not load runs" error={query.error} onRetry={() => void query.refetch()} />
  }
  return (
    <>
      <SlowList {...props} />
      <EmptyList {...props}>
        {query.isError && (
          <ErrorState
            compact
            title="Refresh failed. Showing previous results."
            error={query.error}
            onRetry={() => void query.refetch()}
          />
        )}
        <div className={cx('flex min-h-0 flex-1 flex-col', isStale && 'opacity-75')} aria-busy={isStale}>
          <RunsTable {...props} />
        </div>
      </EmptyList>
    </>
  )
}

/** Shows its children once the list has rows; before that, why it has none. */
function EmptyList(props: RunsListProps & { children: React.ReactNode }) {
  const { runs, project, search, actions } = props
  const { query, rows } = runs.list
  const isEmpty = query.isSuccess && !query.isPlaceholderData && rows.length === 0
  const hasAnyRun = useQuery({ ...runsQuery.any(project.id), enabled: isEmpty })
  // Onboarding stays after the first run arrives, until the user opens the list.
  const wasEmpty = useRef(false)
  if (isEmpty && hasAnyRun.data === false) wasEmpty.current = true

  if (query.isPending || (isEmpty && hasAnyRun.isPending) || (query.isPlaceholderData && rows.length === 0)) {
    const isLoading = query.fetchStatus !== 'idle' || isEmpty
    return isLoading && <SkeletonRows rows={20} label="Loading runs" />
  }
  if (!isEmpty) return props.children
  if (wasEmpty.current) {
    return (
      <Suspense fallback={<SkeletonRows rows={20} label="Loading runs" />}>
        <Onboarding
          tenant={props.tenant}
          projectName={project.name ?? 'default'}
          firstRun={runs.live.waiting.at(-1)}
          onSeeAll={runs.live.admit}
        />
      </Suspense>
    )
  }
  return (
    <Suspense>
      <NothingMatches
        projectId={project.id}
        search={search}
        waiting={runs.live.waiting.length}
        onShow={runs.live.admit}
        onChange={actions.change}
      />
    </Suspense>
  )
}

/** How long a list may load before a way out is offered. */
const SLOW_MS = 10_000

/** Offers to stop or narrow a list that loads slowly, or to repeat one that was canceled. */
function SlowList({ runs, search, actions }: RunsTableProps) {
  const { query, cancel } = runs.list
  const isLoading = query.isFetching && !query.isFetchingNextPage
  const isSlow = useDelayedFlag(isLoading, SLOW_MS)
  const isCanceled = !query.isFetching && (query.isPending || query.isPlaceholderData)
  if (!isSlow && !isCanceled) return null
  return (
    <div role="status" className="flex flex-wrap items-center gap-2 border-b border-border bg-sunken px-3 py-1.5">
      <Hourglass size={14} className="text-warn" aria-hidden />
      <p className="text-row">{isSlow ? 'Still loading runs.' : 'Search canceled.'}</p>
      {isSlow ? (
        <Button onClick={cancel}>Cancel</Button>
      ) : (
        <Button onClick={() => void query.refetch()}>Search again</Button>
      )}
      {search.t !== '24h' && search.t !== '1h' && (
        <Button onClick={() => actions.change({ t: '24h' })}>Last 24 hours</Button>
      )}
    </div>
  )
}
