import { useQuery } from '@tanstack/react-query'
import type { PublicDataset } from '@touchstone/sdk'
import { Copy } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import { pairwiseQuery } from '#features/comparison/pairwise/queries.ts'
import type { PublicDatasetSearch } from '#features/datasets/search.ts'
import { publicDatasetQuery } from '#features/datasets/sharing/public-datasets.ts'
import { describeFailure } from '#lib/errors.ts'
import { formatCount } from '#lib/format.ts'
import { PageTabs } from '#shell/frame/page-tabs.tsx'
import { PublicNotFound, PublicShell } from '#shell/frame/public-shell.tsx'
import { Button } from '#ui/button.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { ErrorState, PaneBoundary, SkeletonRows } from '#ui/states.tsx'

const CloneDialog = lazyExtra(() => import('./clone-dialog.tsx').then((module) => module.CloneDialog))

export interface PublicDatasetFrameProps {
  token: string
  tab: PublicDatasetSearch['tab']
  /** Controls of the view, beside the tabs. */
  toolbar?: ReactNode
  children: (dataset: PublicDataset) => ReactNode
}

/** The frame around every page of a shared dataset. Revoked and unknown links show the same page. */
export function PublicDatasetFrame({ token, tab, toolbar, children }: PublicDatasetFrameProps) {
  const dataset = useQuery(publicDatasetQuery.one(token))
  const [isCloning, setCloning] = useState(false)
  const { status } = describeFailure(dataset.error)
  if (status === 404 || status === 400) return <PublicNotFound />
  return (
    <PublicShell
      title={dataset.data?.name ?? 'Shared dataset'}
      actions={
        dataset.data && (
          <Button onClick={() => setCloning(true)}>
            <Copy size={13} aria-hidden />
            Clone
          </Button>
        )
      }
    >
      {dataset.data && (
        <div className="flex min-h-10 shrink-0 flex-wrap items-stretch gap-x-2 border-b border-border bg-surface px-1">
          <Tabs token={token} tab={tab} dataset={dataset.data} />
          {toolbar && (
            <div className="flex min-w-0 flex-1 items-center gap-1.5 overflow-x-auto px-2 max-sm:basis-full max-sm:py-1.5">
              {toolbar}
            </div>
          )}
        </div>
      )}
      <main className="relative flex min-h-0 min-w-0 flex-1 flex-col">
        {dataset.isPending && <SkeletonRows rows={14} label="Loading the dataset" />}
        {dataset.isError && !dataset.data && (
          <ErrorState title="Could not load the dataset" error={dataset.error} onRetry={() => void dataset.refetch()} />
        )}
        {dataset.data && <PaneBoundary title="Could not show this dataset">{children(dataset.data)}</PaneBoundary>}
      </main>
      <Suspense>
        {isCloning && dataset.data && (
          <CloneDialog token={token} dataset={dataset.data} onClose={() => setCloning(false)} />
        )}
      </Suspense>
    </PublicShell>
  )
}

interface TabsProps extends Pick<PublicDatasetFrameProps, 'token' | 'tab'> {
  dataset: PublicDataset
}

/** The tabs of the experiments and of their comparisons exist only if they are shared. */
function Tabs({ token, tab, dataset }: TabsProps) {
  const experiments = useQuery(publicDatasetQuery.experiments(token))
  const comparisons = useQuery(pairwiseQuery.list(dataset.id, token))
  const tabs = [
    { id: 'examples' as const, label: 'Examples', count: dataset.example_count },
    ...(experiments.data?.length
      ? [{ id: 'experiments' as const, label: 'Experiments', count: experiments.data.length }]
      : []),
    ...(comparisons.data?.length
      ? [{ id: 'pairwise' as const, label: 'Pairwise', count: comparisons.data.length }]
      : []),
  ]
  return (
    <PageTabs
      label="Dataset"
      current={tab}
      className="min-h-10"
      tabs={tabs.map(({ id, label, count }) => ({
        id,
        label: (
          <>
            {label}
            <span className="tabular-nums text-fg-muted">{formatCount(count)}</span>
          </>
        ),
        link: { to: '/public/$token/d', params: { token }, search: { tab: id } },
      }))}
    />
  )
}
