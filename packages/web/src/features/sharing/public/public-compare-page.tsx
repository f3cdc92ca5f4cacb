import { useNavigate } from '@tanstack/react-router'
import type { PublicDataset } from '@touchstone/sdk'
import { Columns2, SearchX } from 'lucide-react'
import { Suspense, useCallback, useRef } from 'react'
import { useCompareActions } from '#features/comparison/compare-actions.ts'
import { CompareNotices } from '#features/comparison/compare-notices.tsx'
import type { Comparison } from '#features/comparison/comparison.ts'
import { ComparisonToolbar } from '#features/comparison/comparison-toolbar.tsx'
import { ExperimentHeader } from '#features/comparison/experiment-header.tsx'
import { NO_FILTERS, RowFilters } from '#features/comparison/filters/row-filters.tsx'
import { FocusLayout } from '#features/comparison/focus-layout.tsx'
import { AnswersOf, ComparisonGrid, useGridItems } from '#features/comparison/grid/comparison-grid.tsx'
import type { SearchChange } from '#features/comparison/logic/compare-state.ts'
import { useComparisonView } from '#features/comparison/use-comparison.ts'
import type { CompareSearch } from '#features/experiments/search.ts'
import { Button } from '#ui/button.tsx'
import type { GridHandle } from '#ui/data-grid.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { PublicDatasetFrame } from './public-dataset-frame.tsx'

const SummaryLayout = lazyExtra(() =>
  import('#features/comparison/summary/summary-layout.tsx').then((module) => module.SummaryLayout),
)

interface PublicCompareProps {
  token: string
  search: CompareSearch
}

/** Shared experiments, example by example. */
export function PublicComparePage({ token, search }: PublicCompareProps) {
  return (
    <PublicDatasetFrame token={token} tab="experiments">
      {(dataset) => <PublicComparison token={token} search={search} dataset={dataset} />}
    </PublicDatasetFrame>
  )
}

function PublicComparison({ token, search, dataset }: PublicCompareProps & { dataset: PublicDataset }) {
  const navigate = useNavigate({ from: '/public/$token/d/compare' })
  const change = useCallback(
    (to: SearchChange, how: 'push' | 'replace' = 'push') =>
      void navigate({ search: (kept) => ({ ...kept, ...to }), replace: how === 'replace' }),
    [navigate],
  )
  const { query, comparison, ids, omitted, searchError } = useComparisonView({
    tenant: '',
    datasetId: dataset.id,
    share: token,
    exampleCount: dataset.example_count,
    search,
    change,
  })
  if (ids.length === 0) {
    return (
      <EmptyState
        icon={Columns2}
        title="Select experiments to compare"
        actions={
          <Button
            onClick={() => void navigate({ to: '/public/$token/d', params: { token }, search: { tab: 'experiments' } })}
          >
            All experiments
          </Button>
        }
      />
    )
  }
  if (!comparison) {
    return query.error ? (
      <ErrorState title="Could not load the comparison" error={query.error} onRetry={() => void query.refetch()} />
    ) : (
      <SkeletonRows rows={14} label="Loading the comparison" />
    )
  }
  return (
    <>
      <div
        role="toolbar"
        aria-label="View"
        className="flex min-h-10 shrink-0 items-center gap-1.5 overflow-x-auto border-b border-border bg-surface px-3 coarse:py-1"
      >
        <ComparisonToolbar comparison={comparison} />
      </div>
      {searchError !== null && <ErrorState compact title="Could not filter the examples" error={searchError} />}
      <CompareNotices comparison={comparison} omitted={omitted} />
      <section
        aria-label="Experiments"
        className="flex max-h-[28vh] min-h-24 shrink-0 gap-2 overflow-auto border-b border-border bg-bg px-3 py-2"
      >
        {comparison.cells.experiments.map(({ id }, at) => (
          <ExperimentHeader key={id} comparison={comparison} experiment={at} />
        ))}
      </section>
      <RowFilters comparison={comparison} fieldRef={null} />
      <Layout comparison={comparison} />
    </>
  )
}

/** Rows of examples, one example at full length, or all metrics. */
function Layout({ comparison }: { comparison: Comparison }) {
  const { rows, search, change } = comparison
  const grid = useRef<GridHandle>(null)
  const actions = useCompareActions(comparison, grid)
  const items = useGridItems(comparison)
  if (search.layout === 'summary') {
    return (
      <Suspense>
        <SummaryLayout comparison={comparison} />
      </Suspense>
    )
  }
  if (rows.length === 0) {
    return (
      <EmptyState
        icon={SearchX}
        title="No example matches the filters"
        actions={<Button onClick={() => change(NO_FILTERS)}>Clear filters</Button>}
      />
    )
  }
  if (search.layout === 'focus') {
    return (
      <FocusLayout
        comparison={comparison}
        row={Math.max(actions.activeRow, 0)}
        activeExperiment={actions.activeExperiment}
        onMove={actions.move}
      />
    )
  }
  return (
    <>
      <AnswersOf comparison={comparison} activeExperiment={actions.activeExperiment} onChange={actions.setExperiment} />
      <ComparisonGrid
        comparison={comparison}
        items={items}
        activeId={search.ex}
        activeExperiment={actions.activeExperiment}
        selectedIds={actions.selectedIds}
        onSelect={undefined}
        onCell={(item, experiment) => {
          actions.setExperiment(experiment)
          actions.openExample(item)
        }}
        onExample={actions.openExample}
        gridRef={grid}
        initialOffset={undefined}
        onScroll={() => {}}
      />
    </>
  )
}
