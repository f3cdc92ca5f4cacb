import type { ExperimentsSearch } from '#lib/experiments/search.ts'
import { DatasetFrame } from './-dataset-frame.tsx'

/** The experiments of a dataset. */
export function ExperimentsPage({
  tenant,
  datasetId,
}: {
  tenant: string
  datasetId: string
  search: ExperimentsSearch
}) {
  return (
    <DatasetFrame tenant={tenant} datasetId={datasetId} tab="experiments">
      {null}
    </DatasetFrame>
  )
}
