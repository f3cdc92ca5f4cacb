import { createFileRoute, Outlet } from '@tanstack/react-router'
import { AppShell } from '#shell/app-shell.tsx'

export const Route = createFileRoute('/o/$tenant')({
  component: () => (
    <AppShell>
      <Outlet />
    </AppShell>
  ),
})
