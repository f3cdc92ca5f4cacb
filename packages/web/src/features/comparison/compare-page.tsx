import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { DatasetFrame, useDataset } from '#features/datasets/dataset-frame.tsx'
import type { CompareSearch } from '#features/experiments/search.ts'
import { formatCount, pluralize } from '#lib/format.ts'
import { ErrorState, PaneBoundary } from '#ui/states.tsx'
import { CompareBody } from './compare-body.tsx'
import { CompareNotices } from './compare-notices.tsx'
import { CompareState } from './compare-states.tsx'
import { ComparisonToolbar } from './comparison-toolbar.tsx'
import { JudgingStrip } from './judging/judging-strip.tsx'
import type { SearchChange } from './logic/compare-state.ts'
import { useComparisonView } from './use-comparison.ts'

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
