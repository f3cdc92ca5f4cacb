import type { CompareSearch } from '#lib/experiments/search.ts'
import { DatasetFrame } from './-dataset-frame.tsx'

/** One to six experiments, example by example. */
export function ComparePage({ tenant, datasetId }: { tenant: string; datasetId: string; search: CompareSearch }) {
  return (
    <DatasetFrame tenant={tenant} datasetId={datasetId} tab="experiments">
      {null}
    </DatasetFrame>
  )
}
