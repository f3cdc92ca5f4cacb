import { bigintAt, floatAt, intAt } from '#lib/columns.ts'
import { formatCost, formatLatency, formatTokenPair, pluralize } from '#lib/format.ts'
import { RunTypeIcon } from '#ui/run-icons.tsx'
import { formatPicodollars, nameAt, shownEndAt, type Trace, wordAt } from '../model/trace.ts'
import { drawnTypeAt } from '../model/visible-rows.ts'

const WIDTH = 280

export interface RunCardProps {
  trace: Trace
  row: number
  /** Pixels within the pane. */
  left: number
  top: number
  /** Size of the pane. */
  within: { width: number; height: number }
}

/** The figures of the run under the pointer. */
export function RunCard({ trace, row, left, top, within }: RunCardProps) {
  const took = shownEndAt(trace, row) - floatAt(trace.start, row)
  const [cost, reported] = [bigintAt(trace.subtreeCost, row), bigintAt(trace.subtreeReported, row)]
  const fees = intAt(trace.subtreeFees, row)
  const facts: [string, string][] = [
    ['Latency', `${formatLatency(took / 1000)}${Number.isNaN(floatAt(trace.end, row)) ? ', running' : ''}`],
    ['By itself', formatLatency(floatAt(trace.selfTime, row) / 1000)],
    ['Share of the trace', trace.duration > 0 ? `${((took / trace.duration) * 100).toFixed(1)} %` : ''],
    ['Starts at', formatLatency(floatAt(trace.start, row) / 1000)],
    ['Tokens', formatTokenPair(trace.subtreePromptTokens[row], trace.subtreeCompletionTokens[row])],
    ['Cost', cost > 0n ? formatCost(formatPicodollars(cost)) : ''],
    ['Of it reported', reported > 0n ? formatCost(formatPicodollars(reported)) : ''],
    ['Not counted', fees > 0 ? `fees of ${pluralize(fees, 'call')}` : ''],
    ['Model', wordAt(trace.models, row)],
  ]
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute z-20 rounded-card border border-border bg-surface p-2 text-row shadow-layer"
      style={{
        width: WIDTH,
        maxWidth: '100%',
        left: Math.max(Math.min(left + 12, within.width - WIDTH - 8), 0),
        // Above the pointer if there is not enough space below it.
        ...(top > within.height / 2 ? { bottom: within.height - top + 12 } : { top: top + 12 }),
      }}
    >
      <p className="flex min-w-0 items-center gap-1.5 font-medium">
        <RunTypeIcon type={drawnTypeAt(trace, row)} />
        <span dir="auto" className="truncate">
          {nameAt(trace, row)}
        </span>
      </p>
      {trace.errors.has(row) && <p className="mt-0.5 line-clamp-2 break-words text-err">{trace.errors.get(row)}</p>}
      <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-3 tabular-nums">
        {facts
          .filter(([, value]) => value !== '' && value !== '-')
          .map(([label, value]) => (
            <div key={label} className="contents">
              <dt className="text-fg-subtle">{label}</dt>
              <dd className="truncate text-right">{value}</dd>
            </div>
          ))}
      </dl>
    </div>
  )
}
