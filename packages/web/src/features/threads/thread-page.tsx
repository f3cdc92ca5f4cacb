import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Run } from '@touchstone/sdk'
import { ChevronDown, ChevronUp, CircleX } from 'lucide-react'
import { type RefObject, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { ProjectFrame } from '#features/projects/project-frame.tsx'
import { RunPeek } from '#features/runs/panel/run-peek.tsx'
import { formatCount, formatTokens } from '#lib/format.ts'
import type { ThreadSearch } from '#lib/page-search.ts'
import { addRecent } from '#lib/preferences.ts'
import { findNeighbors } from '#lib/row-selection.ts'
import { IconButton } from '#ui/button.tsx'
import { CopyButton } from '#ui/copy-button.tsx'
import { CostText } from '#ui/cost-text.tsx'
import { NARROW, useMedia } from '#ui/hooks.tsx'
import { lazyPart } from '#ui/lazy.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { EmptyState, ErrorState, PaneBoundary, SkeletonRows } from '#ui/states.tsx'
import { threadQuery } from './queries.ts'
import { CopyThread, QueueThread } from './thread-actions.tsx'
import { ThreadScores, ThreadScoresButton } from './thread-scores.tsx'
import type { TranscriptHandle } from './transcript.tsx'

const Transcript = lazyPart(() => import('./transcript.tsx').then((module) => module.Transcript))

export interface ThreadPageProps {
  tenant: string
  projectId: string
  threadId: string
  search: ThreadSearch
}

/** One conversation as its user saw it, with the trace of each turn beside it. */
export function ThreadPage({ tenant, projectId, threadId, search }: ThreadPageProps) {
  const { query, turns } = useTurns(projectId, threadId)
  const transcript = useRef<TranscriptHandle>(null)
  const navigation = useThreadNavigation({ tenant, projectId, search, turns, transcript })
  const { active, change, activate, jumpTo, open, close } = navigation
  const mayWrite = useMay('member')
  const [scoring, setScoring] = useState<string>()
  const hasTurns = turns.length > 0
  useThreadShortcuts(navigation, turns.length, search)
  useShortcuts(
    'List',
    mayWrite && hasTurns ? [{ keys: 'a', label: 'Score the turn', run: () => setScoring(turns[active]?.id) }] : [],
  )
  useTurnOfUrl(transcript, turns.length, search.turn)
  useEffect(() => {
    const href = `/o/${tenant}/projects/p/${projectId}/threads/${encodeURIComponent(threadId)}`
    if (hasTurns) addRecent({ kind: 'thread', label: threadId, href })
  }, [tenant, projectId, threadId, hasTurns])

  return (
    <ProjectFrame
      tenant={tenant}
      projectId={projectId}
      tab="threads"
      toolbar={
        <ThreadToolbar
          projectId={projectId}
          threadId={threadId}
          turns={turns}
          hasMore={query.hasNextPage}
          navigation={navigation}
          isScoresOpen={search.scores ?? false}
        />
      }
      status={<ThreadStatus query={query} turns={turns} />}
    >
      <PaneBoundary title="Could not show the conversation">
        <Conversation query={query} isEmpty={!hasTurns} threadId={threadId}>
          <Transcript
            ref={transcript}
            turns={turns}
            active={active}
            onActivate={activate}
            onOpen={open}
            scoring={scoring}
            onScoring={mayWrite ? setScoring : undefined}
          />
        </Conversation>
      </PaneBoundary>
      {search.scores && (
        <ThreadScores projectId={projectId} threadId={threadId} onClose={() => change({ scores: undefined }, 'push')} />
      )}
      {search.peek !== undefined && (
        <RunPeek
          tenant={tenant}
          projectId={projectId}
          runId={search.peek}
          onSelect={(peek) => change({ peek }, 'replace')}
          tab={search.tab}
          onTab={(tab) => change({ tab }, 'replace')}
          onClose={close}
          neighbors={findNeighbors(
            turns.map(({ id }) => id),
            // The panel may show a run below the turn.
            turns.some(({ id }) => id === search.peek) ? search.peek : (turns[active]?.id ?? search.peek),
          )}
          onMove={(id) => jumpTo(turns.findIndex((turn) => turn.id === id))}
        />
      )}
    </ProjectFrame>
  )
}

type TurnsQuery = ReturnType<typeof useTurns>['query']

/** All turns of a conversation without their messages. Pages load one after the other until the last. */
function useTurns(projectId: string, threadId: string) {
  const query = useInfiniteQuery(threadQuery.turns(projectId, threadId))
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])
  const turns = useMemo(() => query.data?.pages.flatMap((page) => page.runs) ?? [], [query.data])
  return { query, turns }
}

