import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import { clientOf, IngestReceiptCalls } from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'
import type { IngestSearch } from '#lib/page-search.ts'

const client = clientOf(connection, IngestReceiptCalls)

/** How often the banner of a project asks for rejected runs. */
const BANNER_EVERY_MS = 60_000

export const ingestReceiptQuery = {
  /** Ingest requests of the last 24 hours, newest first. */
  list: ({ project, outcome }: Pick<IngestSearch, 'project' | 'outcome'>) =>
    infiniteQueryOptions({
      queryKey: ['ingest-receipts', 'list', project ?? 'all', outcome ?? 'any'],
      queryFn: ({ signal, pageParam }) =>
        client.listIngestReceipts(
          { projectId: project, outcome: outcome === 'rejected' ? 'rejected' : undefined, cursor: pageParam },
          { signal },
        ),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
      staleTime: 5_000,
    }),
  /** Runs that the store refused after they were acknowledged. */
  refused: () =>
    queryOptions({
      queryKey: ['ingest-receipts', 'refused'],
      queryFn: ({ signal }) => client.listRefusedRuns({ signal }),
      staleTime: 5_000,
    }),
  /** Where a run or trace is. */
  where: (id: string) =>
    queryOptions({
      queryKey: ['ingest-receipts', 'where', id],
      queryFn: ({ signal }) => client.findTrace(id, { signal }),
      enabled: id !== '',
      staleTime: 5_000,
    }),
  /** Rejected runs of a project in the last hour. */
  rejected: (projectId: string) =>
    queryOptions({
      queryKey: ['ingest-receipts', 'rejected', projectId],
      queryFn: ({ signal }) =>
        client.listIngestReceipts({ projectId, outcome: 'rejected', minutes: 60, limit: 1 }, { signal }),
      refetchInterval: BANNER_EVERY_MS,
      staleTime: BANNER_EVERY_MS,
    }),
}

export const ingestReceiptMutation = {
  retryRefused: (queryClient: QueryClient) => ({
    mutationFn: () => client.retryRefusedRuns(),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['ingest-receipts'] }),
  }),
}
