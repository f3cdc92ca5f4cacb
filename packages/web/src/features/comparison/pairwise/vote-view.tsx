import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useReducer } from 'react'
import { formatCount } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { toReadableText } from '../logic/row-texts.ts'
import type { ComparisonView } from '../queries.ts'
import { PairText, usePairTexts } from './pair-panel.tsx'
import { isSwapped, reduceVotes, startVoting, VOTES, type Vote } from './pair-votes.ts'
import type { PairRow } from './pairwise.ts'
import { type PairView, pairwiseMutation } from './queries.ts'
import { VoteResult } from './vote-result.tsx'
import type { Sides } from './win-bars.tsx'

export interface VoteViewProps {
  view: PairView
  texts: ComparisonView
  rows: readonly PairRow[]
  sides: Sides
  feedbackKey: string
  /** Id of the voter; null on a server without accounts. */
  readerId: string | null
  onClose: () => void
}

/** Votes on pairs without names, in an order of sides that differs per row. The sides are revealed at the end. */
export function VoteView({ view, texts, rows, sides, feedbackKey, readerId, onClose }: VoteViewProps) {
  const [session, dispatch] = useReducer(reduceVotes, undefined, () =>
    startVoting(rows.flatMap((row) => (row.verdicts.get(feedbackKey)?.mine ? [] : row.exampleId))),
  )
  const queryClient = useQueryClient()
  const save = useMutation(pairwiseMutation.vote(queryClient, view, readerId))
  const row = rows.find(({ exampleId }) => exampleId === session.queue[session.at])
  const whole = usePairTexts(texts, row)
  // The next pair is loaded ahead.
  usePairTexts(
    texts,
    rows.find(({ exampleId }) => exampleId === session.queue[session.at + 1]),
  )
  const swapped = row !== undefined && isSwapped(readerId ?? '', view.comparisonId, row.exampleId)
  function vote(choice: Vote) {
    // Answers that are not shown yet cannot be voted on.
    if (row === undefined || !whole.isSuccess) return
    const { exampleId, runA, runB } = row
    dispatch({ kind: 'vote', vote: choice })
    save.mutateAsync({ key: feedbackKey, vote: choice, swapped, runA, runB }).catch((cause) => {
      dispatch({ kind: 'failed', exampleId })
      toast.failure('Could not save the vote', cause)
    })
  }
  useShortcuts('Compare', [
    ...VOTES.map(({ vote: choice, label }, at) => ({ keys: String(at + 1), label, run: () => vote(choice) })),
    { keys: 'arrowleft', label: 'Previous pair', run: () => dispatch({ kind: 'move', by: -1 }) },
    { keys: 'arrowright', label: 'Skip the pair', run: () => dispatch({ kind: 'move', by: 1 }) },
    { keys: 'escape', label: 'Stop and reveal', run: () => dispatch({ kind: 'finish' }) },
  ])
  if (session.queue.length === 0)
    return (
      <div className="flex-1">
        <EmptyState title="You have voted on every pair" actions={<Button onClick={onClose}>Show the results</Button>}>
          New examples that both experiments answered will be added here.
        </EmptyState>
      </div>
    )
  if (row === undefined)
    return (
      <VoteResult
        session={session}
        rows={rows}
        sides={sides}
        feedbackKey={feedbackKey}
        onRepeat={() => dispatch({ kind: 'repeat' })}
        onClose={onClose}
      />
    )
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <p role="status" className="shrink-0 border-b border-border bg-surface px-3 py-2 text-row text-fg-muted">
        Pair {formatCount(session.at + 1)} of {formatCount(session.queue.length)}. Which answer is better for{' '}
        <strong className="font-medium text-fg">{feedbackKey}</strong>? Names are hidden, and sides are shuffled.
      </p>
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
        <BlindPair key={row.exampleId} whole={whole} row={row} swapped={swapped} />
      </div>
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-t border-border bg-surface px-3 py-2">
        {VOTES.map(({ vote: choice, label }, at) => (
          <Button
            key={choice}
            disabled={!whole.isSuccess}
            aria-pressed={session.votes.get(row.exampleId) === choice}
            onClick={() => vote(choice)}
          >
            <kbd className="text-meta text-fg-muted">{at + 1}</kbd>
            {label}
          </Button>
        ))}
        <Button className="ml-auto" look="quiet" onClick={() => dispatch({ kind: 'finish' })}>
          Stop and reveal
        </Button>
      </div>
    </div>
  )
}

interface BlindPairProps {
  whole: ReturnType<typeof usePairTexts>
  row: PairRow
  swapped: boolean
}

function BlindPair({ whole, row, swapped }: BlindPairProps) {
  if (whole.isPending) return <SkeletonRows rows={10} label="Loading the pair" />
  if (whole.isError) return <ErrorState title="Could not load the pair" error={whole.error} onRetry={whole.refetch} />
  const outputOf = (id: string) => {
    const run = whole.data?.runs.find((one) => one.id === id)
    return run?.error || toReadableText(run?.outputs)
  }
  const [left, right] = swapped ? [row.runB, row.runA] : [row.runA, row.runB]
  return (
    <div className="flex flex-col gap-3 p-3">
      <PairText title="Input" text={toReadableText(whole.data?.inputs)} />
      <div className="grid gap-3 sm:grid-cols-2">
        <PairText title="Left" text={outputOf(left)} />
        <PairText title="Right" text={outputOf(right)} />
      </div>
    </div>
  )
}
