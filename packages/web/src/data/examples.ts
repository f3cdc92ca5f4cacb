import { queryOptions } from '@tanstack/react-query'
import type { Example, ExampleConditions, ExampleQuery } from '@touchstone/sdk'
import { clientOf, DatasetVersionCalls, ExampleCalls } from '@touchstone/sdk/api'
import type { ExamplesSearch } from '#lib/datasets/search.ts'
import { connection } from './client.ts'
import { openDatasetLink } from './public-datasets.ts'

const client = clientOf(connection, ExampleCalls, DatasetVersionCalls)

/** Which examples a list shows, and in which order. */
export interface ExamplesView {
  datasetId: string
  /** Token of the share link to read through, without credentials. */
  share?: string | undefined
  conditions: Omit<ExampleConditions, 'dataset'>
  order: Pick<ExampleQuery, 'order' | 'descending'>
}

export const DEFAULT_SORT = '-created'

/** Orders of the list, by the `sort` param. */
const ORDERS: Readonly<Record<string, ExamplesView['order']>> = {
  [DEFAULT_SORT]: { order: 'recently_created', descending: true },
  created: { order: 'recently_created', descending: false },
  '-modified': { order: 'recent', descending: true },
  modified: { order: 'recent', descending: false },
}

export function toExamplesView(datasetId: string, search: ExamplesSearch): ExamplesView {
  const { q, filter, split, as_of, sort = DEFAULT_SORT } = search
  return {
    datasetId,
    conditions: {
      as_of,
      filter,
      splits: split === undefined ? undefined : [split],
      full_text_contains: q === undefined || q === '' ? undefined : [q],
    },
    // A list by its creation does not move when an example is edited.
    order: ORDERS[sort] ?? ORDERS[DEFAULT_SORT] ?? {},
  }
}

/** Examples of one page of a list. */
export const PAGE_SIZE = 50

export const exampleQuery = {
  all: () => ['examples'] as const,
  ofDataset: (datasetId: string) => [...exampleQuery.all(), datasetId] as const,

  /** A page of a list, by its number from 0: any page can be loaded without those before it. */
  page: (view: ExamplesView, page: number) =>
    queryOptions({
      queryKey: [...exampleQuery.ofDataset(view.datasetId), 'page', view, page],
      queryFn: ({ signal }): Promise<Example[]> => {
        const query = { ...view.conditions, ...view.order, offset: page * PAGE_SIZE, limit: PAGE_SIZE }
        return view.share === undefined
          ? client.queryExamples({ dataset: view.datasetId, ...query }, { signal })
          : openDatasetLink(view.share).queryExamples(query, { signal })
      },
      staleTime: 60_000,
    }),

  count: ({ datasetId, conditions, share }: Omit<ExamplesView, 'order'>) =>
    queryOptions({
      queryKey: [...exampleQuery.ofDataset(datasetId), 'count', conditions, share],
      queryFn: ({ signal }) =>
        share === undefined
          ? client.countExamples({ dataset: datasetId, ...conditions }, { signal })
          : openDatasetLink(share).countExamples(conditions, { signal }),
      staleTime: 60_000,
    }),

  /** Names of the splits at a version. */
  splits: (datasetId: string, asOf?: string) =>
    queryOptions({
      queryKey: [...exampleQuery.ofDataset(datasetId), 'splits', asOf],
      queryFn: ({ signal }) => client.listDatasetSplits({ datasetId, asOf }, { signal }),
      staleTime: 60_000,
      meta: { quiet: true },
    }),
}
