import { createFileRoute } from '@tanstack/react-router'
import { ApiKeysPage } from '#features/accounts/api-keys/api-keys-page.tsx'

export const Route = createFileRoute('/o/$tenant/settings/api-keys')({ component: ApiKeysPage })
