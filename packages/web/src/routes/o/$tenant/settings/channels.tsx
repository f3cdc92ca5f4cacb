import { createFileRoute } from '@tanstack/react-router'
import { useMay } from '#features/accounts/me.ts'
import { ChannelsPage } from '#features/notifications/channels-page.tsx'

export const Route = createFileRoute('/o/$tenant/settings/channels')({
  component: () => <ChannelsPage isAdmin={useMay('admin')} />,
})
