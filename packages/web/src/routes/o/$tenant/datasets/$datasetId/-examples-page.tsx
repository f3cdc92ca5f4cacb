import type { ExamplesSearch } from '#lib/datasets/search.ts'
import { DatasetFrame } from './-dataset-frame.tsx'

/** The examples of a dataset at one version. */
export function ExamplesPage({ tenant, datasetId }: { tenant: string; datasetId: string; search: ExamplesSearch }) {
  return (
    <DatasetFrame tenant={tenant} datasetId={datasetId} tab="examples">
      {null}
    </DatasetFrame>
  )
}
