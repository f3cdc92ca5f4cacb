import { useQueryClient } from '@tanstack/react-query'
import { type ErrorComponentProps, useRouterState } from '@tanstack/react-router'
import { CircleAlert, Lock, WifiOff } from 'lucide-react'
import { useState } from 'react'
import { codeFailure, isCausedByCode } from '#lib/code-failure.ts'
import { describeFailure } from '#lib/errors.ts'
import { useStore } from '#lib/store.ts'
import { Button } from '#ui/button.tsx'
import { CopyButton } from '#ui/copy-button.tsx'
import { useConnectionNotice } from '#ui/hooks.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'

/** Shown instead of a route that failed. The rest of the page keeps working. */
export function CrashPage({ error, reset }: ErrorComponentProps) {
  const [isCode] = useState(() => isCausedByCode())
  const code = useStore(codeFailure)
  const route = useRouterState({ select: (state) => state.matches.at(-1)?.routeId })
  const failure = describeFailure(error)
  const queryClient = useQueryClient()
  /** Reloads the data too, because it may have caused the failure. */
  function tryAgain() {
    queryClient.removeQueries({ type: 'inactive' })
    reset()
  }
  if (isCode && code !== undefined && code.why !== 'gone')
    return <WaitingForServer isChecking={code.why === 'checking'} />
  return (
    <main className="min-h-0 flex-1 overflow-auto">
      {isCode && code !== undefined ? (
        <Updated />
      ) : failure.status === 403 ? (
        <NotAllowed />
      ) : failure.status !== undefined || failure.isOffline ? (
        <ErrorState title="Could not load this page" error={error} onRetry={reset} />
      ) : (
        <EmptyState
          icon={CircleAlert}
          heading="h1"
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

/** The page was not opened before, and its code cannot be loaded now. It opens by itself later. */
function WaitingForServer({ isChecking }: { isChecking: boolean }) {
  useConnectionNotice(!isChecking)
  return (
    <main className="min-h-0 flex-1 overflow-auto">
      {isChecking ? (
        <SkeletonRows label="Loading the page" />
      ) : (
        <EmptyState icon={WifiOff} heading="h1" title="The server is not responding">
          <p role="status">This page opens as soon as the server responds. Reconnecting…</p>
        </EmptyState>
      )}
    </main>
  )
}

function Updated() {
  return (
    <EmptyState
      icon={CircleAlert}
      heading="h1"
      title="Could not load this page"
      actions={
        <Button look="primary" onClick={() => location.reload()}>
          Reload
        </Button>
      }
    >
      <p>The server may have been updated. Reload to get its new version.</p>
    </EmptyState>
  )
}

function NotAllowed() {
  return (
    <EmptyState
      icon={Lock}
      heading="h1"
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
