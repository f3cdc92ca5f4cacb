import { DatasetFrame } from './-dataset-frame.tsx'

/** Name, description, schemas, sharing and deletion of a dataset. */
export function DatasetSettingsPage({ tenant, datasetId }: { tenant: string; datasetId: string }) {
  return (
    <DatasetFrame tenant={tenant} datasetId={datasetId} tab="settings">
      {null}
    </DatasetFrame>
  )
}
