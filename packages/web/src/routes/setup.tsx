import { createFileRoute, redirect } from '@tanstack/react-router'
import { SetUpForm } from '#features/accounts/set-up-form.tsx'

export const Route = createFileRoute('/setup')({
  beforeLoad: async ({ context }) => {
    // Imported here to keep it out of the first-screen bundle.
    const { authQuery } = await import('#features/accounts/queries.ts')
    const auth = await context.queryClient.fetchQuery(authQuery.state())
    if (!auth.can_set_up) throw redirect({ to: '/login', replace: true })
    return { auth }
  },
  component: SetUpPage,
})

/** First run: account, workspace and project, then the project page with a key in the snippet. */
function SetUpPage() {
  const navigate = Route.useNavigate()
  const { auth } = Route.useRouteContext()
  return (
    <SetUpForm
      isOpen={auth.is_open}
      needsCode={auth.needs_setup_code}
      // The server prints a link that contains the code.
      code={decodeURIComponent(location.hash.slice(1))}
      onDone={(tenant, projectId) =>
        void navigate({ to: '/o/$tenant/projects/p/$projectId', params: { tenant, projectId }, replace: true })
      }
    />
  )
}
