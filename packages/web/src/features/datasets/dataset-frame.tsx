import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { NotFoundPage } from '#features/projects/not-found-page.tsx'
import { describeFailure } from '#lib/errors.ts'
import { addRecent } from '#lib/preferences.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { PageTabs } from '#shell/frame/page-tabs.tsx'
import { DatasetActions } from './dataset-actions.tsx'
import { datasetQuery, findCachedDataset } from './queries.ts'

/** The pages of a dataset, in the order of their tabs. */
const TABS = [
  { id: 'examples', label: 'Examples', to: '/o/$tenant/datasets/$datasetId' },
  { id: 'experiments', label: 'Experiments', to: '/o/$tenant/datasets/$datasetId/experiments' },
  { id: 'pairwise', label: 'Pairwise', to: '/o/$tenant/datasets/$datasetId/pairwise' },
  { id: 'versions', label: 'Versions', to: '/o/$tenant/datasets/$datasetId/versions' },
  { id: 'settings', label: 'Settings', to: '/o/$tenant/datasets/$datasetId/settings' },
] as const

export type DatasetTab = (typeof TABS)[number]['id']

export interface DatasetFrameProps {
  tenant: string
  datasetId: string
  /** The page that is open. */
  tab: DatasetTab
  /** Title of the browser tab and heading. @default the name of the dataset */
  title?: string | undefined
  /** At the right of the page header, before the menu of the dataset. */
  actions?: ReactNode
  /** Controls of the view, below the tabs. */
  toolbar?: ReactNode
  /** In the status bar. */
  status?: ReactNode
  children: ReactNode
}

/** The dataset. Its name is available at once when a list has already loaded it. */
export function useDataset(datasetId: string) {
  const queryClient = useQueryClient()
  return useQuery({ ...datasetQuery.one(datasetId), placeholderData: () => findCachedDataset(queryClient, datasetId) })
}

/** The frame around every page of a dataset: name, tabs, and "not found" when the dataset does not exist. */
export function DatasetFrame({ tenant, datasetId, tab, title, actions, children, ...bands }: DatasetFrameProps) {
  const dataset = useDataset(datasetId)
  const name = dataset.data?.name
  useEffect(() => {
    if (name !== undefined) addRecent({ kind: 'dataset', label: name, href: `/o/${tenant}/datasets/${datasetId}` })
  }, [tenant, datasetId, name])
  if (describeFailure(dataset.error).status === 404) return <NotFoundPage what="This dataset" id={datasetId} />
  return (
    <PageFrame
      title={title ?? name ?? 'Dataset'}
      tabs={
        <PageTabs
          label="Dataset"
          current={tab}
          tabs={TABS.map(({ to, ...one }) => ({ ...one, link: { to, params: { tenant, datasetId } } }))}
        />
      }
      actions={
        <>
          {actions}
          {dataset.data && <DatasetActions tenant={tenant} dataset={dataset.data} />}
        </>
      }
      {...bands}
    >
      {children}
    </PageFrame>
  )
}
