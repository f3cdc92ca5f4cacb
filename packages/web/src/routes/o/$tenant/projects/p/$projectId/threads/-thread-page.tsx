import { useNavigate } from '@tanstack/react-router'
import { ChevronDown, ChevronUp, CircleX } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef } from 'react'
import type { TranscriptHandle } from '#domain/thread-view/transcript.tsx'
import { formatCost, formatCount, formatTokens } from '#lib/format/format.ts'
import { addRecent } from '#lib/preferences/recents.ts'
import type { ThreadSearch } from '#lib/url/threads-search.ts'
import { CopyButton } from '#ui/copy-button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { IconButton } from '#ui/icon-button.tsx'
import { PaneBoundary } from '#ui/pane-boundary.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { NARROW, useMedia } from '#ui/use-media.tsx'
import { useShortcuts } from '#ui/use-shortcuts.tsx'
import { ProjectFrame } from '../-project-frame.tsx'
import { RunPeek } from '../-run-peek.tsx'
import { CopyThread } from './-copy-thread.tsx'
import { QueueThread } from './-queue-thread.tsx'
import { useTurns } from './-use-turns.ts'

const Transcript = lazy(() =>
  import('#domain/thread-view/transcript.tsx').then((module) => ({ default: module.Transcript })),
)

export interface ThreadPageProps {
  tenant: string
  projectId: string
  threadId: string
  search: ThreadSearch
}

