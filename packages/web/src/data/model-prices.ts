import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { ModelPrice, ModelPriceChange, ModelPriceWrite } from '@touchstone/sdk'
import { clientOf, ModelPriceCalls } from '@touchstone/sdk/api'
import { connection } from './client.ts'

const client = clientOf(connection, ModelPriceCalls)

export const modelPriceQuery = {
  all: () => ['model-prices'] as const,
  /** The workspace's own prices, newest first, then the built-in ones. */
  list: () =>
    queryOptions({
      queryKey: [...modelPriceQuery.all(), 'list'],
      queryFn: ({ signal }) => client.listModelPrices({ signal }),
    }),
  /** Models whose recent runs have no known cost. */
  unpriced: () =>
    queryOptions({
      queryKey: [...modelPriceQuery.all(), 'unpriced'],
      queryFn: ({ signal }) => client.listUnpricedModels({}, { signal }),
      staleTime: 60_000,
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

function refresh(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: modelPriceQuery.all() })
}