interface ThreadNavigationOptions extends Omit<ThreadPageProps, 'threadId'> {
  turns: readonly Run[]
  transcript: RefObject<TranscriptHandle | null>
}

type ThreadNavigation = ReturnType<typeof useThreadNavigation>

/** Moves between turns and opens their traces. Turns count from 0 here, and from 1 in the URL. */
function useThreadNavigation({ tenant, projectId, search, turns, transcript }: ThreadNavigationOptions) {
  const navigate = useNavigate({ from: '/o/$tenant/projects/p/$projectId/threads/$threadId' })
  const isNarrow = useMedia(NARROW)
  const active = Math.min((search.turn ?? 1) - 1, Math.max(turns.length - 1, 0))
  const failed = turns.flatMap((turn, index) => (turn.status === 'error' ? [index] : []))

  const change = (part: Partial<ThreadSearch>, how: 'push' | 'replace') =>
    void navigate({ search: (current) => ({ ...current, ...part }), replace: how === 'replace' })
  function activate(index: number) {
    const peek = search.peek === undefined ? {} : { peek: turns[index]?.id }
    if (index !== active || search.turn === undefined) change({ turn: index + 1, ...peek }, 'replace')
  }
  function jumpTo(index: number | undefined) {
    if (index === undefined || index < 0 || index >= turns.length) return
    activate(index)
    transcript.current?.scrollTo(index)
  }
  /** Moves from the active turn while it is in view, otherwise from the first turn in view. */
  function step(by: 1 | -1) {
    const view = transcript.current?.inView()
    const isInView = view === undefined || (active >= view.first && active <= view.last)
    jumpTo(isInView ? active + by : by > 0 ? view.first + 1 : view.first)
  }
  function toggleScores() {
    change(search.scores ? { scores: undefined } : { scores: true, peek: undefined, tab: undefined }, 'push')
  }
  function openPage(index: number, tab?: string) {
    const runId = turns[index]?.id
    if (runId === undefined) return
    const params = { tenant, projectId, runId }
    void navigate({ to: '/o/$tenant/projects/p/$projectId/r/$runId', params, search: { tab } })
  }
  function open(index: number, tab?: 'feedback') {
    if (isNarrow) return openPage(index, tab)
    const peek = { peek: turns[index]?.id, ...(tab && { tab }) }
    change({ turn: index + 1, ...peek, scores: undefined }, search.peek === undefined ? 'push' : 'replace')
  }
  const close = () => change({ peek: undefined, tab: undefined }, 'push')
  return { active, failed, change, activate, jumpTo, step, openPage, open, close, toggleScores }
}

function useThreadShortcuts(navigation: ThreadNavigation, turnCount: number, { peek, scores }: ThreadSearch) {
  const { active, failed, jumpTo, step, open, openPage, close, toggleScores } = navigation
  useShortcuts('List', [
    { keys: ['j', 'arrowdown'], label: 'Next turn', run: () => step(1) },
    { keys: ['k', 'arrowup'], label: 'Previous turn', run: () => step(-1) },
    { keys: 'home', label: 'First turn', run: () => jumpTo(0) },
    { keys: 'end', label: 'Last turn', run: () => jumpTo(turnCount - 1) },
    { keys: 'e', label: 'Next failed turn', run: () => jumpTo(failed.find((index) => index > active)) },
    { keys: 'shift+e', label: 'Previous failed turn', run: () => jumpTo(failed.findLast((index) => index < active)) },
    { keys: 'enter', label: 'Open the trace of the turn in a panel', run: () => open(active) },
    { keys: 'o', label: 'Open the trace of the turn as a page', run: () => openPage(active) },
    { keys: 'shift+a', label: 'Show the scores of the thread', run: toggleScores },
    {
      keys: 'escape',
      label: 'Close the panel',
      run: () => (peek !== undefined ? close() : scores && toggleScores()),
    },
  ])
}

/** Scrolls to the turn of the URL once, as soon as it is loaded. */
function useTurnOfUrl(transcript: RefObject<TranscriptHandle | null>, turnCount: number, turn: number | undefined) {
  const isDone = useRef(false)
  const isLoaded = turnCount > (turn ?? 1) - 1
  useEffect(() => {
    if (isDone.current || !isLoaded || turn === undefined) return
    isDone.current = true
    const frame = requestAnimationFrame(function reveal() {
      if (transcript.current) transcript.current.scrollTo(turn - 1)
      else requestAnimationFrame(reveal)
    })
    return () => cancelAnimationFrame(frame)
  }, [transcript, isLoaded, turn])
}

