import { DatasetFrame } from '../-dataset-frame.tsx'

export interface ExamplePageProps {
  tenant: string
  datasetId: string
  exampleId: string
  /** Version of the dataset: a time or a tag. */
  asOf: string | undefined
}

/** One example with its history and its runs in all experiments. */
export function ExamplePage({ tenant, datasetId }: ExamplePageProps) {
  return (
    <DatasetFrame tenant={tenant} datasetId={datasetId} tab="examples">
      {null}
    </DatasetFrame>
  )
}
