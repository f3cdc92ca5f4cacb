import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { traceQuery } from '#data/traces.ts'
import { describeFailure } from '#lib/errors/describe-failure.ts'

export interface Arrival {
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
