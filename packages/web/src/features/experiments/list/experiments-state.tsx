import { SearchX } from 'lucide-react'
import { Suspense } from 'react'
import { Button } from '#ui/button.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import type { ExperimentsSearch } from '../search.ts'
import type { Experiments } from './use-experiments.ts'

const NoExperiments = lazyExtra(() => import('./no-experiments.tsx').then((module) => module.NoExperiments))

interface ExperimentsStateProps {
  tenant: string
  datasetId: string
  search: ExperimentsSearch
  experiments: Experiments
  onSearch: (change: Partial<ExperimentsSearch>, isDeliberate: boolean) => void
}

/** What is shown above or instead of the list: loading, failures, the program to run first, and "no match". */
export function ExperimentsState({ tenant, datasetId, search, experiments, onSearch }: ExperimentsStateProps) {
  const { list, dataset, all, found } = experiments
  if (list.isPending) return <SkeletonRows rows={14} label="Loading experiments" />
  if (list.isError) {
    const retry = () => void (list.data === undefined ? list.refetch() : list.fetchNextPage())
    const title = list.data === undefined ? 'Could not load experiments' : 'Could not load all experiments'
    return <ErrorState compact={list.data !== undefined} title={title} error={list.error} onRetry={retry} />
  }
  if (found.length > 0) return null
  if (all.length === 0 && search.filter === undefined) {
    return (
      <Suspense>
        {dataset && (
          <NoExperiments
            tenant={tenant}
            datasetId={datasetId}
            datasetName={dataset.name}
            hasExamples={dataset.example_count !== 0}
          />
        )}
      </Suspense>
    )
  }
  return (
    <EmptyState
      icon={SearchX}
      title="No matching experiments"
      actions={<Button onClick={() => onSearch({ q: '', filter: undefined }, true)}>Clear search</Button>}
    >
      {search.q === ''
        ? 'No experiment of this dataset matches the filter.'
        : `No experiment has “${search.q}” in its name or metadata.`}
    </EmptyState>
  )
}
