import { createFileRoute } from '@tanstack/react-router'

export const Route = createFileRoute('/o/$tenant/settings/api-keys')({ component: () => <main>API keys</main> })
