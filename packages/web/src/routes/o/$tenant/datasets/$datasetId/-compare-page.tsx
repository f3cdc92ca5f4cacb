import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { CompareNotices } from '#domain/comparison/compare-notices.tsx'
import { ComparisonToolbar } from '#domain/comparison/comparison-toolbar.tsx'
import { JudgingStrip } from '#domain/comparison/judging-strip.tsx'
import { useComparisonView } from '#domain/comparison/use-comparison.ts'
import type { SearchChange } from '#lib/experiments/compare-state.ts'
import type { CompareSearch } from '#lib/experiments/search.ts'
import { formatCount, pluralize } from '#lib/format.ts'
import { ErrorState, PaneBoundary } from '#ui/states.tsx'
import { CompareBody } from './-compare-body.tsx'
import { CompareState } from './-compare-states.tsx'
import { DatasetFrame, useDataset } from './-dataset-frame.tsx'

export interface ComparePageProps {
  tenant: string
  datasetId: string
  search: CompareSearch
}

/** One to six experiments, example by example. */
export function ComparePage({ tenant, datasetId, search }: ComparePageProps) {
  const { query, comparison, ids, omitted, searchError } = useComparison(tenant, datasetId, search)
  return (
    <DatasetFrame
      tenant={tenant}
      datasetId={datasetId}
      tab="experiments"
      toolbar={comparison && comparison.cells.experiments.length > 0 && <ComparisonToolbar comparison={comparison} />}
      status={
        comparison && (
          <span>
            {formatCount(comparison.rows.length)} of {pluralize(comparison.cells.exampleIds.length, 'example')}
          </span>
        )
      }
    >
      <PaneBoundary title="Could not show the comparison">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          {searchError !== null && <ErrorState compact title="Could not filter the examples" error={searchError} />}
          {comparison && query.error !== null && (
            <ErrorState
              compact
              title="Could not refresh the comparison"
              error={query.error}
              onRetry={() => void query.refetch()}
            />
          )}
          <JudgingStrip datasetId={datasetId} experimentIds={ids} />
          {comparison && <CompareNotices comparison={comparison} omitted={omitted} />}
          {comparison && comparison.cells.exampleIds.length > 0 ? (
            <CompareBody comparison={comparison} />
          ) : (
            <CompareState tenant={tenant} datasetId={datasetId} query={query} ids={ids} comparison={comparison} />
          )}
        </div>
      </PaneBoundary>
    </DatasetFrame>
  )
}

/** Loads the experiments of the URL and computes what the page shows. */
function useComparison(tenant: string, datasetId: string, search: CompareSearch) {
  const navigate = useNavigate({ from: '/o/$tenant/datasets/$datasetId/compare' })
  const dataset = useDataset(datasetId)
  const change = useCallback(
    (to: SearchChange, how: 'push' | 'replace' = 'push') =>
      void navigate({ search: (kept) => ({ ...kept, ...to }), replace: how === 'replace' }),
    [navigate],
  )
  const exampleCount = dataset.data?.example_count ?? undefined
  return useComparisonView({ tenant, datasetId, exampleCount, search, change })
}
