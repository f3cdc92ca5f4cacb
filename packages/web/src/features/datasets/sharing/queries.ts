import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { clientOf, DatasetCalls, DatasetShareCalls, ShareCalls } from '@touchstone/sdk/api'
import { shareQuery } from '#features/sharing/queries.ts'
import { connection } from '#lib/api/client.ts'
import { refreshDatasets } from '../queries.ts'

const client = clientOf(connection, DatasetShareCalls, ShareCalls, DatasetCalls)

/** The public link of a dataset. */
export interface DatasetLink {
  token: string
  /** Whether its experiments are public too. */
  sharesExperiments: boolean
}

export const datasetShareQuery = {
  /** The public link of every shared dataset, by id. */
  links: () =>
    queryOptions({
      queryKey: [...shareQuery.all(), 'datasets'],
      queryFn: async ({ signal }): Promise<ReadonlyMap<string, DatasetLink>> => {
        const shares = await client.listShares({ signal })
        return new Map(
          shares.flatMap((share): [string, DatasetLink][] =>
            share.type === 'dataset'
              ? [[share.dataset_id, { token: share.share_token, sharesExperiments: share.shares_projects }]]
              : [],
          ),
        )
      },
      meta: { quiet: true },
    }),
  /** What a public link of this server opens. */
  preview: (token: string) =>
    queryOptions({
      queryKey: [...shareQuery.all(), 'preview', token],
      queryFn: ({ signal }) => client.readSharedDataset(token, { signal }),
    }),
}

export const datasetShareMutation = {
  /** Creates the public link, or changes whether it opens the experiments too. */
  share: (queryClient: QueryClient) => ({
    mutationFn: ({ datasetId, shareProjects }: { datasetId: string; shareProjects: boolean }) =>
      client.shareDataset(datasetId, undefined, { shareProjects }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: shareQuery.all() }),
  }),
  unshare: (queryClient: QueryClient) => ({
    mutationFn: (datasetId: string) => client.unshareDataset(datasetId),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: shareQuery.all() }),
  }),
  /** Copies a shared dataset of this server. @returns the copy */
  clone: (queryClient: QueryClient) => ({
    mutationFn: async ({ token, name }: { token: string; name: string }) => {
      if (await client.hasDataset({ datasetName: name })) {
        throw new Error(`This workspace has a dataset named ${name}. Enter another name.`)
      }
      await client.clonePublicDataset(token, { datasetName: name })
      return client.readDataset({ datasetName: name })
    },
    onSettled: () => refreshDatasets(queryClient),
  }),
}
