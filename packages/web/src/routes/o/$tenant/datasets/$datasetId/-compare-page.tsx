import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { ComparisonToolbar } from '#domain/comparison/comparison-toolbar.tsx'
import { downloadCsv } from '#domain/comparison/download-csv.ts'
import type { CompareSearch } from '#lib/experiments/search.ts'
import { formatCount } from '#lib/format.ts'
import { ErrorState, PaneBoundary } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { CompareBody } from './-compare-body.tsx'
import { CompareNotices, CompareState } from './-compare-states.tsx'
import { DatasetFrame } from './-dataset-frame.tsx'
import { useComparison } from './-use-comparison.ts'

export interface ComparePageProps {
  tenant: string
  datasetId: string
  search: CompareSearch
}

/** One to six experiments, example by example. */
export function ComparePage({ tenant, datasetId, search }: ComparePageProps) {
  const { query, comparison, ids, omitted, searchError } = useComparison(tenant, datasetId, search)
  const download = useDownload()
  return (
    <DatasetFrame
      tenant={tenant}
      datasetId={datasetId}
      tab="experiments"
      toolbar={
        comparison &&
        comparison.cells.experiments.length > 0 && (
          <ComparisonToolbar comparison={comparison} onDownload={() => download(comparison)} />
        )
      }
      status={
        comparison && (
          <span>
            {formatCount(comparison.rows.length)} of {formatCount(comparison.cells.exampleIds.length)} examples
          </span>
        )
      }
    >
      <PaneBoundary title="Could not show the comparison">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          {searchError !== null && <ErrorState compact title="Could not search the texts" error={searchError} />}
          {comparison && query.error !== null && (
            <ErrorState
              compact
              title="Could not refresh the comparison"
              error={query.error}
              onRetry={() => void query.refetch()}
            />
          )}
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

/** Saves the shown rows; the message shows the progress and cancels. */
export function useDownload() {
  const queryClient = useQueryClient()
  const running = useRef<AbortController>(undefined)
  return (comparison: Parameters<typeof downloadCsv>[1]) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    const total = formatCount(comparison.rows.length)
    toast.done(`Preparing ${total} rows`, { label: 'Cancel', run: () => controller.abort() })
    downloadCsv(queryClient, comparison, { signal: controller.signal, onProgress: () => undefined })
      .then(() => toast.done(`Saved ${total} rows as comparison.csv`))
      .catch((cause: unknown) => {
        if (!controller.signal.aborted) toast.failure('Could not save the CSV', cause)
      })
  }
}
