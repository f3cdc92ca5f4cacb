import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { RunViewState, SavedView } from '@touchstone/sdk'
import { clientOf, SavedViewCalls } from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'

const client = clientOf(connection, SavedViewCalls)

export const savedViewQuery = {
  all: () => ['saved-views'] as const,
  /** The views of a project and of its workspace: shared ones and the caller's own. */
  list: (projectId: string) =>
    queryOptions({
      queryKey: [...savedViewQuery.all(), projectId],
      queryFn: ({ signal }) => client.listSavedViews({ projectId }, { signal }),
      staleTime: 30_000,
      meta: { quiet: true },
    }),
}

export const savedViewMutation = {
  create: (queryClient: QueryClient) => ({
    mutationFn: (view: Parameters<typeof client.createSavedView>[0]) => client.createSavedView(view),
    onSuccess: () => refresh(queryClient),
  }),
  update: (queryClient: QueryClient) => ({
    /** @param base  the saved state that the change is based on */
    mutationFn: ({ id, state, base }: { id: string; state: RunViewState; base: RunViewState }) =>
      client.updateSavedView(id, { state, expected: { state: base } }),
    // Also after a failure: others may have changed the view.
    onSettled: () => refresh(queryClient),
  }),
  delete: (queryClient: QueryClient) => ({
    mutationFn: ({ id }: Pick<SavedView, 'id'>) => client.deleteSavedView(id),
    onSettled: () => refresh(queryClient),
  }),
}

function refresh(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: savedViewQuery.all() })
}
