import { redirect } from '@tanstack/react-router'
import { workspaceQuery } from '#features/accounts/me.ts'
import type { RouterContext } from '#lib/api/query-client.ts'

interface Arrival {
  context: RouterContext
  location: { pathname: string; searchStr: string }
}

/** Redirects URLs without a workspace: `/projects/p/1?t=7d` leads to `/o/{workspace}/projects/p/1?t=7d`. */
export async function redirectIntoWorkspace({ context, location }: Arrival): Promise<never> {
  const workspace = await context.queryClient.ensureQueryData(workspaceQuery.current())
  throw redirect({ href: `/o/${workspace.id}${location.pathname}${location.searchStr}`, replace: true })
}

/**
 * Redirects the addresses of prompts that clients print, such as `/prompts/joke/3f1c0b7d?organizationId={workspace}` and
 * `/hub/acme/joke:3f1c0b7d`.
 */
export async function redirectToPrompt({ context, location }: Arrival): Promise<never> {
  const { toPromptPath } = await import('#features/prompts/prompt-key.ts')
  const search = new URLSearchParams(location.searchStr)
  const asked = search.get('organizationId')
  search.delete('organizationId')
  const workspace =
    asked !== null && /^[0-9a-f-]{36}$/i.test(asked)
      ? asked
      : (await context.queryClient.ensureQueryData(workspaceQuery.current())).id
  const [path = '', own = ''] = toPromptPath(location.pathname).split('?')
  for (const [name, value] of new URLSearchParams(own)) search.set(name, value)
  const rest = search.size === 0 ? '' : `?${search}`
  throw redirect({ href: `/o/${workspace}${path}${rest}`, replace: true })
}
