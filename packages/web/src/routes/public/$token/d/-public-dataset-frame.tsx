import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { PublicDataset } from '@touchstone/sdk'
import { Copy } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import { publicDatasetQuery } from '#data/public-datasets.ts'
import { describeFailure } from '#lib/errors.ts'
import { formatCount } from '#lib/format.ts'
import { PublicNotFound, PublicShell } from '#shell/public-shell.tsx'
import { Button } from '#ui/button.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { ErrorState, PaneBoundary, SkeletonRows } from '#ui/states.tsx'

const CloneDialog = lazyExtra(() => import('./-clone-dialog.tsx').then((module) => module.CloneDialog))

export interface PublicDatasetFrameProps {
  token: string
  tab: 'examples' | 'experiments'
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
          <div className="flex min-w-0 flex-1 items-center gap-1.5 overflow-x-auto px-2">{toolbar}</div>
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

/** The tab of the experiments exists only if they are shared. */
function Tabs({ token, tab, dataset }: TabsProps) {
  const experiments = useQuery(publicDatasetQuery.experiments(token))
  const tabs = [
    { id: 'examples' as const, label: 'Examples', count: dataset.example_count },
    ...(experiments.data?.length
      ? [{ id: 'experiments' as const, label: 'Experiments', count: experiments.data.length }]
      : []),
  ]
  return (
    <nav aria-label="Dataset" className="flex items-stretch">
      {tabs.map(({ id, label, count }) => (
        <Link
          key={id}
          to="/public/$token/d"
          params={{ token }}
          search={{ tab: id }}
          activeOptions={{ exact: true, includeSearch: true }}
          aria-current={id === tab ? 'page' : undefined}
          className="-mb-px flex h-10 items-center gap-1.5 whitespace-nowrap border-b-2 border-transparent px-2.5 text-row text-fg-muted outline-offset-[-2px] hover:text-fg aria-[current]:border-accent aria-[current]:font-medium aria-[current]:text-fg"
        >
          {label}
          <span className="tabular-nums text-fg-muted">{formatCount(count)}</span>
        </Link>
      ))}
    </nav>
  )
}
