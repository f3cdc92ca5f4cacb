import type { UseQueryResult } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Columns2 } from 'lucide-react'
import { buttonLook } from '#ui/button.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import type { Comparison } from './comparison.ts'
import { ExperimentPicker } from './experiment-picker.tsx'

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
