import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useMay } from '#data/me.ts'
import { refreshPairwise } from '#data/pairwise.ts'
import { PairwiseView } from '#domain/pairwise/pairwise-view.tsx'
import { VoteView } from '#domain/pairwise/vote-view.tsx'
import type { Sides } from '#domain/pairwise/win-bars.tsx'
import { assignColors } from '#lib/experiments/colors.ts'
import { describeOrder, type PairFilter } from '#lib/experiments/pairwise.ts'
import type { CompareSearch } from '#lib/experiments/search.ts'
import { formatCount } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { EmptyState, ErrorState, PaneBoundary, SkeletonRows } from '#ui/states.tsx'
import { DatasetFrame } from './-dataset-frame.tsx'
import { type Pair, usePair } from './-use-pair.ts'

export interface PairPageProps {
  tenant: string
  datasetId: string
  comparisonId: string
  search: CompareSearch
}

/** Key of the first votes on a comparison without judges. */
const FIRST_KEY = 'preference'

const FILTERS: readonly { value: PairFilter; label: string }[] = [
  { value: 'a', label: 'A wins' },
  { value: 'b', label: 'B wins' },
  { value: 'tie', label: 'Ties' },
  { value: 'disagree', label: 'Keys disagree' },
  { value: 'people', label: 'People differ from judges' },
]

/** Two experiments, pair by pair: which one judges and people prefer. */
export function PairPage({ tenant, datasetId, comparisonId, search }: PairPageProps) {
  const queryClient = useQueryClient()
  const pair = usePair(datasetId, comparisonId, search)
  const { comparison, pairs, view, names, shown, change } = pair
  const colors = useMemo(() => assignColors([view.a, view.b]), [view.a, view.b])
  const sides: Sides = {
    names,
    colors: { a: colors.get(view.a) ?? 'series-blue', b: colors.get(view.b) ?? 'series-orange' },
  }
  function stopVoting() {
    change({ vote: undefined })
    void refreshPairwise(queryClient)
  }
  return (
    <DatasetFrame
      tenant={tenant}
      datasetId={datasetId}
      tab="pairwise"
      // The name of a comparison usually contains those of its experiments.
      title={search.vote ? 'Blind votes' : (comparison.data?.name ?? undefined)}
      toolbar={pairs && !search.vote && <PairToolbar pair={pair} />}
      status={
        pairs && (
          <>
            <span role="status">
              {search.vote
                ? 'Blind votes'
                : `${formatCount(shown.length)} of ${formatCount(pairs.rows.length)} ${pairs.rows.length === 1 ? 'pair' : 'pairs'}`}
            </span>
            {pairs.unpaired > 0 && <span>{formatCount(pairs.unpaired)} examples with only one answer left out</span>}
            <span className="ml-auto">{describeOrder(comparison.data?.extra)}</span>
          </>
        )
      }
    >
      <PaneBoundary title="Could not show the comparison">
        {pairs === undefined || pairs.rows.length === 0 ? (
          <PairState pair={pair} />
        ) : search.vote ? (
          <VoteView
            view={view}
            texts={pair.texts}
            rows={pairs.rows}
            sides={sides}
            feedbackKey={pair.key ?? FIRST_KEY}
            readerId={pair.readerId}
            onClose={stopVoting}
          />
        ) : (
          <PairwiseView
            pairs={pairs}
            shown={shown}
            sides={sides}
            texts={pair.texts}
            statistics={pair.statistics}
            feedbackKey={pair.key}
            filter={pair.filter}
            open={search.ex}
            onPick={(metric, show) => change({ metric, show })}
            onOpen={(ex) => change({ ex }, search.ex === undefined || ex === undefined ? 'push' : 'replace')}
          />
        )}
      </PaneBoundary>
    </DatasetFrame>
  )
}

function PairToolbar({ pair: { pairs, key, filter, change, comparison, view } }: { pair: Pair }) {
  const mayVote = useMay('member')
  const experiments = comparison.data?.experiments_info ?? []
  return (
    <>
      {experiments.length > 2 && (
        <>
          <SidePicker
            label="A"
            value={view.a}
            other={view.b}
            pick={(a) => change({ selectedSessions: `${a},${view.b}` })}
            {...{ experiments }}
          />
          <SidePicker
            label="B"
            value={view.b}
            other={view.a}
            pick={(b) => change({ selectedSessions: `${view.a},${b}` })}
            {...{ experiments }}
          />
        </>
      )}
      {FILTERS.map(({ value, label }) => (
        <Button
          key={value}
          aria-pressed={filter === value}
          onClick={() => change({ show: filter === value ? undefined : value })}
          className="aria-pressed:border-accent aria-pressed:bg-selected"
        >
          {label}
        </Button>
      ))}
      {(pairs?.keys.length ?? 0) > 1 && key !== undefined && (
        <select
          aria-label="Feedback key"
          value={key}
          onChange={(event) => change({ metric: event.target.value })}
          className="h-7 max-w-40 shrink-0 rounded-control border border-border bg-surface px-1.5 text-row coarse:h-10"
        >
          {pairs?.keys.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      )}
      <span className="ml-auto" />
      <Button
        look="primary"
        disabled={!mayVote}
        title={mayVote ? undefined : 'Viewers cannot vote'}
        onClick={() => change({ vote: true, ex: undefined })}
      >
        Vote blind
      </Button>
    </>
  )
}

interface SidePickerProps {
  label: string
  value: string
  /** The experiment of the other side, which cannot be chosen. */
  other: string
  experiments: readonly { readonly id: string; readonly name: string }[]
  pick: (id: string) => void
}

function SidePicker({ label, value, other, experiments, pick }: SidePickerProps) {
  return (
    <select
      aria-label={`Experiment ${label}`}
      value={value}
      onChange={(event) => pick(event.target.value)}
      className="h-7 max-w-48 shrink-0 rounded-control border border-border bg-surface px-1.5 text-row coarse:h-10"
    >
      {experiments.map(({ id, name }) => (
        <option key={id} value={id} disabled={id === other}>
          {label}: {name}
        </option>
      ))}
    </select>
  )
}

/** What is shown without pairs: loading, a failure, or why there are none. */
function PairState({ pair: { queries, comparison, pairs } }: { pair: Pair }) {
  const failed = queries.find(({ isError }) => isError)
  if (failed?.error)
    return (
      <div className="flex-1">
        <ErrorState title="Could not load the comparison" error={failed.error} onRetry={() => void failed.refetch()} />
      </div>
    )
  if (comparison.data === null)
    return (
      <div className="flex-1">
        <EmptyState title="This comparison was not found">It may have been deleted.</EmptyState>
      </div>
    )
  if (pairs === undefined && (comparison.data?.experiments_info?.length ?? 2) >= 2)
    return (
      <div className="min-w-0 flex-1">
        <SkeletonRows rows={10} height={72} label="Loading the comparison" />
      </div>
    )
  return (
    <div className="flex-1">
      <EmptyState title="No pairs to compare">
        No example has a run in both experiments. An experiment may have been deleted.
      </EmptyState>
    </div>
  )
}
