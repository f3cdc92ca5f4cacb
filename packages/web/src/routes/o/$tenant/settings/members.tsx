import { createFileRoute } from '@tanstack/react-router'
import { MembersPage } from '#features/accounts/members/members-page.tsx'

export const Route = createFileRoute('/o/$tenant/settings/members')({ component: MembersPage })
