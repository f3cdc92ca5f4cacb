import { Link } from '@tanstack/react-router'
import { Database, SearchX } from 'lucide-react'
import { Suspense } from 'react'
import { Button, buttonLook } from '#ui/button.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import type { CreateStart } from '../create-dataset-dialog.tsx'
import type { DatasetsSearch } from '../search.ts'
import type { Datasets } from './use-datasets.ts'

const FirstDatasetSnippet = lazyExtra(() =>
  import('./first-dataset-snippet.tsx').then((module) => module.FirstDatasetSnippet),
)

interface DatasetsStateProps {
  tenant: string
  search: DatasetsSearch
  datasets: Datasets
  canWrite: boolean
  onCreate: (start: CreateStart) => void
  onClearSearch: () => void
}

/** What is shown above or instead of the table: loading, failures, the ways to start, and "no match". */
export function DatasetsState({ search, datasets: { list, rows, experiments }, ...start }: DatasetsStateProps) {
  return (
    <>
      {list.isError && list.data && (
        <ErrorState
          compact
          title="Could not load more datasets"
          error={list.error}
          onRetry={() => void list.fetchNextPage()}
        />
      )}
      {experiments.isError && (
        <ErrorState
          compact
          title="Could not load the last experiments"
          error={experiments.error}
          onRetry={() => void experiments.refetch()}
        />
      )}
      {list.isPending && <SkeletonRows rows={14} label="Loading datasets" />}
      {list.isError && !list.data && (
        <ErrorState title="Could not load datasets" error={list.error} onRetry={() => void list.refetch()} />
      )}
      {list.data &&
        rows.length === 0 &&
        (search.q === '' ? <NoDatasets {...start} /> : <NoMatch q={search.q} {...start} />)}
    </>
  )
}

type StartProps = Omit<DatasetsStateProps, 'search' | 'datasets'>

function NoMatch({ q, onClearSearch }: StartProps & { q: string }) {
  return (
    <EmptyState
      icon={SearchX}
      title="No matching datasets"
      actions={<Button onClick={onClearSearch}>Clear search</Button>}
    >
      No dataset has “{q}” in its name, description or metadata.
    </EmptyState>
  )
}

/** The ways to the first dataset: empty, from a file, from runs, from a public one, from a program. */
function NoDatasets({ tenant, canWrite, onCreate }: StartProps) {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <EmptyState
        icon={Database}
        title="No datasets yet"
        actions={
          canWrite && (
            <>
              <Button look="primary" onClick={() => onCreate('empty')}>
                Create dataset
              </Button>
              <Button onClick={() => onCreate('file')}>Import a file</Button>
              <Link to="/o/$tenant/projects" params={{ tenant }} className={buttonLook()}>
                Add runs from a project
              </Link>
              <Button onClick={() => onCreate('link')}>Copy a public dataset</Button>
            </>
          )
        }
      >
        A dataset is a set of examples: inputs with the outputs you expect. Experiments run your program over them and
        score the results. To make examples from runs, select the runs in a project and press Shift+D.
      </EmptyState>
      <div className="mx-auto max-w-2xl px-4 pb-10">
        <Suspense>
          <FirstDatasetSnippet />
        </Suspense>
      </div>
    </div>
  )
}
