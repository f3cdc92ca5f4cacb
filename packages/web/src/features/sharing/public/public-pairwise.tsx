import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ComparativeExperiment } from '@touchstone/sdk'
import { Scale } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import type { SearchChange } from '#features/comparison/logic/compare-state.ts'
import { PairState, PairToolbar } from '#features/comparison/pairwise/pair-toolbar.tsx'
import { describeOrder } from '#features/comparison/pairwise/pairwise.ts'
import { PairwiseCard, pairwiseColumns } from '#features/comparison/pairwise/pairwise-columns.tsx'
import { PairwiseView } from '#features/comparison/pairwise/pairwise-view.tsx'
import { pairwiseQuery } from '#features/comparison/pairwise/queries.ts'
import { usePair } from '#features/comparison/pairwise/use-pair.ts'
import type { CompareSearch } from '#features/experiments/search.ts'
import { formatCount, pluralize } from '#lib/format.ts'
import { DataGrid, type GridHandle } from '#ui/data-grid.tsx'
import { useGridKeys } from '#ui/grid-row.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { PublicDatasetFrame } from './public-dataset-frame.tsx'

const getId = ({ id }: ComparativeExperiment) => id

/** The pairwise comparisons of shared experiments, newest first. */
export function PublicPairwise({ token, datasetId }: { token: string; datasetId: string }) {
  const navigate = useNavigate()
  const query = useQuery(pairwiseQuery.list(datasetId, token))
  const rows = query.data ?? []
  const grid = useRef<GridHandle>(null)
  const [activeId, setActiveId] = useState<string>()
  const columns = useMemo(() => pairwiseColumns(undefined), [])
  const ids = useMemo(() => query.data?.map(getId) ?? [], [query.data])
  const open = (id: string) =>
    void navigate({ to: '/public/$token/d/compare', params: { token }, search: { comparativeExperiment: id } })
  useGridKeys({ grid, ids, activeId, onActive: setActiveId, onOpen: open })
  if (query.isPending) return <SkeletonRows rows={8} label="Loading comparisons" />
  if (query.isError && rows.length === 0) {
    return (
      <ErrorState title="Could not load the comparisons" error={query.error} onRetry={() => void query.refetch()} />
    )
  }
  if (rows.length === 0) {
    return (
      <EmptyState icon={Scale} title="No public comparisons">
        This dataset is shared without experiments, or none of them were compared pair by pair.
      </EmptyState>
    )
  }
  return (
    <DataGrid
      ref={grid}
      label="Pairwise comparisons"
      columns={columns}
      rows={rows}
      rowId={getId}
      rowHeight={40}
      card={(row) => <PairwiseCard comparison={row} />}
      total={rows.length}
      activeId={activeId}
      onRowClick={({ id }) => open(id)}
    />
  )
}

interface PublicPairProps {
  token: string
  comparisonId: string
  search: CompareSearch
}

/** Two shared experiments, pair by pair. */
export function PublicPairPage({ token, comparisonId, search }: PublicPairProps) {
  return (
    <PublicDatasetFrame token={token} tab="pairwise">
      {(dataset) => <PublicPair token={token} comparisonId={comparisonId} search={search} datasetId={dataset.id} />}
    </PublicDatasetFrame>
  )
}

function PublicPair({ token, comparisonId, search, datasetId }: PublicPairProps & { datasetId: string }) {
  const navigate = useNavigate({ from: '/public/$token/d/compare' })
  const change = (part: SearchChange, how: 'push' | 'replace' = 'push') =>
    void navigate({ search: (kept) => ({ ...kept, ...part }), replace: how === 'replace' })
  const pair = usePair({ datasetId, comparisonId, search, change, share: token })
  const { comparison, pairs, shown } = pair
  if (pairs === undefined || pairs.rows.length === 0) return <PairState pair={pair} />
  return (
    <>
      <div
        role="toolbar"
        aria-label="View"
        className="flex min-h-10 shrink-0 items-center gap-1.5 overflow-x-auto border-b border-border bg-surface px-3 coarse:py-1"
      >
        <PairToolbar pair={pair} />
      </div>
      <div className="relative flex min-h-0 min-w-0 flex-1">
        <PairwiseView pair={pair} open={search.ex} />
      </div>
      <p className="flex shrink-0 flex-wrap gap-x-4 border-t border-border bg-surface px-3 py-1 text-meta text-fg-muted">
        <span role="status">
          {formatCount(shown.length)} of {pluralize(pairs.rows.length, 'pair')}
        </span>
        {pairs.unpaired > 0 && <span>{pluralize(pairs.unpaired, 'example')} with only one answer left out</span>}
        <span className="ml-auto">{describeOrder(comparison.data?.extra)}</span>
      </p>
    </>
  )
}