interface ThreadToolbarProps {
  projectId: string
  threadId: string
  turns: readonly Run[]
  hasMore: boolean
  navigation: ThreadNavigation
  isScoresOpen: boolean
}

function ThreadToolbar({ projectId, threadId, turns, hasMore, navigation, isScoresOpen }: ThreadToolbarProps) {
  const { active, failed, jumpTo, step, toggleScores } = navigation
  return (
    <>
      <h2 className="max-w-64 min-w-12 truncate font-mono text-row max-sm:sr-only" title={threadId}>
        {threadId}
      </h2>
      <span className="flex max-sm:hidden">
        <CopyButton iconOnly text={threadId} label="Copy thread ID" />
      </span>
      <IconButton icon={ChevronUp} label="Previous turn" keys="k" disabled={active <= 0} onClick={() => step(-1)} />
      <IconButton
        icon={ChevronDown}
        label="Next turn"
        keys="j"
        disabled={active >= turns.length - 1}
        onClick={() => step(1)}
      />
      <span className="whitespace-nowrap text-row tabular-nums text-fg-muted">
        <span className="max-sm:sr-only">Turn </span>
        {turns.length === 0 ? 0 : active + 1} of {formatCount(turns.length)}
        {hasMore ? '+' : ''}
      </span>
      {failed.length > 0 && (
        <button
          type="button"
          onClick={() => jumpTo(failed.find((index) => index > active) ?? failed[0])}
          className="flex h-7 shrink-0 items-center gap-1 rounded-control px-2 text-row text-err hover:bg-hover coarse:h-10"
        >
          <CircleX size={13} aria-hidden />
          {failed.length}
          <span className="sr-only sm:not-sr-only">failed</span>
        </button>
      )}
      <span className="ml-auto flex shrink-0 items-center gap-1">
        {turns.length > 0 && (
          <ThreadScoresButton projectId={projectId} threadId={threadId} isOpen={isScoresOpen} onClick={toggleScores} />
        )}
        {turns.length > 0 && <QueueThread projectId={projectId} threadId={threadId} />}
        <CopyThread threadId={threadId} turns={turns} disabled={hasMore || turns.length === 0} />
      </span>
    </>
  )
}

function ThreadStatus({ query, turns }: { query: TurnsQuery; turns: readonly Run[] }) {
  const tokens = turns.reduce((sum, turn) => sum + (turn.total_tokens ?? 0), 0)
  const sumOf = (costs: readonly (string | null | undefined)[]) => {
    const known = costs.filter((cost) => cost != null)
    return known.length === 0 ? null : known.reduce((sum, cost) => sum + Number(cost), 0)
  }
  const cost = sumOf(turns.map((turn) => turn.total_cost))
  return (
    <>
      <span role="status">
        {query.isSuccess &&
          `${formatCount(turns.length)}${query.hasNextPage ? '+' : ''} ${turns.length === 1 ? 'turn' : 'turns'}`}
      </span>
      {tokens > 0 && <span>{formatTokens(tokens)} tokens</span>}
      {cost !== null && (
        <CostText
          total={cost}
          reported={sumOf(turns.map((turn) => turn.reported_cost))}
          fees={turns.reduce((sum, turn) => sum + (turn.unpriced_fees ?? 0), 0)}
        />
      )}
      {query.isFetchNextPageError && (
        <button type="button" className="text-accent hover:underline" onClick={() => void query.fetchNextPage()}>
          Could not load later turns. Retry
        </button>
      )}
      <span className="ml-auto hidden sm:inline">Oldest first</span>
    </>
  )
}

interface ConversationProps {
  query: TurnsQuery
  isEmpty: boolean
  threadId: string
  children: React.ReactNode
}

/** Shows its children once turns are loaded; before that, why there are none. */
function Conversation({ query, isEmpty, threadId, children }: ConversationProps) {
  const loading = (
    <div className="min-w-0 flex-1">
      <SkeletonRows rows={10} height={72} label="Loading the conversation" />
    </div>
  )
  if (query.isPending) return loading
  if (!isEmpty) return <Suspense fallback={loading}>{children}</Suspense>
  return (
    <div className="flex-1">
      {query.isError ? (
        <ErrorState title="Could not load the conversation" error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <EmptyState title="This thread was not found">
          No trace of this project has the thread ID {threadId}.
        </EmptyState>
      )}
    </div>
  )
}
