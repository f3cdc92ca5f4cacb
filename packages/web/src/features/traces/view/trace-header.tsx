import {
  Activity,
  AlignStartHorizontal,
  GanttChart,
  Link as LinkIcon,
  ListTree,
  type LucideIcon,
  MessagesSquare,
  Workflow,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '#lib/browser.ts'
import { bigintAt, intAt } from '#lib/columns.ts'
import { formatAbsoluteTime, formatCost, formatCount, formatLatency, formatTokenPair, pluralize } from '#lib/format.ts'
import { TRACE_VIEWS, type TraceViewName } from '#lib/page-search.ts'
import { IconButton } from '#ui/button.tsx'
import { copyText } from '#ui/copy-button.tsx'
import { RunTypeIcon, StatusMark } from '#ui/run-icons.tsx'
import { toast } from '#ui/toast.tsx'
import { Tooltip } from '#ui/tooltip.tsx'
import { timeAt } from '../model/times.ts'
import { durationAt, formatPicodollars, idAt, isLost, nameAt, statusAt, type Trace } from '../model/trace.ts'
import { drawnTypeAt } from '../model/visible-rows.ts'

export interface TraceHeaderProps {
  trace: Trace
  view: TraceViewName
  onView: (view: TraceViewName) => void
  /** Whether the view follows the latest run while the trace is running. */
  following: boolean
  onFollowing: (on: boolean) => void
  onErrors: () => void
}

/** The trace in one line: name, status, figures, and the number of loaded runs. */
export function TraceHeader({ trace, view, onView, following, onFollowing, onErrors }: TraceHeaderProps) {
  const duration = trace.pending > 0 ? trace.duration : durationAt(trace, 0)
  const tokens = [trace.subtreePromptTokens, trace.subtreeCompletionTokens].map((column) => sumTopLevel(trace, column))
  const errors = sumTopLevel(trace, trace.subtreeErrors)
  const lost = countLost(trace)
  const startedAt = timeAt(trace.startMicros, 0)
  return (
    <header className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-4 gap-y-1 border-b border-border px-3 py-1 text-row">
      <h1 className="flex min-w-0 items-center gap-2 text-base font-semibold">
        <RunTypeIcon type={drawnTypeAt(trace, 0)} />
        <span dir="auto" className="min-w-0 truncate">
          {nameAt(trace, 0)}
        </span>
        <StatusMark status={statusAt(trace, 0)} start_time={startedAt} showSuccess />
      </h1>
      <dl className="flex flex-wrap items-center gap-x-4 gap-y-0.5 text-fg-muted">
        <Fact label="Latency">{Number.isNaN(duration) ? 'running' : formatLatency(duration / 1000)}</Fact>
        <Fact label="Tokens" shown title="Prompt and completion tokens">
          {formatTokenPair(tokens[0], tokens[1])}
        </Fact>
        <Fact label="Cost" shown title={costTitle(trace)}>
          {formatTraceCost(trace)}
        </Fact>
        <Fact label="Runs" title="Runs loaded and runs in the trace">
          {formatCount(trace.size)} / {pluralize(trace.total, 'run')}
        </Fact>
        <Fact label="Started" title={startedAt}>
          {formatAbsoluteTime(startedAt)}
        </Fact>
        {errors > 0 && (
          <Fact label="Errors">
            <Tooltip label="Next error" keys="e">
              <button
                type="button"
                onClick={onErrors}
                className="rounded-control bg-del-bg px-1.5 text-fg hover:underline"
              >
                {pluralize(errors, 'error')}
              </button>
            </Tooltip>
          </Fact>
        )}
        {trace.pending > 0 && (
          <Fact
            label="Still running"
            title={lost > 0 ? 'No end came for over 10 minutes; it may have been lost' : undefined}
          >
            {trace.pending > lost && <span className="text-run">{formatCount(trace.pending - lost)} running</span>}
            {lost > 0 && <span className="text-warn"> {formatCount(lost)} without an end event</span>}
          </Fact>
        )}
        {trace.orphans > 0 && (
          <Fact label="Orphans" title="Runs whose parent has not arrived; they stand at the top level">
            <span className="text-warn">orphans ({formatCount(trace.orphans)})</span>
          </Fact>
        )}
        {trace.skewed > 0 && (
          <Fact
            label="Clock skew"
            title="Runs that start before their parent or end before they start: a clock went backwards, or two machines disagree about the time"
          >
            <span className="text-warn">clock skew ({formatCount(trace.skewed)})</span>
          </Fact>
        )}
      </dl>
      <div className="ml-auto flex items-center gap-1">
        {trace.pending > 0 && (
          <IconButton
            icon={Activity}
            label={following ? 'Following the newest run' : 'Follow the newest run'}
            pressed={following}
            onClick={() => onFollowing(!following)}
            className="text-run"
          />
        )}
        <ViewSwitch view={view} onView={onView} />
        <IconButton icon={LinkIcon} label="Copy link" keys="y" onClick={() => void copyLink()} />
      </div>
    </header>
  )
}

/** The run whose facts the header shows. With orphans the header has the sums of several runs. */
export function findHeaderRunId(trace: Trace): string | undefined {
  return trace.orphans > 0 ? undefined : idAt(trace, 0)
}

export async function copyLink() {
  if (await copyText(location.href)) toast.done('Link copied')
}

interface FactProps {
  label: string
  /** Whether the label is visible, not only for screen readers. @default false */
  shown?: boolean
  title?: string | undefined
  children: ReactNode
}

function Fact({ label, shown = false, title, children }: FactProps) {
  return (
    <div className="flex items-center gap-1.5" title={title}>
      <dt className={shown ? 'text-fg-subtle' : 'sr-only'}>{label}</dt>
      <dd className="whitespace-nowrap tabular-nums">{children}</dd>
    </div>
  )
}

function countLost(trace: Trace): number {
  let lost = 0
  if (trace.pending > 0) for (let row = 0; row < trace.size; row++) if (isLost(trace, row)) lost++
  return lost
}

/** Orphans are on the level of the root, so the totals of a trace are sums over the top level. */
function sumTopLevel(trace: Trace, column: Float64Array | Int32Array): number {
  let sum = 0
  for (let row = 0; row < trace.size; row = intAt(trace.subtreeEnd, row)) sum += column[row] ?? 0
  return sum
}

function sumCosts(trace: Trace, column: BigInt64Array): bigint {
  let sum = 0n
  for (let row = 0; row < trace.size; row = intAt(trace.subtreeEnd, row)) sum += bigintAt(column, row)
  return sum
}

function formatTraceCost(trace: Trace): string {
  const cost = sumCosts(trace, trace.subtreeCost)
  const reported = sumCosts(trace, trace.subtreeReported)
  const unpriced = sumTopLevel(trace, trace.subtreeUnpriced)
  if (cost === 0n) return unpriced > 0 ? formatCost(null) : formatCost(tokensUsed(trace) ? '0' : null)
  const mark =
    reported === 0n ? '' : reported === cost ? ' (reported)' : ` (${formatCost(formatPicodollars(reported))} reported)`
  const isBound = unpriced > 0 || sumTopLevel(trace, trace.subtreeFees) > 0
  return `${isBound ? '≥ ' : ''}${formatCost(formatPicodollars(cost))}${mark}`
}

function costTitle(trace: Trace): string {
  const unpriced = sumTopLevel(trace, trace.subtreeUnpriced)
  if (unpriced > 0) return `No price is known for ${pluralize(unpriced, 'run')} that used tokens`
  const fees = sumTopLevel(trace, trace.subtreeFees)
  if (fees > 0) return `Not counted: fees of ${pluralize(fees, 'call')}, such as those of searches, which have no price`
  if (sumCosts(trace, trace.subtreeReported) > 0n) {
    return 'Cost of all runs. Reported: by the client, a provider or an instrumentation, where no price is known'
  }
  return tokensUsed(trace) ? 'Cost of all runs' : 'No run of this trace reported tokens'
}

function tokensUsed(trace: Trace): boolean {
  return sumTopLevel(trace, trace.subtreePromptTokens) + sumTopLevel(trace, trace.subtreeCompletionTokens) > 0
}

const LOOKS: Record<TraceViewName, { label: string; icon: LucideIcon; hint: string }> = {
  tree: { label: 'Tree', icon: ListTree, hint: 'Tree with numbers' },
  waterfall: { label: 'Waterfall', icon: GanttChart, hint: 'Tree beside time' },
  flame: { label: 'Flame', icon: AlignStartHorizontal, hint: 'Time across, depth down' },
  graph: { label: 'Graph', icon: Workflow, hint: 'Who calls whom' },
  thread: { label: 'Thread', icon: MessagesSquare, hint: 'Messages in order' },
}

/** One trace, several pictures of it. */
function ViewSwitch({ view, onView }: { view: TraceViewName; onView: (view: TraceViewName) => void }) {
  return (
    <fieldset className="flex rounded-control border border-border">
      <legend className="sr-only">View</legend>
      {TRACE_VIEWS.map((id, index) => {
        const { label, icon: Icon, hint } = LOOKS[id]
        return (
          <Tooltip key={id} label={hint} keys={`shift+${index + 1}`}>
            <button
              type="button"
              aria-pressed={view === id}
              onClick={() => onView(id)}
              className={cx(
                'flex h-6 items-center gap-1.5 px-2 text-row first-of-type:rounded-l-control last-of-type:rounded-r-control coarse:h-10',
                view === id ? 'bg-selected text-fg' : 'text-fg-muted hover:bg-hover',
              )}
            >
              <Icon size={13} aria-hidden />
              <span className="hidden xl:inline">{label}</span>
              <span className="sr-only xl:hidden">{label}</span>
            </button>
          </Tooltip>
        )
      })}
    </fieldset>
  )
}
