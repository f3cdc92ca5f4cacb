import { createFileRoute, Outlet } from '@tanstack/react-router'
import { AppShell } from '#shell/app-shell.tsx'

export const Route = createFileRoute('/o/$tenant')({ component: Frame })

function Frame() {
  const { tenant } = Route.useParams()
  return (
    <AppShell tenant={tenant}>
      <Outlet />
    </AppShell>
  )
}
