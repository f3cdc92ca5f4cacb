import { createFileRoute, redirect } from '@tanstack/react-router'
import { workspaceQuery } from '#features/accounts/me.ts'

export const Route = createFileRoute('/')({
  beforeLoad: async ({ context }) => {
    const workspace = await context.queryClient.ensureQueryData(workspaceQuery.current())
    throw redirect({ to: '/o/$tenant', params: { tenant: workspace.id }, replace: true })
  },
})
