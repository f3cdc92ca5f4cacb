import { createFileRoute } from '@tanstack/react-router'
import { SpendingPage } from '#features/models/spending/spending-page.tsx'

export const Route = createFileRoute('/o/$tenant/settings/spending')({ component: SpendingPage })
