import { redirect } from '@tanstack/react-router'
import { workspaceQuery } from '#data/me.ts'
import type { RouterContext } from '#data/query-client.ts'

/** Redirects URLs without a workspace: `/projects/p/1?t=7d` leads to `/o/{workspace}/projects/p/1?t=7d`. */
export async function redirectIntoWorkspace({
  context,
  location,
}: {
  context: RouterContext
  location: { pathname: string; searchStr: string }
}): Promise<never> {
  const workspace = await context.queryClient.ensureQueryData(workspaceQuery.current())
  throw redirect({ href: `/o/${workspace.id}${location.pathname}${location.searchStr}`, replace: true })
}
