import { Button } from '#ui/button.tsx'
import { Select } from '#ui/select.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { LOW_MARGIN, type PairFilter } from './pairwise.ts'
import type { Pair } from './use-pair.ts'

const FILTERS: readonly { value: PairFilter; label: string; title?: string }[] = [
  { value: 'a', label: 'A wins' },
  { value: 'b', label: 'B wins' },
  { value: 'tie', label: 'Ties' },
  {
    value: 'close',
    label: 'Low margin',
    title: `The scores of the sides differ by at most ${LOW_MARGIN * 100}\u00a0% of the range of all scores`,
  },
  { value: 'disagree', label: 'Keys disagree' },
  { value: 'people', label: 'People differ from judges' },
]

interface PairToolbarProps {
  pair: Pair
  /** Absent behind a share link, where votes are not possible. */
  onVote?: (() => void) | undefined
  mayVote?: boolean
}

/** Sides, filters and feedback key of a comparison of two experiments. */
export function PairToolbar({ pair, onVote, mayVote = true }: PairToolbarProps) {
  const { pairs, key, filter, change, comparison, view } = pair
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
      {FILTERS.map(({ value, label, title }) => (
        <Button
          key={value}
          title={title}
          aria-pressed={filter === value}
          onClick={() => change({ show: filter === value ? undefined : value })}
          className="aria-pressed:border-accent aria-pressed:bg-selected"
        >
          {label}
        </Button>
      ))}
      {(pairs?.keys.length ?? 0) > 1 && key !== undefined && (
        <Select
          aria-label="Feedback key"
          size="toolbar"
          value={key}
          onChange={(metric) => change({ metric })}
          options={pairs?.keys.map((one) => ({ value: one, label: one })) ?? []}
        />
      )}
      <span className="ml-auto" />
      {onVote && (
        <Button look="primary" disabled={!mayVote} title={mayVote ? undefined : 'Viewers cannot vote'} onClick={onVote}>
          Vote blind
        </Button>
      )}
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
    <Select
      aria-label={`Experiment ${label}`}
      size="toolbar"
      value={value}
      onChange={pick}
      options={experiments.map(({ id, name }) => ({ value: id, label: `${label}: ${name}`, disabled: id === other }))}
    />
  )
}

/** What is shown without pairs: loading, a failure, or why there are none. */
export function PairState({ pair: { queries, comparison, pairs } }: { pair: Pair }) {
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
