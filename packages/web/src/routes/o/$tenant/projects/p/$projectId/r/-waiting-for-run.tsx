import { useQueryClient } from '@tanstack/react-query'
import { Hourglass, SearchX } from 'lucide-react'
import { useEffect, useState } from 'react'
import { traceQuery } from '#data/traces.ts'
import { describeFailure } from '#lib/errors.ts'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/states.tsx'

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

interface Arrival {
  isThere: boolean
  /** The run did not come within the time one waits. */
  hasGivenUp: boolean
  /** Starts waiting again. */
  again: () => void
}

const FIRST_WAITS = [1_000, 2_000, 3_000]
const NEXT_WAIT = 5_000
const PATIENCE = 120_000

/** Waits for a run that was just sent and may not have been stored yet: 1, 2, 3, then every 5 s, for 2 minutes. */
export function useArrival(runId: string, isExpected: boolean): Arrival {
  const client = useQueryClient()
  const [arrived, setArrived] = useState<string>()
  const [hasGivenUp, setGivenUp] = useState(false)
  const [round, setRound] = useState(0)

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round is a new wait
  useEffect(() => {
    if (!isExpected) return
    let timer: ReturnType<typeof setTimeout>
    let isCurrent = true
    const since = Date.now()
    setGivenUp(false)
    const look = async (attempt: number) => {
      const isHere = await client
        .fetchQuery({ ...traceQuery.run(runId), retry: false })
        .then(() => true)
        // Anything but "not found" is for the page to show.
        .catch((cause: unknown) => describeFailure(cause).status !== 404)
      if (!isCurrent) return
      if (isHere) return setArrived(runId)
      if (Date.now() - since > PATIENCE) return setGivenUp(true)
      timer = setTimeout(look, FIRST_WAITS[attempt] ?? NEXT_WAIT, attempt + 1)
    }
    void look(0)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [client, runId, isExpected, round])

  return { isThere: !isExpected || arrived === runId, hasGivenUp, again: () => setRound(round + 1) }
}
