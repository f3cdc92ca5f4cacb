import { Hourglass, SearchX } from 'lucide-react'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import type { Arrival } from './-use-arrival.ts'

/** Shown for a printed link until its run is stored, and why it may never be. */
export function WaitingForRun({ runId, projectId, hasGivenUp, again }: Arrival & { runId: string; projectId: string }) {
  return (
    <main className="min-h-0 flex-1 overflow-auto">
      <title>Waiting for a run · Touchstone</title>
      {hasGivenUp ? (
        <EmptyState
          icon={SearchX}
          title="The run has not arrived"
          actions={<Button onClick={again}>Wait again</Button>}
        >
          <p>Nothing with the id {runId} came within two minutes. The usual causes:</p>
          <ul className="mt-2 list-disc pl-5 text-left">
            <li>
              The program ended before it had sent everything. Call <code className="font-mono">flush()</code>{' '}
              (JavaScript: <code className="font-mono">await client.flush()</code>) before it exits.
            </li>
            <li>
              It sends to another server. Look at <code className="font-mono">LANGSMITH_ENDPOINT</code>; here it is{' '}
              <code className="break-all font-mono">{`${location.origin}/api/v1`}</code>.
            </li>
            <li>Its API key is missing or belongs to another workspace; the program's log then says so.</li>
            <li>
              Tracing is off: <code className="font-mono">LANGSMITH_TRACING</code> is not{' '}
              <code className="font-mono">true</code>, or the run was not sampled.
            </li>
            <li>
              It was recorded in another project than <code className="break-all font-mono">{projectId}</code>; then its
              id is found by the search (Ctrl K).
            </li>
          </ul>
        </EmptyState>
      ) : (
        <div role="status">
          <EmptyState icon={Hourglass} title="Waiting for this run">
            <p>It may still be on its way. This page opens it as soon as it is stored.</p>
            <p className="mt-1 break-all font-mono text-row">{runId}</p>
          </EmptyState>
        </div>
      )}
    </main>
  )
}
