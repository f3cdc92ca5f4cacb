import { useQuery } from '@tanstack/react-query'
import { LayoutList, Workflow } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { formatCount } from '#lib/format/format.ts'
import { callGraph, type GraphStep, MOST_NODES, stepGraph } from '#lib/trace-model/call-graph.ts'
import { floatAt } from '#lib/trace-model/columns.ts'
import { MATCH, type Matches } from '#lib/trace-model/filter-runs.ts'
import { fit, type TimeWindow } from '#lib/trace-model/time-scale.ts'
import { rowOf, shownEnd, type Trace } from '#lib/trace-model/trace.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { IconButton } from '#ui/icon-button.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import type { PictureProps } from '../picture.ts'
import { GraphCanvas } from './graph-canvas.tsx'
import { GraphTable } from './graph-table.tsx'

/** Who calls whom, or the nodes of a graph of states in the order they ran; as a drawing or as a table. */
export default function GraphView(props: PictureProps) {
  const { trace, drawn, extras, selected, onSelect, colours } = props
  const [asTable, setAsTable] = useState(false)
  const [asCalls, setAsCalls] = useState(false)
  const window = useDeferredValue(props.window)
  const matches = useDeferredValue(props.matches)
  const records = useQuery({ ...(extras?.steps?.() ?? NO_STEPS), enabled: extras?.steps !== undefined })
  const steps = useMemo<GraphStep[]>(
    () =>
      (records.data ?? []).flatMap(({ id, node, step }) => {
        const row = rowOf(trace, id)
        return row === undefined ? [] : [{ row, node, step }]
      }),
    [trace, records.data],
  )
  const isOfSteps = steps.length > 0 && !asCalls
  const graph = useMemo(() => {
    const accepts = acceptance(drawn, window, matches)
    return isOfSteps
      ? stepGraph(
          trace,
          steps.filter(({ row }) => accepts(row)),
        )
      : callGraph(trace, accepts)
  }, [trace, drawn, window, matches, steps, isOfSteps])
  const counted = graph.nodes.reduce((sum, { rows }) => sum + rows.length, 0)

  if (records.isLoading) return <SkeletonRows rows={8} height={40} label="Loading the graph" />
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-8 shrink-0 flex-wrap items-center gap-x-3 border-b border-border px-2 text-meta text-fg-muted">
        <span>
          {formatCount(graph.nodes.length)} {graph.nodes.length === 1 ? 'node' : 'nodes'}{' '}
          {isOfSteps ? 'of the state graph, ran' : 'by name and type, for'} {formatCount(counted)}{' '}
          {isOfSteps ? 'times' : counted === 1 ? 'run' : 'runs'}
        </span>
        {graph.isNumbered && <span>names that differ only in numbers are one</span>}
        {graph.left > 0 && (
          <span className="text-warn">
            the {formatCount(MOST_NODES)} that took longest; {formatCount(graph.left)} more are left out
          </span>
        )}
        <span className="ml-auto flex items-center">
          {steps.length > 0 && (
            <button
              type="button"
              onClick={() => setAsCalls(!asCalls)}
              className="h-6 rounded-control px-2 text-meta hover:bg-hover hover:text-fg coarse:h-10"
            >
              {asCalls ? 'Show the state graph' : 'Show all calls'}
            </button>
          )}
          <IconButton
            icon={asTable ? Workflow : LayoutList}
            label={asTable ? 'View as drawing' : 'View as table'}
            onClick={() => setAsTable(!asTable)}
          />
        </span>
      </div>
      {graph.nodes.length === 0 ? (
        <EmptyState title="Nothing to draw">No run of the time shown matches.</EmptyState>
      ) : asTable ? (
        <GraphTable {...{ trace, graph, selected, onSelect }} />
      ) : (
        <GraphCanvas {...{ graph, selected, onSelect, colours }} />
      )}
    </div>
  )
}

const NO_STEPS = { queryKey: ['trace-steps', 'none'], queryFn: () => [] }

/** Runs that match the filter and touch the time in view. */
function acceptance(trace: Trace, window: TimeWindow, matches: Matches | undefined): (row: number) => boolean {
  const whole = fit(trace.duration)
  const isZoomed = window.from > 0 || window.to < whole.to
  return (row) =>
    (matches === undefined || matches.state[row] === MATCH) &&
    (!isZoomed || (floatAt(trace.start, row) <= window.to && shownEnd(trace, row) >= window.from))
}
