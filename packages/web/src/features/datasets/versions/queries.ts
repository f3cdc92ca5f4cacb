import { infiniteQueryOptions, keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import * as routes from '@touchstone/contract/routes'
import type { DatasetVersion, Example } from '@touchstone/sdk'
import { clientOf, DatasetVersionCalls, ExampleCalls, ServerCalls } from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'
import { queryKeys } from '#lib/api/query-client.ts'
import type { TimelineVersion } from './version-timeline.ts'

const client = clientOf(connection, DatasetVersionCalls, ExampleCalls, ServerCalls)

/** Versions that one request lists. */
const PAGE = 100

const NO_CHANGES = { added: 0, modified: 0, removed: 0 }

/** Examples that one request reads by id. */
const IDS_AT_ONCE = 100

export const versionQuery = {
  ofDataset: (datasetId: string) => [...queryKeys.datasets(), 'versions', datasetId] as const,

  /** The newest versions, newest first. */
  list: (datasetId: string, limit: number) =>
    queryOptions({
      queryKey: [...versionQuery.ofDataset(datasetId), 'list', limit],
      queryFn: async ({ signal }): Promise<TimelineVersion[]> => {
        const versions: TimelineVersion[] = []
        const options = { datasetId, includeChanges: true, limit }
        for await (const version of client.listDatasetVersions(options, { signal })) {
          versions.push({ as_of: version.as_of, tags: version.tags ?? [], changes: version.changes ?? NO_CHANGES })
        }
        return versions
      },
      placeholderData: keepPreviousData,
    }),

  /** All versions without their changes, newest first, for pickers. */
  pages: (datasetId: string) =>
    infiniteQueryOptions({
      queryKey: [...versionQuery.ofDataset(datasetId), 'pages'],
      queryFn: async ({ pageParam: offset, signal }) => {
        const request = { params: { dataset_id: datasetId }, query: { offset, limit: PAGE }, signal }
        const response = await client.raw(routes.datasetVersions.list, request)
        return (await response.json()) as DatasetVersion[]
      },
      initialPageParam: 0,
      getNextPageParam: (page, pages) => (page.length === PAGE ? pages.length * PAGE : undefined),
      meta: { quiet: true },
    }),

  /** Ids of the examples that two versions do not share. */
  diff: (datasetId: string, fromVersion: string, toVersion: string) =>
    queryOptions({
      queryKey: [...versionQuery.ofDataset(datasetId), 'diff', fromVersion, toVersion],
      queryFn: ({ signal }) => client.diffDatasetVersions({ datasetId, fromVersion, toVersion }, { signal }),
      placeholderData: keepPreviousData,
    }),

  /** Up to 100 examples as they were in a version, by id. */
  examples: (datasetId: string, asOf: string, ids: readonly string[]) =>
    queryOptions({
      queryKey: [...versionQuery.ofDataset(datasetId), 'examples', asOf, ids],
      queryFn: async ({ signal }): Promise<Map<string, Example>> => {
        const query = { dataset: datasetId, as_of: asOf, id: [...ids], limit: IDS_AT_ONCE }
        const examples = ids.length === 0 ? [] : await client.queryExamples(query, { signal })
        return new Map(examples.map((example) => [example.id, example]))
      },
      staleTime: 60_000,
    }),
}

/** The version that has a tag, or `undefined`. */
export async function findTaggedVersion(datasetId: string, tag: string): Promise<string | undefined> {
  // A search and not a read by tag: the browser would log the 404 of a new tag as an error.
  for await (const { as_of, tags } of client.listDatasetVersions({ datasetId, search: tag })) {
    if (tags?.includes(tag)) return as_of
  }
  return undefined
}

export const versionMutation = {
  /** Tags a version; the tag moves if another version had it. */
  tag: (datasetId: string) => ({
    mutationFn: ({ asOf, tag }: { asOf: string; tag: string }) => client.updateDatasetTag({ datasetId, asOf, tag }),
  }),
  /** Gives all examples the content of a version, as one new version. Returns also the newest version before. */
  restore: (datasetId: string) => ({
    mutationFn: async (asOf: string) => {
      const { as_of: before } = await client.readDatasetVersion({ datasetId, tag: 'latest' })
      return { before, ...(await client.restoreDatasetVersion({ datasetId, asOf })) }
    },
  }),
}

/** Makes everything stale that shows the examples or the versions of a dataset. */
export async function refreshVersions(queryClient: QueryClient): Promise<void> {
  await Promise.all(
    [queryKeys.datasets(), queryKeys.examples()].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
  )
}
