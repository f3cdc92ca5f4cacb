import { useQueryClient } from '@tanstack/react-query'
import { Hourglass, SearchX } from 'lucide-react'
import { useEffect, useState } from 'react'
import { describeFailure } from '#lib/errors.ts'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/states.tsx'
import { traceQuery } from '../queries.ts'

/** Shown for a link from a client until its run is stored, with possible causes if that takes too long. */
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
          <p>No run with the ID {runId} arrived within two minutes. Common causes:</p>
          <ul className="mt-2 list-disc pl-5 text-left">
            <li>
              The program exited before it sent all runs. Call <code className="font-mono">flush()</code> (JavaScript:{' '}
              <code className="font-mono">await client.flush()</code>) before it exits.
            </li>
            <li>
              It sends to another server. Check <code className="font-mono">LANGSMITH_ENDPOINT</code>; it must be{' '}
              <code className="break-all font-mono">{`${location.origin}/api/v1`}</code>.
            </li>
            <li>Its API key is missing or belongs to another workspace. See the log of the program.</li>
            <li>
              Tracing is off: <code className="font-mono">LANGSMITH_TRACING</code> is not{' '}
              <code className="font-mono">true</code>, or the run was not sampled.
            </li>
            <li>
              It was sent to another project than <code className="break-all font-mono">{projectId}</code>. Search for
              its id (Ctrl K).
            </li>
          </ul>
        </EmptyState>
      ) : (
        <div role="status">
          <EmptyState icon={Hourglass} title="Waiting for this run">
            <p>It may not be stored yet. This page opens it as soon as it is.</p>
            <p className="mt-1 break-all font-mono text-row">{runId}</p>
          </EmptyState>
        </div>
      )}
    </main>
  )
}

interface Arrival {
  hasArrived: boolean
  /** Whether the run did not arrive in time. */
  hasGivenUp: boolean
  /** Starts waiting again. */
  again: () => void
}

const FIRST_WAITS = [1_000, 2_000, 3_000]
const NEXT_WAIT = 5_000
const MAX_WAIT = 120_000

/** Polls for a run that may not be stored yet, after 1, 2 and 3 s, then every 5 s, for 2 minutes. */
export function useArrival(runId: string, isExpected: boolean): Arrival {
  const client = useQueryClient()
  const [arrived, setArrived] = useState<string>()
  const [hasGivenUp, setGivenUp] = useState(false)
  const [round, setRound] = useState(0)

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round starts to wait again
  useEffect(() => {
    if (!isExpected) return
    let timer: ReturnType<typeof setTimeout>
    let isCurrent = true
    const since = Date.now()
    setGivenUp(false)
    const poll = async (attempt: number) => {
      const isStored = await client
        .fetchQuery({ ...traceQuery.run(runId), retry: false })
        .then(() => true)
        // Other errors than "not found" are shown by the page.
        .catch((cause: unknown) => describeFailure(cause).status !== 404)
      if (!isCurrent) return
      if (isStored) return setArrived(runId)
      if (Date.now() - since > MAX_WAIT) return setGivenUp(true)
      timer = setTimeout(poll, FIRST_WAITS[attempt] ?? NEXT_WAIT, attempt + 1)
    }
    void poll(0)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [client, runId, isExpected, round])

  return { hasArrived: !isExpected || arrived === runId, hasGivenUp, again: () => setRound(round + 1) }
}
