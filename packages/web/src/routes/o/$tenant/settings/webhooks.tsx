import { createFileRoute } from '@tanstack/react-router'
import { WebhooksPage } from '#features/prompts/webhooks/webhooks-page.tsx'

export const Route = createFileRoute('/o/$tenant/settings/webhooks')({ component: WebhooksPage })
