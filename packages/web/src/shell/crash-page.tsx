import { useQueryClient } from '@tanstack/react-query'
import { type ErrorComponentProps, useRouterState } from '@tanstack/react-router'
import { CircleAlert, Lock } from 'lucide-react'
import { describeFailure } from '#lib/errors.ts'
import { Button } from '#ui/button.tsx'
import { CopyButton } from '#ui/copy-button.tsx'
import { EmptyState, ErrorState } from '#ui/states.tsx'

/** Shown instead of a route that failed. The rest of the page keeps working. */
export function CrashPage({ error, reset }: ErrorComponentProps) {
  const route = useRouterState({ select: (state) => state.matches.at(-1)?.routeId })
  const failure = describeFailure(error)
  const queryClient = useQueryClient()
  /** Reloads the data too, because it may have caused the failure. */
  function tryAgain() {
    queryClient.removeQueries({ type: 'inactive' })
    reset()
  }
  return (
    <main className="min-h-0 flex-1 overflow-auto">
      {failure.status === 403 ? (
        <NotAllowed />
      ) : failure.status !== undefined ? (
        <ErrorState title="Could not load this page" error={error} onRetry={reset} />
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
            The rest of Touchstone still works. The report contains the route and the position in the code, but none of
            your data.
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
      title="You don't have permission to view this"
      actions={
        <>
          <CopyButton label="Copy access request" text={() => `Please give me access to ${location.href}`} />
          <Button
            onClick={() => location.assign(`/login?next=${encodeURIComponent(location.pathname + location.search)}`)}
          >
            Switch account
          </Button>
        </>
      }
    >
      <p>Ask an admin of this workspace for access. Admins change roles in Settings &gt; Members.</p>
      <p className="mt-2 break-all font-mono text-row">{location.pathname}</p>
    </EmptyState>
  )
}

/**
 * A report of a crash: route, position in the code, request. Error messages are left out, because they may quote traced data.
 *
 * @param route  the route's pattern, e.g. `/o/$tenant/projects/`
 * @param browser  the user agent
 */
export function crashReport(error: unknown, route: string | undefined, browser: string): string {
  const { status, requestId } = describeFailure(error)
  const isError = error instanceof Error
  const frames = isError ? (error.stack ?? '').split('\n').filter((line) => /^\s*(at |\S*@)/.test(line)) : []
  return [
    'Touchstone: a page failed',
    `time: ${new Date().toISOString()}`,
    `route: ${route ?? 'unknown'}`,
    `error: ${isError ? error.name : typeof error}`,
    status !== undefined && `status: ${status}`,
    requestId !== undefined && `request: ${requestId}`,
    `browser: ${browser}`,
    ...frames.slice(0, 12).map((line) => line.trim()),
  ]
    .filter(Boolean)
    .join('\n')
}
