import { createFileRoute } from '@tanstack/react-router'
import { ProvidersPage } from '#features/models/providers/providers-page.tsx'

export const Route = createFileRoute('/o/$tenant/settings/providers')({ component: ProvidersPage })
