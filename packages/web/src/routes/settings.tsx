import { createFileRoute, redirect } from '@tanstack/react-router'
import { workspaceQuery } from '#data/workspace.ts'

/** Bare `/settings` leads into the workspace; the search is kept. */
export const Route = createFileRoute('/settings')({
  beforeLoad: async ({ context, location }) => {
    const workspace = await context.queryClient.ensureQueryData(workspaceQuery.current())
    const to = '/o/$tenant/settings/api-keys'.replace('$tenant', workspace.id)
    throw redirect({ href: to + location.searchStr, replace: true })
  },
})
