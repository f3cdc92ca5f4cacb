import { createFileRoute } from '@tanstack/react-router'
import { WorkspacePage } from '#features/settings/workspace-page.tsx'

export const Route = createFileRoute('/o/$tenant/settings/workspace')({ component: WorkspacePage })