/** One conversation as its user saw it, the machinery one step away. */
export function ThreadPage({ tenant, projectId, threadId, search }: ThreadPageProps) {
  const navigate = useNavigate({ from: '/o/$tenant/projects/p/$projectId/threads/$threadId' })
  const isNarrow = useMedia(NARROW)
  const { list, turns } = useTurns(projectId, threadId)
  const transcript = useRef<TranscriptHandle>(null)
  const active = Math.min((search.turn ?? 1) - 1, Math.max(turns.length - 1, 0))
  const failed = turns.flatMap((turn, at) => (turn.status === 'error' ? [at] : []))

  const change = (part: Partial<ThreadSearch>, replace: boolean) =>
    void navigate({ search: (kept) => ({ ...kept, ...part }), replace })
  function activate(index: number) {
    const peek = search.peek === undefined ? {} : { peek: turns[index]?.id }
    if (index !== active || search.turn === undefined) change({ turn: index + 1, ...peek }, true)
  }
  function jumpTo(index: number | undefined) {
    if (index === undefined || index < 0 || index >= turns.length) return
    activate(index)
    transcript.current?.scrollTo(index)
  }
  /** From the turn in focus while it is in view, otherwise from what is being read. */
  function step(by: 1 | -1) {
    const view = transcript.current?.inView()
    const isSeen = view === undefined || (active >= view.first && active <= view.last)
    jumpTo(isSeen ? active + by : by > 0 ? view.first + 1 : view.first)
  }
  const openPage = (index: number) => {
    const runId = turns[index]?.id
    if (runId !== undefined)
      void navigate({ to: '/o/$tenant/projects/p/$projectId/r/$runId', params: { tenant, projectId, runId } })
  }
  function open(index: number) {
    if (isNarrow) openPage(index)
    else change({ turn: index + 1, peek: turns[index]?.id }, search.peek !== undefined)
  }
  const close = () => change({ peek: undefined, tab: undefined }, false)

  useShortcuts('List', [
    { keys: ['j', 'arrowdown'], label: 'Next turn', run: () => step(1) },
    { keys: ['k', 'arrowup'], label: 'Previous turn', run: () => step(-1) },
    { keys: 'home', label: 'First turn', run: () => jumpTo(0) },
    { keys: 'end', label: 'Last turn', run: () => jumpTo(turns.length - 1) },
    { keys: 'e', label: 'Next failed turn', run: () => jumpTo(failed.find((at) => at > active)) },
    { keys: 'shift+e', label: 'Previous failed turn', run: () => jumpTo(failed.findLast((at) => at < active)) },
    { keys: 'enter', label: 'Open the turn’s trace beside it', run: () => open(active) },
    { keys: 'o', label: 'Open the turn’s trace as a page', run: () => openPage(active) },
    { keys: 'escape', label: 'Close the trace', run: () => search.peek !== undefined && close() },
  ])

  const hasTurns = turns.length > 0
  useEffect(() => {
    const href = `/o/${tenant}/projects/p/${projectId}/threads/${encodeURIComponent(threadId)}`
    if (hasTurns) addRecent({ kind: 'thread', label: threadId, href })
  }, [tenant, projectId, threadId, hasTurns])

  // A link to a turn opens there, as soon as that turn is in the list.
  const opened = useRef(false)
  const isThere = turns.length > (search.turn ?? 1) - 1
  useEffect(() => {
    if (opened.current || !isThere || search.turn === undefined) return
    opened.current = true
    const frame = requestAnimationFrame(function reveal() {
      if (transcript.current) transcript.current.scrollTo(search.turn! - 1)
      else requestAnimationFrame(reveal)
    })
    return () => cancelAnimationFrame(frame)
  }, [isThere, search.turn])

  const tokens = turns.reduce((sum, turn) => sum + (turn.total_tokens ?? 0), 0)
  const costs = turns.flatMap((turn) => (turn.total_cost == null ? [] : [Number(turn.total_cost)]))
  const peeked = turns.findIndex((turn) => turn.id === search.peek)
  return (
    <ProjectFrame
      tenant={tenant}
      projectId={projectId}
      tab="threads"
      toolbar={
        <>
          <h2 className="max-w-64 min-w-12 truncate font-mono text-row" title={threadId}>
            {threadId}
          </h2>
          <CopyButton iconOnly text={threadId} label="Copy thread id" />
          <IconButton icon={ChevronUp} label="Previous turn" keys="k" disabled={active <= 0} onClick={() => step(-1)} />
          <IconButton
            icon={ChevronDown}
            label="Next turn"
            keys="j"
            disabled={active >= turns.length - 1}
            onClick={() => step(1)}
          />
          <span className="whitespace-nowrap text-row tabular-nums text-fg-muted">
            Turn {turns.length === 0 ? 0 : active + 1} of {formatCount(turns.length)}
            {list.hasNextPage ? '+' : ''}
          </span>
          {failed.length > 0 && (
            <button
              type="button"
              onClick={() => jumpTo(failed.find((at) => at > active) ?? failed[0])}
              className="flex h-7 shrink-0 items-center gap-1 rounded-control px-2 text-row text-err hover:bg-hover coarse:h-10"
            >
              <CircleX size={13} aria-hidden />
              {failed.length}
              <span className="sr-only sm:not-sr-only">failed</span>
            </button>
          )}
          <span className="ml-auto flex shrink-0 items-center gap-1">
            {hasTurns && <QueueThread projectId={projectId} threadId={threadId} />}
            <CopyThread threadId={threadId} turns={turns} disabled={list.hasNextPage || turns.length === 0} />
          </span>
        </>
      }
      status={
        <>
          <span role="status">
            {list.isSuccess &&
              `${formatCount(turns.length)}${list.hasNextPage ? '+' : ''} ${turns.length === 1 ? 'turn' : 'turns'}`}
          </span>
          {tokens > 0 && <span>{formatTokens(tokens)} tokens</span>}
          {costs.length > 0 && <span>{formatCost(String(costs.reduce((sum, cost) => sum + cost, 0)))}</span>}
          {list.isFetchNextPageError && (
            <button type="button" className="text-accent hover:underline" onClick={() => void list.fetchNextPage()}>
              Later turns could not be loaded; try again
            </button>
          )}
          <span className="ml-auto hidden sm:inline">oldest first</span>
        </>
      }
    >
      <PaneBoundary title="The conversation could not be drawn">{body()}</PaneBoundary>
      {search.peek !== undefined && (
        <RunPeek
          tenant={tenant}
          projectId={projectId}
          runId={search.peek}
          tab={search.tab}
          onTab={(tab) => change({ tab }, true)}
          onClose={close}
          neighbors={{ previous: turns[peeked - 1]?.id, next: peeked < 0 ? undefined : turns[peeked + 1]?.id }}
          onMove={(id) => jumpTo(turns.findIndex((turn) => turn.id === id))}
        />
      )}
    </ProjectFrame>
  )

  function body() {
    const waiting = (
      <div className="min-w-0 flex-1">
        <SkeletonRows rows={10} height={72} label="Loading the conversation" />
      </div>
    )
    if (list.isPending) return waiting
    if (list.isError && turns.length === 0) {
      return (
        <div className="flex-1">
          <ErrorState title="Could not load the conversation" error={list.error} onRetry={() => void list.refetch()} />
        </div>
      )
    }
    if (turns.length === 0) {
      return (
        <div className="flex-1">
          <EmptyState title="This thread was not found">
            No trace of this project carries the id {threadId} any more.
          </EmptyState>
        </div>
      )
    }
    return (
      <Suspense fallback={waiting}>
        <Transcript ref={transcript} turns={turns} active={active} onActivate={activate} onOpen={open} />
      </Suspense>
    )
  }
}
