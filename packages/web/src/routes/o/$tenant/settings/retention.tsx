import { createFileRoute } from '@tanstack/react-router'
import { RetentionPage } from '#features/retention/page/retention-page.tsx'

export const Route = createFileRoute('/o/$tenant/settings/retention')({ component: RetentionPage })
