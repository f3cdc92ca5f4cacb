import { createFileRoute } from '@tanstack/react-router'
import { SharedPage } from '#features/sharing/shared-page.tsx'

export const Route = createFileRoute('/o/$tenant/settings/shared')({ component: SharedPage })
