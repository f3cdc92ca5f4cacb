import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Dataset } from '@touchstone/sdk'
import { useMay } from '#features/accounts/me.ts'
import { RoleGate } from '#features/accounts/role-gate.tsx'
import { READ_ONLY } from '#lib/roles.ts'
import { DangerZone } from '#ui/form-section.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { DeleteDatasetDialog } from '../dataset-dialogs.tsx'
import { DatasetFrame, useDataset } from '../dataset-frame.tsx'
import { datasetShareQuery } from '../sharing/queries.ts'
import { ShareControls } from '../sharing/share-dataset-dialog.tsx'
import { DatasetGeneralSection, MetadataSection, SchemaSection } from './dataset-settings-sections.tsx'

/** Name, description, metadata, schemas, sharing and deletion of a dataset. */
export function DatasetSettingsPage({ tenant, datasetId }: { tenant: string; datasetId: string }) {
  const dataset = useDataset(datasetId)
  return (
    <DatasetFrame tenant={tenant} datasetId={datasetId} tab="settings">
      <div className="min-h-0 min-w-0 flex-1 overflow-auto p-3 sm:p-6">
        {dataset.isPending && <SkeletonRows rows={6} label="Loading the dataset" />}
        {dataset.isError && !dataset.data && (
          <ErrorState title="Could not load the dataset" error={dataset.error} onRetry={() => void dataset.refetch()} />
        )}
        {dataset.data && (
          <div className="flex max-w-4xl flex-col gap-4">
            <RoleGate least="member">
              <DatasetGeneralSection dataset={dataset.data} />
              <MetadataSection dataset={dataset.data} />
              <SchemaSection dataset={dataset.data} />
              <SharingSection dataset={dataset.data} />
              <DeleteSection tenant={tenant} dataset={dataset.data} />
            </RoleGate>
          </div>
        )}
      </div>
    </DatasetFrame>
  )
}

function SharingSection({ dataset }: { dataset: Dataset }) {
  const links = useQuery(datasetShareQuery.links())
  return (
    <section aria-labelledby="sharing" className="rounded-card border border-border bg-surface">
      <h2 id="sharing" className="px-4 pt-3 text-form font-semibold">
        Public link
      </h2>
      <div className="px-4 py-3">
        {links.isError && !links.data && (
          <ErrorState title="Could not load the link" error={links.error} onRetry={() => void links.refetch()} />
        )}
        {links.isPending && <SkeletonRows rows={3} label="Loading the link" />}
        {links.data && <ShareControls dataset={dataset} link={links.data.get(dataset.id)} />}
      </div>
    </section>
  )
}

function DeleteSection({ tenant, dataset }: { tenant: string; dataset: Dataset }) {
  const navigate = useNavigate()
  const mayWrite = useMay('member')
  return (
    <DangerZone
      explanation="Deletes the dataset with its examples, versions and public link. Its experiments stay as projects. This cannot be undone."
      label="Delete dataset"
      lockedBecause={mayWrite ? undefined : READ_ONLY}
      dialog={(close) => (
        <DeleteDatasetDialog
          dataset={dataset}
          onClose={close}
          onDeleted={() => void navigate({ to: '/o/$tenant/datasets', params: { tenant } })}
        />
      )}
    />
  )
}
