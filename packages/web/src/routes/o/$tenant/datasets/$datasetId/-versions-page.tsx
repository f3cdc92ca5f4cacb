import type { VersionsSearch } from '#lib/datasets/search.ts'
import { DatasetFrame } from './-dataset-frame.tsx'

/** The versions of a dataset. */
export function VersionsPage({ tenant, datasetId }: { tenant: string; datasetId: string; search: VersionsSearch }) {
  return (
    <DatasetFrame tenant={tenant} datasetId={datasetId} tab="versions">
      {null}
    </DatasetFrame>
  )
}
