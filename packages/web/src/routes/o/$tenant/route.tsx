import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Navigate, Outlet } from '@tanstack/react-router'
import { workspaceQuery } from '#data/workspace.ts'
import { AppShell } from '#shell/app-shell.tsx'

export const Route = createFileRoute('/o/$tenant')({ component: Frame })

function Frame() {
  const { tenant } = Route.useParams()
  const workspace = useQuery(workspaceQuery.current())
  // A key belongs to one workspace. A link that names another one is read in ours, where an id may still be found.
  if (workspace.data && workspace.data.id !== tenant) {
    return <Navigate from="/o/$tenant" to="." params={{ tenant: workspace.data.id }} search={true} replace />
  }
  return (
    <AppShell tenant={tenant}>
      <Outlet />
    </AppShell>
  )
}
