import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { clientOf, RetentionCalls, RunStatsCalls } from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'

const client = clientOf(connection, RetentionCalls, RunStatsCalls)

export const retentionQuery = {
  all: () => ['retention'] as const,
  /** The workspace's default and the projects that override it. */
  ofWorkspace: () =>
    queryOptions({
      queryKey: [...retentionQuery.all(), 'workspace'],
      queryFn: ({ signal }) => client.readWorkspaceRetention({ signal }),
    }),
  ofProject: (projectId: string) =>
    queryOptions({
      queryKey: [...retentionQuery.all(), 'project', projectId],
      queryFn: ({ signal }) => client.readProjectRetention(projectId, { signal }),
    }),
  /** The latest deletions with the numbers of deleted records. */
  deletions: () =>
    queryOptions({
      queryKey: [...retentionQuery.all(), 'deletions'],
      queryFn: ({ signal }) => client.listDeletions({ limit: 50 }, { signal }),
    }),
  /** What this retention would delete now. @param projectId  absent: all projects that use the workspace's default */
  estimate: (days: number, projectId?: string) =>
    queryOptions({
      queryKey: [...retentionQuery.all(), 'estimate', projectId ?? 'workspace', days],
      queryFn: ({ signal }) =>
        projectId === undefined
          ? client.estimateWorkspaceRetention(days, { signal })
          : client.estimateProjectRetention(projectId, days, { signal }),
      placeholderData: keepPreviousData,
      meta: { quiet: true },
    }),
}

export const retentionMutation = {
  setWorkspace: (queryClient: QueryClient) => ({
    mutationFn: (days: number) => client.setWorkspaceRetention(days),
    onSuccess: () => refresh(queryClient),
  }),
  /** Null days use the workspace's default. */
  setProject: (queryClient: QueryClient) => ({
    mutationFn: ({ projectId, days }: { projectId: string; days: number | null }) =>
      client.setProjectRetention(projectId, days),
    onSuccess: () => refresh(queryClient),
  }),
  /** Counts the traces with this metadata in all projects. */
  countByMetadata: () => ({ mutationFn: (wanted: MetadataValue) => client.countDeletion(toRequest(wanted)) }),
  deleteByMetadata: (queryClient: QueryClient) => ({
    mutationFn: (wanted: MetadataValue) => client.deleteRuns(toRequest(wanted)),
    // Lists, charts and counts of all projects may have shown them.
    onSettled: () => queryClient.invalidateQueries(),
  }),
}

interface MetadataValue {
  readonly key: string
  readonly value: string
}

/** A number is also found where it was sent as one; the server does so for integers that JSON would round. */
function toRequest({ key, value }: MetadataValue) {
  const number = Number(value)
  const isNumber = String(number) === value && Math.abs(number) <= Number.MAX_SAFE_INTEGER
  return { metadata: { [key]: isNumber ? [value, number] : [value] } }
}

function refresh(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: retentionQuery.all() })
}
