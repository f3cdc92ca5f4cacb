import type { Dataset } from '@touchstone/sdk'
import { ExportDataset } from '#domain/export-dataset/export-dataset.tsx'
import { ImportExamples } from '#domain/import-examples/import-examples.tsx'
import type { ExamplesSearch } from '#lib/datasets/search.ts'

/** Import and export of a dataset; an export starts with the version and the split that are shown. */
export function DatasetFileActions({ dataset, search }: { dataset: Dataset; search: ExamplesSearch }) {
  return (
    <>
      <ImportExamples dataset={dataset} />
      <ExportDataset
        key={`${search.as_of} ${search.split}`}
        dataset={dataset}
        asOf={search.as_of}
        split={search.split}
      />
    </>
  )
}
