import type { ErrorComponentProps } from '@tanstack/react-router'
import { ErrorState } from '#ui/error-state.tsx'

/** Drawn in place of a route that failed; the rest of the page keeps working. */
export function CrashPage({ error, reset }: ErrorComponentProps) {
  return (
    <main className="min-h-0 flex-1 overflow-auto">
      <ErrorState title="This page failed" error={error} onRetry={reset} />
    </main>
  )
}
