import { Link, useParams } from '@tanstack/react-router'
import type { Run } from '@touchstone/contract'
import type { ReactNode } from 'react'
import { ToolRunLink } from '#domain/chat-view/chat-view.tsx'

/** Lets the tool calls of a conversation lead to their runs, by the address that this reader may open. */
export function ToolRunLinks({ run, share, children }: { run: Run; share: string | undefined; children: ReactNode }) {
  const { tenant, runId } = useParams({ strict: false }) as { tenant?: string; runId?: string }
  const linkTo = (tool: Pick<Run, 'id' | 'name'>) => {
    const look = { className: 'text-accent hover:underline', 'aria-label': `Go to the run of ${tool.name}` }
    if (share !== undefined) {
      return (
        <Link to="/public/$token/r/$run" params={{ token: share, run: tool.id }} search={dropRunParams} {...look}>
          Go to run
        </Link>
      )
    }
    if (tenant === undefined) return null
    return (
      <Link
        to="/o/$tenant/projects/p/$projectId/r/$runId"
        params={{ tenant, projectId: run.session_id, runId: tool.id }}
        search={(kept) => ({ ...(runId === undefined ? {} : dropRunParams(kept)), trace_id: run.trace_id })}
        {...look}
      >
        Go to run
      </Link>
    )
  }
  return <ToolRunLink value={linkTo}>{children}</ToolRunLink>
}

/** The trace stays as it is looked at; which tab and which value were open belongs to the run that is left. */
function dropRunParams<Search extends { tab?: unknown; path?: unknown }>({ tab: _, path: __, ...kept }: Search) {
  return kept
}
