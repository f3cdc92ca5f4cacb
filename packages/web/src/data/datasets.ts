import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { clientOf, DatasetCalls, ExampleCalls } from '@touchstone/sdk/api'
import { connection } from './client.ts'
import { queryKeys } from './query-client.ts'

const client = clientOf(connection, DatasetCalls, ExampleCalls)

export const datasetQuery = {
  all: queryKeys.datasets,
  /** The first 20 datasets whose name contains the text, by name. */
  search: (text: string) =>
    queryOptions({
      queryKey: [...datasetQuery.all(), 'search', text],
      queryFn: ({ signal }) =>
        client.queryDatasets({ name_contains: text || undefined, sort_by: 'name', limit: 20 }, { signal }),
    }),
}

export interface NewExample {
  /** Name of the dataset; created if there is none. */
  dataset: string
  split: string
  sourceRunId: string
  /** Absent: the run's own inputs and outputs, byte for byte, with its attachments. */
  content?: { inputs: Record<string, unknown>; outputs: Record<string, unknown> | null } | undefined
}

/** @returns ids of the dataset and of the example */
export async function addExample(queryClient: QueryClient, { dataset, split, sourceRunId, content }: NewExample) {
  const [found] = await client.queryDatasets({ name: dataset, limit: 1 })
  const { id } = found ?? (await client.createDataset(dataset))
  const example = await client.createExample({
    dataset_id: id,
    source_run_id: sourceRunId,
    split,
    ...(content ?? { use_source_run_io: true }),
  })
  void queryClient.invalidateQueries({ queryKey: datasetQuery.all() })
  return { datasetId: id, exampleId: example.id }
}
