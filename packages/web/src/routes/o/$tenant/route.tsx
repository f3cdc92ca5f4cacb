import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Navigate, Outlet, useLocation } from '@tanstack/react-router'
import { workspaceQuery } from '#data/workspace.ts'
import { AppShell } from '#shell/app-shell.tsx'

export const Route = createFileRoute('/o/$tenant')({ component: Frame })

function Frame() {
  const { tenant } = Route.useParams()
  const workspace = useQuery(workspaceQuery.current())
  const href = useLocation({ select: (location) => location.href })
  // A key belongs to one workspace. A link that names another one is read in ours, where an id may still be found.
  if (workspace.data && workspace.data.id !== tenant) {
    return <Navigate to="." href={href.replace(/^\/o\/[^/?#]+/, `/o/${workspace.data.id}`)} replace />
  }
  return (
    <AppShell tenant={tenant}>
      <Outlet />
    </AppShell>
  )
}
