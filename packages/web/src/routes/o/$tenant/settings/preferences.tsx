import { createFileRoute } from '@tanstack/react-router'
import { PreferencesPage } from '#features/settings/preferences-page.tsx'

export const Route = createFileRoute('/o/$tenant/settings/preferences')({ component: PreferencesPage })
