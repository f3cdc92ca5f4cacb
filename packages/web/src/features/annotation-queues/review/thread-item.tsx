import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { AnnotationQueueItem } from '@touchstone/sdk'
import { useEffect, useState } from 'react'
import { threadQuery } from '#features/threads/queries.ts'
import { Transcript } from '#features/threads/transcript.tsx'
import { formatCount } from '#lib/format.ts'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'

/** A thread to review, as its transcript. */
export function ThreadItem({ tenant, item }: { tenant: string; item: AnnotationQueueItem }) {
  const threadId = item.thread_id ?? ''
  const read = useInfiniteQuery(threadQuery.turns(item.project_id, threadId))
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = read
  const turns = (read.data?.pages ?? []).flatMap((page) => page.runs)
  const [active, setActive] = useState(0)
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])
  const openTrace = (index: number) => {
    const turn = turns[index]
    if (turn) window.open(`/o/${tenant}/projects/p/${item.project_id}/r/${turn.id}?trace_id=${turn.trace_id}`, '_blank')
  }
  return (
    <>
      <div className="flex min-h-9 shrink-0 items-center gap-2 border-b border-border bg-surface px-3 text-row">
        <span className="min-w-0 truncate text-fg-muted">Thread {threadId}</span>
        <span className="whitespace-nowrap text-fg-subtle">
          {formatCount(turns.length)}
          {hasNextPage && '+'} {turns.length === 1 ? 'turn' : 'turns'}
        </span>
        <Link
          to="/o/$tenant/projects/p/$projectId/threads/$threadId"
          params={{ tenant, projectId: item.project_id, threadId }}
          target="_blank"
          className="ml-auto whitespace-nowrap text-accent hover:underline"
        >
          Open thread
        </Link>
      </div>
      {read.isError && (
        <ErrorState
          compact={turns.length > 0}
          title="Could not load the thread"
          error={read.error}
          onRetry={() => void (turns.length > 0 ? read.fetchNextPage() : read.refetch())}
        />
      )}
      {read.isPending && <SkeletonRows rows={8} label="Loading the thread" />}
      {read.isSuccess && turns.length === 0 && (
        <EmptyState title="The thread has no turns">Its traces were deleted.</EmptyState>
      )}
      {turns.length > 0 && (
        <div className="flex min-h-[50vh] flex-1 md:min-h-0">
          <Transcript turns={turns} active={active} onActivate={setActive} onOpen={openTrace} scoring={undefined} />
        </div>
      )}
    </>
  )
}
