import { useQuery } from '@tanstack/react-query'
import { LayoutList, Workflow } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { floatAt } from '#lib/columns.ts'
import { formatCount, pluralize } from '#lib/format.ts'
import { IconButton } from '#ui/button.tsx'
import { EmptyState, SkeletonRows } from '#ui/states.tsx'
import { buildCallGraph, buildStepGraph, type GraphStep, MAX_NODES } from '../../model/call-graph.ts'
import { fitWindow, type TimeWindow } from '../../model/time-scale.ts'
import { findRow, shownEndAt, type Trace } from '../../model/trace.ts'
import { MATCH, type Matches } from '../../model/visible-rows.ts'
import type { VisualizationProps } from '../visualization.ts'
import { GraphCanvas } from './graph-canvas.tsx'
import { GraphTable } from './graph-table.tsx'

/** The call graph, or the nodes of a state graph in order, as a drawing or as a table. */
export default function GraphView(props: VisualizationProps) {
  const { trace, plot, extras, selected, onSelect } = props
  const { drawn, colors } = plot
  const [asTable, setAsTable] = useState(false)
  const [asCalls, setAsCalls] = useState(false)
  const timeWindow = useDeferredValue(plot.timeWindow)
  const matches = useDeferredValue(props.matches)
  const records = useQuery({ ...(extras?.steps?.() ?? NO_STEPS), enabled: extras?.steps !== undefined })
  const steps = useMemo<GraphStep[]>(
    () =>
      (records.data ?? []).flatMap(({ id, node, step }) => {
        const row = findRow(trace, id)
        return row === undefined ? [] : [{ row, node, step }]
      }),
    [trace, records.data],
  )
  const isOfSteps = steps.length > 0 && !asCalls
  const graph = useMemo(() => {
    const accepts = acceptance(drawn, timeWindow, matches)
    return isOfSteps
      ? buildStepGraph(
          trace,
          steps.filter(({ row }) => accepts(row)),
        )
      : buildCallGraph(trace, accepts)
  }, [trace, drawn, timeWindow, matches, steps, isOfSteps])
  const counted = graph.nodes.reduce((sum, { rows }) => sum + rows.length, 0)

  if (records.isLoading) return <SkeletonRows rows={8} height={40} label="Loading the graph" />
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-8 shrink-0 flex-wrap items-center gap-x-3 border-b border-border px-2 text-meta text-fg-muted">
        <span>
          {pluralize(graph.nodes.length, 'node')} {isOfSteps ? 'of the state graph, ran' : 'by name and type, for'}{' '}
          {formatCount(counted)} {isOfSteps ? 'times' : counted === 1 ? 'run' : 'runs'}
        </span>
        {graph.isNumbered && <span>names that differ only in numbers are one</span>}
        {graph.hiddenNodes > 0 && (
          <span className="text-warn">
            the {formatCount(MAX_NODES)} that took longest; {formatCount(graph.hiddenNodes)} more are left out
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
        <GraphCanvas {...{ graph, selected, onSelect, colors }} />
      )}
    </div>
  )
}

const NO_STEPS = { queryKey: ['trace-steps', 'none'], queryFn: () => [] }

/** Runs that match the filter and touch the time in view. */
function acceptance(trace: Trace, timeWindow: TimeWindow, matches: Matches | undefined): (row: number) => boolean {
  const whole = fitWindow(trace.duration)
  const isZoomed = timeWindow.from > 0 || timeWindow.to < whole.to
  return (row) =>
    (matches === undefined || matches.state[row] === MATCH) &&
    (!isZoomed || (floatAt(trace.start, row) <= timeWindow.to && shownEndAt(trace, row) >= timeWindow.from))
}
