import { createFileRoute, redirect } from '@tanstack/react-router'
import { LoginForms } from '#features/accounts/login-forms.tsx'
import { optional, searchSchema, text, toOwnPath } from '#lib/search-schema.ts'

export const Route = createFileRoute('/login')({
  validateSearch: searchSchema({ next: optional(text()) }),
  beforeLoad: async ({ context, search }) => {
    // Imported here to keep it out of the first-screen bundle.
    const { authQuery } = await import('#features/accounts/queries.ts')
    const auth = await context.queryClient.fetchQuery(authQuery.state())
    if (auth.is_open) throw redirect({ href: toOwnPath(search.next), replace: true })
    if (auth.can_set_up) throw redirect({ to: '/setup', replace: true })
    return { auth }
  },
  component: LoginPage,
})

/** Sign-in with an account or an API key. `next` is the page to return to. */
function LoginPage() {
  const { next } = Route.useSearch()
  const { auth } = Route.useRouteContext()
  const navigate = Route.useNavigate()
  return (
    <LoginForms hasPeople={auth.has_people} onDone={() => void navigate({ href: toOwnPath(next), replace: true })} />
  )
}
