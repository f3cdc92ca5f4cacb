import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import type { ComparativeExperiment } from '@touchstone/sdk'
import { Scale } from 'lucide-react'
import { type MouseEvent, useMemo, useRef, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { DatasetFrame, useDataset } from '#features/datasets/dataset-frame.tsx'
import { pluralize } from '#lib/format.ts'
import { PAIRWISE_PYTHON, PAIRWISE_TYPESCRIPT } from '#lib/snippets.ts'
import { DataGrid, type GridHandle } from '#ui/data-grid.tsx'
import { ConfirmDialog } from '#ui/dialog.tsx'
import { useGridKeys } from '#ui/grid-row.tsx'
import { Snippet } from '#ui/snippet.tsx'
import { EmptyState, ErrorState, PaneBoundary, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { PairwiseCard, pairwiseColumns } from './pairwise-columns.tsx'
import { pairwiseMutation, pairwiseQuery } from './queries.ts'

interface PairwisePageProps {
  tenant: string
  datasetId: string
}

/** The pairwise comparisons of a dataset, newest first. */
export function PairwisePage({ tenant, datasetId }: PairwisePageProps) {
  const query = useQuery(pairwiseQuery.list(datasetId))
  const [deleted, setDeleted] = useState<ComparativeExperiment>()
  const count = query.data?.length ?? 0
  return (
    <DatasetFrame
      tenant={tenant}
      datasetId={datasetId}
      tab="pairwise"
      status={query.isSuccess && <span role="status">{pluralize(count, 'comparison')}</span>}
    >
      <PaneBoundary title="Could not show the comparisons">
        {query.isPending ? (
          <div className="min-w-0 flex-1">
            <SkeletonRows label="Loading comparisons" />
          </div>
        ) : query.isError && count === 0 ? (
          <div className="flex-1">
            <ErrorState
              title="Could not load the comparisons"
              error={query.error}
              onRetry={() => void query.refetch()}
            />
          </div>
        ) : count === 0 ? (
          <NoComparisons datasetId={datasetId} />
        ) : (
          <Comparisons tenant={tenant} datasetId={datasetId} rows={query.data ?? []} onDelete={setDeleted} />
        )}
      </PaneBoundary>
      {deleted && <DeleteComparison comparison={deleted} onClose={() => setDeleted(undefined)} />}
    </DatasetFrame>
  )
}

interface ComparisonsProps extends PairwisePageProps {
  rows: readonly ComparativeExperiment[]
  onDelete: (comparison: ComparativeExperiment) => void
}

const getId = ({ id }: ComparativeExperiment) => id

function Comparisons({ tenant, datasetId, rows, onDelete }: ComparisonsProps) {
  const grid = useRef<GridHandle>(null)
  const navigate = useNavigate()
  const router = useRouter()
  const mayWrite = useMay('member')
  const [activeId, setActiveId] = useState<string>()
  const ids = useMemo(() => rows.map(getId), [rows])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the callback does the same in every render
  const columns = useMemo(() => pairwiseColumns(mayWrite ? onDelete : undefined), [mayWrite])
  function toLocation(id: string) {
    const sessions = rows.find((row) => row.id === id)?.experiments_info?.map((one) => one.id) ?? []
    return {
      to: '/o/$tenant/datasets/$datasetId/compare',
      params: { tenant, datasetId },
      search: { selectedSessions: sessions.slice(0, 2).join(','), comparativeExperiment: id },
    } as const
  }
  const open = (id: string) => void navigate(toLocation(id))
  function clickRow({ id }: ComparativeExperiment, event: MouseEvent) {
    if (event.ctrlKey || event.metaKey) window.open(router.buildLocation(toLocation(id)).href, '_blank', 'noopener')
    else open(id)
  }
  useGridKeys({ grid, ids, activeId, onActive: setActiveId, onOpen: open })
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
      onRowClick={clickRow}
    />
  )
}

function NoComparisons({ datasetId }: { datasetId: string }) {
  const name = useDataset(datasetId).data?.name ?? 'my dataset'
  return (
    <div className="min-h-0 min-w-0 flex-1 overflow-y-auto">
      <EmptyState icon={Scale} title="No pairwise comparisons yet">
        A pairwise comparison asks a judge which of two experiments over {name} answers each example better.
      </EmptyState>
      <div className="mx-auto grid max-w-4xl gap-3 px-4 pb-10 lg:grid-cols-2">
        <Snippet label="Python" text={PAIRWISE_PYTHON} />
        <Snippet label="TypeScript" text={PAIRWISE_TYPESCRIPT} />
      </div>
    </div>
  )
}

interface DeleteComparisonProps {
  comparison: ComparativeExperiment
  onClose: () => void
}

/** Asks before a comparison is deleted with the scores and votes on it. */
function DeleteComparison({ comparison, onClose }: DeleteComparisonProps) {
  const name = comparison.name ?? 'comparison'
  const remove = useMutation(pairwiseMutation.delete(useQueryClient()))
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      action="Delete"
      typed={name}
      isBusy={remove.isPending}
      onConfirm={() =>
        remove.mutate(comparison.id, {
          onSuccess: () => {
            toast.done(`Deleted ${name}`)
            onClose()
          },
          onError: (cause) => toast.failure(`Could not delete ${name}`, cause),
        })
      }
      onCancel={onClose}
    >
      The scores of its judges and the votes of people are deleted with it. The experiments stay.
    </ConfirmDialog>
  )
}
