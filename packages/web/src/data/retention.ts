import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { clientOf, RetentionCalls } from '@touchstone/sdk/api'
import { connection } from './client.ts'

const client = clientOf(connection, RetentionCalls)

export const retentionQuery = {
  /** The workspace's default, and the projects that say otherwise. */
  ofWorkspace: () =>
    queryOptions({
      queryKey: ['retention', 'workspace'],
      queryFn: ({ signal }) => client.readWorkspaceRetention({ signal }),
    }),
  ofProject: (projectId: string) =>
    queryOptions({
      queryKey: ['retention', 'project', projectId],
      queryFn: ({ signal }) => client.readProjectRetention(projectId, { signal }),
    }),
  /** The newest deletions, with what each removed. */
  deletions: () =>
    queryOptions({
      queryKey: ['retention', 'deletions'],
      queryFn: ({ signal }) => client.listDeletions({ limit: 50 }, { signal }),
    }),
  /** What so many days would remove now. @param projectId  absent: from every project that follows the workspace */
  estimate: (days: number, projectId?: string) =>
    queryOptions({
      queryKey: ['retention', 'estimate', projectId ?? 'workspace', days],
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
  /** Null follows the workspace. */
  setProject: (queryClient: QueryClient) => ({
    mutationFn: ({ projectId, days }: { projectId: string; days: number | null }) =>
      client.setProjectRetention(projectId, days),
    onSuccess: () => refresh(queryClient),
  }),
}

function refresh(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['retention'] })
}
