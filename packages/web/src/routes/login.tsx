import { createFileRoute, redirect } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { ownPath } from '#lib/url/own-path.ts'
import { optional } from '#lib/url/search-schema.ts'
import { LoginForms } from './-login-forms.tsx'

export const Route = createFileRoute('/login')({
  validateSearch: z.object({ next: optional(z.string()) }),
  beforeLoad: async ({ context, search }) => {
    // Only this page asks it, so it is no part of the first screen.
    const { authQuery } = await import('#data/accounts.ts')
    const door = await context.queryClient.fetchQuery(authQuery.state())
    if (door.is_open) throw redirect({ href: ownPath(search.next), replace: true })
    if (door.can_set_up) throw redirect({ to: '/setup', replace: true })
    return { door }
  },
  component: LoginPage,
})

/** Sign in as a person, or with an API key. `next` brings back where one was. */
function LoginPage() {
  const { next } = Route.useSearch()
  const { door } = Route.useRouteContext()
  const navigate = Route.useNavigate()
  return <LoginForms hasPeople={door.has_people} onDone={() => void navigate({ href: ownPath(next), replace: true })} />
}
