import { createFileRoute } from '@tanstack/react-router'
import { ChannelsPage } from '#features/notifications/channels-page.tsx'

export const Route = createFileRoute('/o/$tenant/settings/channels')({ component: ChannelsPage })
