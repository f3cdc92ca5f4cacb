import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { ModelPrice, ModelPriceChange, ModelPriceWrite, RepriceEstimate, RepriceStart } from '@touchstone/sdk'
import { clientOf, ModelPriceCalls } from '@touchstone/sdk/api'
import { bulkQuery, watchJob } from '#features/bulk-jobs/queries.ts'
import { connection } from '#lib/api/client.ts'

const client = clientOf(connection, ModelPriceCalls)

export const modelPriceQuery = {
  all: () => ['model-prices'] as const,
  /** The workspace's own prices, newest first, then the built-in ones. */
  list: () =>
    queryOptions({
      queryKey: [...modelPriceQuery.all(), 'list'],
      queryFn: ({ signal }) => client.listModelPrices({ signal }),
    }),
  /** Models whose recent runs, in a project or in all, have no known cost. */
  unpriced: (projectId?: string) =>
    queryOptions({
      queryKey: [...modelPriceQuery.all(), 'unpriced', projectId ?? 'all'],
      queryFn: ({ signal }) => client.listUnpricedModels({ projectId }, { signal }),
      staleTime: 60_000,
    }),
  /** What pricing stored runs again would change now. */
  estimate: (runs: RepriceStart) =>
    queryOptions({
      queryKey: [...modelPriceQuery.all(), 'estimate', runs],
      queryFn: ({ signal }) => client.estimateRepricing(runs, { signal }),
      staleTime: 0,
      gcTime: 0,
      meta: { quiet: true },
    }),
  /** The price that a run of this model would get now. */
  test: (model: string, provider: string) =>
    queryOptions({
      queryKey: [...modelPriceQuery.all(), 'test', model, provider],
      queryFn: ({ signal }) =>
        client.testModelPrice({ model, provider: provider === '' ? null : provider }, { signal }),
      placeholderData: keepPreviousData,
      enabled: model !== '',
      meta: { quiet: true },
    }),
}

/** The price as it is stored now. @throws Error when it was deleted */
export async function readModelPrice(id: string): Promise<ModelPrice> {
  const price = (await client.listModelPrices()).find((one) => one.id === id)
  if (price === undefined) throw new Error('The price was deleted meanwhile.')
  return price
}

export const modelPriceMutation = {
  create: (queryClient: QueryClient) => ({
    mutationFn: (price: ModelPriceWrite) => client.createModelPrice(price),
    onSuccess: () => refresh(queryClient),
  }),
  update: (queryClient: QueryClient) => ({
    mutationFn: ({ id, price }: { id: string; price: ModelPriceChange }) => client.updateModelPrice(id, price),
    onSuccess: () => refresh(queryClient),
  }),
  delete: (queryClient: QueryClient) => ({
    mutationFn: (id: string) => client.deleteModelPrice(id),
    onSuccess: () => refresh(queryClient),
  }),
}

/** Starts a job on the runs of an estimate; later runs are not included. */
export async function repriceRuns(
  queryClient: QueryClient,
  runs: RepriceStart,
  { as_of }: RepriceEstimate,
): Promise<void> {
  // Runs are recorded all the time, so a job may have more than its estimate.
  watchJob((await client.reprice({ ...runs, as_of })).id)
  await queryClient.invalidateQueries({ queryKey: bulkQuery.allJobs() })
}

function refresh(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: modelPriceQuery.all() })
}
