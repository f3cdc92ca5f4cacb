import { DatasetFrame } from './-dataset-frame.tsx'

/** The pairwise comparisons of a dataset. */
export function PairwisePage({ tenant, datasetId }: { tenant: string; datasetId: string }) {
  return (
    <DatasetFrame tenant={tenant} datasetId={datasetId} tab="pairwise">
      {null}
    </DatasetFrame>
  )
}
