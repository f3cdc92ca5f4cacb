import { useQueryClient } from '@tanstack/react-query'
import { type ErrorComponentProps, useRouterState } from '@tanstack/react-router'
import { CircleAlert, Lock } from 'lucide-react'
import { describeFailure } from '#lib/errors/describe-failure.ts'
import { Button } from '#ui/button.tsx'
import { CopyButton } from '#ui/copy-button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { crashReport } from './crash-report.ts'

/** Drawn in place of a route that failed; the rest of the page keeps working. */
export function CrashPage({ error, reset }: ErrorComponentProps) {
  const route = useRouterState({ select: (state) => state.matches.at(-1)?.routeId })
  const failure = describeFailure(error)
  const queryClient = useQueryClient()
  /** What the page was drawn from may be what made it fail, so it is read anew. */
  function tryAgain() {
    queryClient.removeQueries({ type: 'inactive' })
    reset()
  }
  return (
    <main className="min-h-0 flex-1 overflow-auto">
      {failure.status === 403 ? (
        <NotAllowed />
      ) : failure.status !== undefined ? (
        <ErrorState title="This page could not be read" error={error} onRetry={reset} />
      ) : (
        <EmptyState
          icon={CircleAlert}
          title="This page failed"
          actions={
            <>
              <Button look="primary" onClick={tryAgain}>
                Try again
              </Button>
              <Button onClick={() => location.reload()}>Reload</Button>
              <CopyButton label="Copy report" text={() => crashReport(error, route, navigator.userAgent)} />
            </>
          }
        >
          <p>
            The rest keeps working. The report names the route and the place in the code, and holds none of your data.
          </p>
        </EmptyState>
      )}
    </main>
  )
}

function NotAllowed() {
  return (
    <EmptyState
      icon={Lock}
      title="This needs more rights than yours"
      actions={
        <>
          <CopyButton label="Copy a request for access" text={() => `Please give me access to ${location.href}`} />
          <Button
            onClick={() => location.assign(`/login?next=${encodeURIComponent(location.pathname + location.search)}`)}
          >
            Sign in as somebody else
          </Button>
        </>
      }
    >
      <p>An admin of the workspace decides who may do what, under Settings, Members.</p>
      <p className="mt-2 break-all font-mono text-row">{location.pathname}</p>
    </EmptyState>
  )
}
