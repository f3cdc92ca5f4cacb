import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { GitCommitVertical } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { formatCount } from '#lib/format.ts'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { DatasetFrame, useDataset } from '../dataset-frame.tsx'
import { ExportDataset } from '../export/export-dataset.tsx'
import type { VersionsSearch } from '../search.ts'
import { versionQuery } from './queries.ts'
import { RestoreDialog, TagDialog } from './version-dialogs.tsx'
import { getCompared } from './version-timeline.ts'
import { VersionDiff } from './versions-diff.tsx'
import { VersionsTimeline } from './versions-timeline.tsx'

interface VersionsPageProps {
  tenant: string
  datasetId: string
  search: VersionsSearch
}

/** Versions that are loaded at a time. */
const STEP = 200

type Opened = { kind: 'tag' | 'restore'; asOf: string }

/** The versions of a dataset: when it changed, what changed between any two, tags, and a way back. */
export function VersionsPage({ tenant, datasetId, search }: VersionsPageProps) {
  const navigate = useNavigate({ from: '/o/$tenant/datasets/$datasetId/versions' })
  const mayWrite = useMay('member')
  const { data: dataset } = useDataset(datasetId)
  const [limit, setLimit] = useState(STEP)
  const [opened, setOpened] = useState<Opened>()
  const { data: versions, error, refetch } = useQuery(versionQuery.list(datasetId, limit))
  const compared = getCompared(versions ?? [], search)
  const compare = (next: VersionsSearch) => void navigate({ search: next })
  return (
    <DatasetFrame
      tenant={tenant}
      datasetId={datasetId}
      tab="versions"
      actions={dataset && <ExportDataset dataset={dataset} />}
      status={
        versions && (
          <span role="status">
            {formatCount(versions.length)}
            {versions.length === limit && '+'} {versions.length === 1 ? 'version' : 'versions'}
          </span>
        )
      }
    >
      {error !== null ? (
        <div className="flex-1">
          <ErrorState title="Could not load the versions" error={error} onRetry={() => void refetch()} />
        </div>
      ) : versions === undefined ? (
        <div className="flex-1">
          <SkeletonRows label="Loading versions" />
        </div>
      ) : versions.length === 0 ? (
        <div className="flex-1">
          <EmptyState icon={GitCommitVertical} title="No versions yet">
            Every change of the examples makes a version. Add or import examples to make the first one.
          </EmptyState>
        </div>
      ) : (
        <div className="flex min-h-0 min-w-0 flex-1 max-lg:flex-col max-lg:overflow-y-auto">
          <VersionsTimeline
            tenant={tenant}
            datasetId={datasetId}
            versions={versions}
            compared={compared}
            mayWrite={mayWrite}
            onCompare={compare}
            onTag={(asOf) => setOpened({ kind: 'tag', asOf })}
            onRestore={(asOf) => setOpened({ kind: 'restore', asOf })}
            onOlder={versions.length === limit ? () => setLimit(limit + STEP) : undefined}
          />
          <VersionDiff datasetId={datasetId} versions={versions} compared={compared} onCompare={compare} />
        </div>
      )}
      {opened?.kind === 'tag' && (
        <TagDialog datasetId={datasetId} asOf={opened.asOf} onClose={() => setOpened(undefined)} />
      )}
      {opened?.kind === 'restore' && (
        <RestoreDialog datasetId={datasetId} asOf={opened.asOf} onClose={() => setOpened(undefined)} />
      )}
    </DatasetFrame>
  )
}
