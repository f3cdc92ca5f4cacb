import { createFileRoute } from '@tanstack/react-router'
import { BackupsPage } from '#features/backups/backups-page.tsx'

export const Route = createFileRoute('/o/$tenant/settings/backups')({ component: BackupsPage })
