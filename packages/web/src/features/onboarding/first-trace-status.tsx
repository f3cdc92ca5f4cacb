import { Link } from '@tanstack/react-router'
import type { Run } from '@touchstone/sdk'
import { CircleCheck } from 'lucide-react'
import { Button, buttonLook } from '#ui/button.tsx'

export interface FirstTraceStatusProps {
  tenant: string
  /** The first trace; undefined until it has arrived. */
  run: Run | undefined
  /** Opens the list of runs. */
  onSeeAll?: (() => void) | undefined
}

/** Waits for the first trace, then links to it. */
export function FirstTraceStatus({ tenant, run, onSeeAll }: FirstTraceStatusProps) {
  return (
    <div role="status" className="flex flex-wrap items-center gap-3 rounded-card border border-border bg-surface p-3">
      {run ? (
        <>
          <CircleCheck size={18} className="text-ok" aria-hidden />
          <p className="min-w-0 flex-1 text-form">
            <strong className="font-semibold">First trace received:</strong> {run.name}
          </p>
          <Link
            to="/o/$tenant/projects/p/$projectId/r/$runId"
            params={{ tenant, projectId: run.session_id, runId: run.id }}
            onClick={() => onSeeAll?.()}
            className={buttonLook('primary')}
          >
            Open trace
          </Link>
          {onSeeAll && <Button onClick={onSeeAll}>Show all runs</Button>}
        </>
      ) : (
        <>
          <span aria-hidden className="size-2.5 animate-pulse rounded-full bg-run" />
          <p className="min-w-0 flex-1 text-form text-fg-muted">
            Waiting for the first trace. It appears here automatically.
          </p>
        </>
      )}
    </div>
  )
}
