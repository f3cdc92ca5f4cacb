import type { UseQueryResult } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Columns2, Info } from 'lucide-react'
import type { Comparison } from '#domain/comparison/comparison.ts'
import { ExperimentPicker } from '#domain/comparison/experiment-picker.tsx'
import { MAX_EXPERIMENTS } from '#lib/experiments/compare-state.ts'
import { formatCount } from '#lib/format.ts'
import { buttonLook } from '#ui/button.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'

/** What the comparison leaves out, and why. */
export function CompareNotices({ comparison, omitted }: { comparison: Comparison; omitted: number }) {
  const { missingIds, omittedKeys, experiments } = comparison.cells
  const notices = [
    missingIds.length > 0 &&
      experiments.length > 0 &&
      `${missingIds.length === 1 ? 'One experiment' : `${missingIds.length} experiments`} of this address no longer ${missingIds.length === 1 ? 'exists' : 'exist'} in this dataset: ${missingIds.join(', ')}`,
    omitted > 0 && `A comparison has ${MAX_EXPERIMENTS} experiments at most; ${omitted} more are not shown.`,
    omittedKeys.length > 0 &&
      `${formatCount(omittedKeys.length)} more feedback keys are not shown: ${omittedKeys.join(', ')}`,
    describeCommon(comparison),
  ].filter((notice) => notice !== false && notice !== undefined)
  return notices.map((notice) => (
    <p
      key={notice}
      role="status"
      className="flex items-center gap-2 border-b border-border bg-sunken px-3 py-1.5 text-row text-fg-muted [overflow-wrap:anywhere]"
    >
      <Info size={13} aria-hidden className="shrink-0" />
      {notice}
    </p>
  ))
}

/** Experiments without a common example cannot be compared. */
function describeCommon({ cells }: Comparison): string | undefined {
  if (cells.experiments.length < 2) return undefined
  const sets = cells.experiments.map(({ runs }) => new Set(runs.example))
  const [first, ...others] = sets
  const hasCommon = [...(first ?? [])].some((example) => others.some((set) => set.has(example)))
  if (hasCommon || sets.some((set) => set.size === 0)) return undefined
  const counts = cells.experiments.map(({ name }, at) => `${name}: ${formatCount(sets[at]?.size)}`)
  return `These experiments have no example in common (${counts.join(', ')}).`
}

interface CompareStateProps {
  tenant: string
  datasetId: string
  query: UseQueryResult<unknown>
  ids: readonly string[]
  comparison: Comparison | undefined
}

/** Shown instead of the rows: loading, failure, nothing selected, nothing there yet. */
export function CompareState({ tenant, datasetId, query, ids, comparison }: CompareStateProps) {
  const navigate = useNavigate({ from: '/o/$tenant/datasets/$datasetId/compare' })
  const picker = (
    <ExperimentPicker
      datasetId={datasetId}
      selectedIds={ids}
      onAdd={(id) => void navigate({ search: (kept) => ({ ...kept, selectedSessions: [...ids, id].join(',') }) })}
      onRemove={(id) =>
        void navigate({
          search: (kept) => ({ ...kept, selectedSessions: ids.filter((one) => one !== id).join(',') || undefined }),
        })
      }
    />
  )
  const list = (
    <Link to="/o/$tenant/datasets/$datasetId/experiments" params={{ tenant, datasetId }} className={buttonLook()}>
      All experiments
    </Link>
  )
  if (ids.length === 0)
    return (
      <EmptyState icon={Columns2} title="Select experiments to compare" actions={[picker, list]}>
        Their answers and scores are shown side by side, example by example.
      </EmptyState>
    )
  if (query.error && !comparison)
    return <ErrorState title="Could not load the comparison" error={query.error} onRetry={() => void query.refetch()} />
  if (!comparison) return <SkeletonRows rows={8} height={97} label="Loading the comparison" />
  if (comparison.cells.experiments.length === 0)
    return (
      <EmptyState icon={Columns2} title="These experiments no longer exist" actions={[picker, list]}>
        They were deleted, or they belong to another dataset.
      </EmptyState>
    )
  return (
    <EmptyState icon={Columns2} title="No runs yet" actions={list}>
      Results appear here as soon as the experiment has finished its first example.
    </EmptyState>
  )
}
