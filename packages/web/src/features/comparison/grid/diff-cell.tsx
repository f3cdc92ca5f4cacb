import { useQuery } from '@tanstack/react-query'
import { readConversation } from '@touchstone/formats/messages'
import type { ExampleWithRuns } from '@touchstone/sdk'
import type { DiffMode } from '#features/experiments/search.ts'
import { toTurn } from '#features/traces/compare/diff-request.ts'
import { type DiffRequest, diffInTurn } from '#lib/diff/ask-diff.ts'
import { Button } from '#ui/button.tsx'
import { DiffView } from '#ui/diff-view.tsx'
import { Skeleton } from '#ui/states.tsx'
import { type Comparison, findShownRun, getStamp } from '../comparison.ts'
import { findOnlyText } from '../logic/row-texts.ts'
import { comparisonQuery } from '../queries.ts'

export interface DiffCellProps {
  comparison: Comparison
  experiment: number
  example: number
  against: 'reference' | 'baseline'
}

/** The whole example with its runs. */
export function useWholeExample(comparison: Comparison, example: number, isEnabled = true) {
  const id = comparison.cells.exampleIds[example] ?? ''
  return useQuery({ ...comparisonQuery.whole(comparison.view, id, getStamp(comparison, example)), enabled: isEnabled })
}

/** The differences of an output to the reference or to the output of the baseline, at full length. */
export function useCellDiff(comparison: Comparison, experiment: number, example: number, against: DiffMode) {
  const { cells, baseline } = comparison
  const whole = useWholeExample(comparison, example, against !== 'off')
  const getRunId = (of: number) => {
    const run = findShownRun(comparison, of, example)
    return run === undefined ? undefined : cells.experiments[of]?.runs.id[run]
  }
  const [runId, baselineRunId] = [getRunId(experiment), getRunId(baseline)]
  const run = whole.data?.runs.find(({ id }) => id === runId)
  const other = against === 'baseline' ? baselineRunId : cells.exampleIds[example]
  const diff = useQuery({
    queryKey: ['cell-diff', runId, against, other, whole.dataUpdatedAt],
    queryFn: ({ signal }) => {
      const compared = whole.data && against !== 'off' ? findCompared(whole.data, against, baselineRunId) : undefined
      return diffInTurn(buildValueDiff(compared, run?.outputs), signal)
    },
    enabled: run !== undefined && against !== 'off',
    structuralSharing: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    meta: { quiet: true },
  })
  return {
    data: diff.data,
    error: whole.error ?? diff.error,
    retry: () => void (whole.error ? whole.refetch() : diff.refetch()),
    isEmpty: whole.isSuccess && run === undefined,
  }
}

/** The differences within a cell of the grid. */
export function DiffCell({ comparison, experiment, example, against }: DiffCellProps) {
  const diff = useCellDiff(comparison, experiment, example, against)
  if (diff.error !== null)
    return (
      <p className="text-row text-err">
        Could not compare: {diff.error.message} <Button onClick={diff.retry}>Retry</Button>
      </p>
    )
  if (diff.isEmpty) return <p className="text-row text-fg-subtle">Nothing to compare</p>
  if (diff.data === undefined) return <Skeleton className="mt-1 w-4/5" />
  return <DiffView diff={diff.data} />
}

/** Compares two payloads: as texts when both are one text, by messages when both are conversations, otherwise by path. */
function buildValueDiff(a: unknown, b: unknown): DiffRequest {
  const [textA, textB] = [findOnlyText(a), findOnlyText(b)]
  if (textA !== undefined && textB !== undefined) return { kind: 'text', a: textA, b: textB }
  const [turnsA, turnsB] = [toOutputTurns(a), toOutputTurns(b)]
  if (turnsA !== undefined && turnsB !== undefined) return { kind: 'chat', a: turnsA, b: turnsB }
  return { kind: 'json', a: printJson(a), b: printJson(b) }
}

function toOutputTurns(value: unknown) {
  const messages = readConversation(undefined, value)?.output
  return messages === undefined || messages.length === 0 ? undefined : messages.map(toTurn)
}

function printJson(value: unknown): string {
  return value === null || value === undefined ? '' : JSON.stringify(value)
}

/** What the output of a run is compared with: the reference of the example, or the output of a run of the baseline. */
function findCompared(
  example: ExampleWithRuns,
  against: 'reference' | 'baseline',
  baselineRunId: string | undefined,
): unknown {
  if (against === 'reference') return example.outputs
  return example.runs.find(({ id }) => id === baselineRunId)?.outputs
}
