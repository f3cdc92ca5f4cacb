import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { ModelProvider, ModelProviderChange, ModelProviderTest, ModelProviderWrite } from '@touchstone/sdk'
import { clientOf, ModelProviderCalls } from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'

const client = clientOf(connection, ModelProviderCalls)

export const modelProviderQuery = {
  all: () => ['model-providers'] as const,
  /** By name. */
  list: () =>
    queryOptions({
      queryKey: [...modelProviderQuery.all(), 'list'],
      queryFn: ({ signal }) => client.listModelProviders({ signal }),
    }),
  /** Models that the provider lists, that were typed for it, and that have a price. */
  models: (id: string) =>
    queryOptions({
      queryKey: [...modelProviderQuery.all(), 'models', id],
      queryFn: ({ signal }) => client.listProviderModels(id, { signal }),
      staleTime: 60_000,
    }),
}

/** The provider as it is stored now. */
export const readModelProvider = (id: string): Promise<ModelProvider> => client.readModelProvider(id)

export const modelProviderMutation = {
  create: (queryClient: QueryClient) => ({
    mutationFn: (provider: ModelProviderWrite) => client.createModelProvider(provider),
    onSuccess: () => refresh(queryClient),
  }),
  update: (queryClient: QueryClient) => ({
    mutationFn: ({ id, ...change }: ModelProviderChange & { id: string }) => client.updateModelProvider(id, change),
    onSuccess: () => refresh(queryClient),
  }),
  delete: (queryClient: QueryClient) => ({
    mutationFn: (id: string) => client.deleteModelProvider(id),
    onSettled: () => refresh(queryClient),
  }),
  /** Calls a provider at once, stored or not. */
  test: () => ({
    mutationFn: (test: ModelProviderTest) => client.testModelProvider(test),
  }),
}

function refresh(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: modelProviderQuery.all() })
}
