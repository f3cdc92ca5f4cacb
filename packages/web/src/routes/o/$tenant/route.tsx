import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Navigate, Outlet, redirect, useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { meQuery, workspaceQuery } from '#features/accounts/me.ts'
import { enterLastWorkspace, readWorkspaceId, writeWorkspaceId } from '#lib/api/session.ts'
import { setDraftOwner } from '#lib/draft-owner.ts'
import { describeFailure } from '#lib/errors.ts'
import { AppShell } from '#shell/app-shell.tsx'

export const Route = createFileRoute('/o/$tenant')({
  beforeLoad: async ({ context, params, location, preload }) => {
    if (preload || enterLastWorkspace(params.tenant)) return
    const { enterWorkspace } = await import('#features/accounts/workspaces.ts')
    const other = await enterWorkspace(context.queryClient, params.tenant)
    if (other !== undefined) throw redirect({ href: inWorkspace(location.href, other), replace: true })
  },
  component: Frame,
})

function Frame() {
  const { tenant } = Route.useParams()
  const workspace = useQuery(workspaceQuery.current())
  useEffect(() => {
    // A removed member is redirected to a workspace that they still belong to.
    if (describeFailure(workspace.error).status !== 403 || readWorkspaceId() === undefined) return
    writeWorkspaceId(undefined)
    location.reload()
  }, [workspace.error])
  const me = useQuery(meQuery.current()).data
  const userId = me && `${me.kind} ${me.id ?? ''}`
  useEffect(() => {
    if (userId !== undefined && workspace.data?.id === tenant) setDraftOwner({ userId, workspaceId: tenant })
  }, [userId, workspace.data?.id, tenant])
  const href = useLocation({ select: (location) => location.href })
  // A link into another workspace is opened in the user's own, where the id may be found.
  if (workspace.data && workspace.data.id !== tenant) {
    return <Navigate to="." href={inWorkspace(href, workspace.data.id)} replace />
  }
  return (
    <AppShell tenant={tenant}>
      <Outlet />
    </AppShell>
  )
}

function inWorkspace(href: string, tenant: string): string {
  return href.replace(/^\/o\/[^/?#]+/, `/o/${tenant}`)
}
