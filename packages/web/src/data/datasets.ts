import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Dataset } from '@touchstone/sdk'
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
  one: (datasetId: string) =>
    queryOptions({
      queryKey: [...datasetQuery.all(), 'one', datasetId],
      queryFn: ({ signal }) => client.readDataset({ datasetId }, { signal }),
      staleTime: 60_000,
    }),
}

/** A dataset from any loaded list, to show its name without a request. */
export function findCachedDataset(queryClient: QueryClient, datasetId: string): Dataset | undefined {
  const lists = queryClient.getQueriesData<Dataset[]>({ queryKey: [...datasetQuery.all(), 'search'] })
  return lists.flatMap(([, datasets]) => datasets ?? []).find(({ id }) => id === datasetId)
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
