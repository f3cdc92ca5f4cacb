import { ChevronDown, ChevronRight } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { cx } from '#lib/browser.ts'
import { bigintAt, floatAt, intAt } from '#lib/columns.ts'
import { formatLatency, formatTokenPair, formatTokens } from '#lib/format.ts'
import { CostText } from '#ui/cost-text.tsx'
import { RunTypeIcon, StatusMark } from '#ui/run-icons.tsx'
import { shortenErrorType } from '../model/failures.ts'
import { timeAt } from '../model/times.ts'
import {
  durationAt,
  ERROR,
  formatPicodollars,
  IN_RING,
  idAt,
  isLost,
  nameAt,
  ORPHAN,
  SKEWED,
  SUCCESS,
  statusAt,
  type Trace,
  wordAt,
} from '../model/trace.ts'
import { drawnTypeAt } from '../model/visible-rows.ts'
import { FoldBar, LaneBar } from './lane-bar.tsx'
import type { LaneView } from './visualization.ts'

const INDENT = 12
const DEEPEST_INDENT = 12

export interface TraceRowProps {
  trace: Trace
  row: number
  lane: LaneView | undefined
  selected: boolean
  open: boolean
  /** Not a match, but an ancestor of a match. */
  dimmed: boolean
  stacked: boolean
  /** Pixels from the top of the list. */
  top: number
  height: number
  onSelect: (row: number) => void
  onToggle: (row: number) => void
}

/** A run with its icon, name, status and figures, beside or above its bar. */
export const TraceRow = memo(function TraceRow(props: TraceRowProps) {
  const { trace, row, lane, selected, open, dimmed, stacked, top, height, onSelect, onToggle } = props
  const isParent = intAt(trace.children, row) > 0
  const above = intAt(trace.parent, row)
  const status = statusAt(trace, row)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree holds the focus and hears the keys
    <div
      role="treeitem"
      id={`row-${idAt(trace, row)}`}
      tabIndex={-1}
      aria-level={intAt(trace.depth, row) + 1}
      aria-setsize={above === -1 ? trace.tops : intAt(trace.children, above)}
      aria-posinset={intAt(trace.position, row)}
      aria-selected={selected}
      {...(isParent ? { 'aria-expanded': open } : {})}
      onClick={() => onSelect(row)}
      style={{ height, transform: `translateY(${top}px)` }}
      className={cx(ROW, selected ? 'bg-selected' : 'hover:bg-hover', stacked ? 'flex-col' : 'items-stretch')}
    >
      <div
        className={cx(
          'flex min-w-0 items-center gap-1.5 pr-2',
          stacked ? 'h-6' : lane ? 'w-[var(--tree-width)] shrink-0' : 'flex-1',
          dimmed && 'opacity-55',
        )}
      >
        <Indent depth={intAt(trace.depth, row)} />
        <Caret shown={isParent} open={open} onToggle={() => onToggle(row)} />
        <RunTypeIcon type={drawnTypeAt(trace, row)} size={13} />
        <span dir="auto" className={cx('min-w-0 truncate', trace.depth[row] === 0 && 'font-medium')}>
          {nameAt(trace, row)}
        </span>
        {trace.status[row] !== SUCCESS && (
          <StatusMark status={status} start_time={timeAt(trace.startMicros, floatAt(trace.start, row))} size={13} />
        )}
        {trace.status[row] === ERROR && (
          <span className="min-w-0 flex-1 basis-0 truncate text-meta text-err">
            {shortenErrorType(trace.errors.get(row) ?? '')}
          </span>
        )}
        {trace.status[row] !== ERROR && intAt(trace.subtreeErrors, row) > 0 && !open && (
          <span className="shrink-0 rounded-control bg-del-bg px-1 text-meta text-fg">
            {trace.subtreeErrors[row]} err
          </span>
        )}
        <Notes flags={intAt(trace.flags, row)} />
        {!lane?.tight && <Numbers trace={trace} row={row} wide={lane === undefined} latency={lane?.labels !== true} />}
      </div>
      {lane && (
        <div className={cx('relative overflow-hidden', stacked ? 'mx-2 h-4' : 'min-w-0 flex-1')}>
          <LaneBar trace={trace} row={row} lane={lane} />
        </div>
      )}
    </div>
  )
})

export interface FoldRowProps extends Pick<TraceRowProps, 'trace' | 'lane' | 'stacked' | 'top' | 'height'> {
  fold: number
  open: boolean
  focused: boolean
  onToggle: (fold: number) => void
}

/** Similar siblings as one row: their number, total and maximum duration, and number of failures. */
export const FoldRow = memo(function FoldRow({
  trace,
  fold,
  lane,
  stacked,
  top,
  height,
  open,
  focused,
  onToggle,
}: FoldRowProps) {
  const { first, count, sum, max, errors } = trace.folds
  const row = intAt(first, fold)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree holds the focus and hears the keys
    <div
      role="treeitem"
      id={`fold-${idAt(trace, row)}`}
      tabIndex={-1}
      aria-level={intAt(trace.depth, row) + 1}
      aria-expanded={open}
      aria-selected={focused}
      onClick={() => onToggle(fold)}
      style={{ height, transform: `translateY(${top}px)` }}
      className={cx(ROW, focused ? 'bg-selected' : 'hover:bg-hover', stacked ? 'flex-col' : 'items-stretch')}
    >
      <div
        className={cx(
          'flex min-w-0 items-center gap-1.5 pr-2 text-fg-muted',
          stacked ? 'h-6' : lane ? 'w-[var(--tree-width)] shrink-0' : 'flex-1',
        )}
      >
        <Indent depth={intAt(trace.depth, row)} />
        <Caret shown open={open} onToggle={() => onToggle(fold)} />
        <RunTypeIcon type={drawnTypeAt(trace, row)} size={13} />
        <span dir="auto" className="min-w-0 truncate text-fg">
          {nameAt(trace, row)}
        </span>
        <span className="shrink-0 rounded-control bg-sunken px-1 text-meta tabular-nums">
          ×{intAt(count, fold).toLocaleString('en-US')}
        </span>
        {intAt(errors, fold) > 0 && (
          <span className="shrink-0 rounded-control bg-del-bg px-1 text-meta text-fg">{errors[fold]} err</span>
        )}
        <span
          className="ml-auto shrink-0 pl-2 text-meta tabular-nums"
          title={`${formatLatency(floatAt(sum, fold) / 1000)} together, ${formatLatency(floatAt(max, fold) / 1000)} at most`}
        >
          Σ {formatLatency(floatAt(sum, fold) / 1000)}
        </span>
      </div>
      {lane && (
        <div className={cx('relative overflow-hidden', stacked ? 'mx-2 h-4' : 'min-w-0 flex-1')}>
          <FoldBar trace={trace} fold={fold} lane={lane} />
        </div>
      )}
    </div>
  )
})

const ROW = 'absolute inset-x-0 top-0 flex cursor-default select-none text-row contain-strict'

/** Space before a run for its level; a number beyond the deepest indent. */
export function Indent({ depth }: { depth: number }) {
  return (
    <span className="flex shrink-0 justify-end" style={{ width: 4 + Math.min(depth, DEEPEST_INDENT) * INDENT }}>
      {depth > DEEPEST_INDENT && (
        <span className="text-meta tabular-nums text-fg-subtle" title={`Level ${depth}`}>
          {depth}
        </span>
      )}
    </span>
  )
}

/** Opens and closes a row. */
export function Caret({ shown, open, onToggle }: { shown: boolean; open: boolean; onToggle: () => void }) {
  if (!shown) return <span className="w-4 shrink-0" />
  const Icon = open ? ChevronDown : ChevronRight
  return (
    // Hidden from screen readers: the arrow keys of the tree and aria-expanded replace it.
    <button
      type="button"
      tabIndex={-1}
      aria-hidden
      data-caret
      onClick={(event) => {
        event.stopPropagation()
        onToggle()
      }}
      className="flex h-full w-4 shrink-0 items-center justify-center rounded-control text-fg-subtle hover:bg-sunken hover:text-fg"
    >
      <Icon size={13} />
    </button>
  )
}

function Notes({ flags }: { flags: number }) {
  if (flags === 0) return null
  const notes: [number, string, string][] = [
    [ORPHAN, 'orphan', 'Its parent has not arrived'],
    [IN_RING, 'ring', 'It was recorded as its own ancestor'],
    [SKEWED, 'clock', 'It starts before its parent, or ends before it starts: two clocks disagree'],
  ]
  return notes
    .filter(([flag]) => flags & flag)
    .map(([flag, word, title]) => (
      <span key={flag} title={title} className="shrink-0 rounded-control border border-border px-1 text-meta text-warn">
        {word}
      </span>
    ))
}

function Numbers({ trace, row, wide, latency }: { trace: Trace; row: number; wide: boolean; latency: boolean }) {
  const [prompt, completion] = [floatAt(trace.subtreePromptTokens, row), floatAt(trace.subtreeCompletionTokens, row)]
  const duration = durationAt(trace, row)
  const cost = bigintAt(trace.subtreeCost, row)
  const model = wordAt(trace.models, row)
  return (
    <span className="ml-auto flex shrink-0 items-center gap-2 pl-2 text-meta tabular-nums text-fg-muted">
      {wide && model !== '' && <span className="hidden max-w-40 truncate text-fg-subtle xl:inline">{model}</span>}
      {prompt + completion > 0 &&
        (wide ? (
          <Cell width="w-20">{formatTokenPair(prompt, completion)}</Cell>
        ) : (
          <span title={`${prompt} → ${completion} tokens`}>{formatTokens(prompt + completion)} tok</span>
        ))}
      {wide && (
        <Cell width="w-16">
          {cost > 0n && (
            <CostText
              total={formatPicodollars(cost)}
              reported={formatPicodollars(bigintAt(trace.subtreeReported, row))}
            />
          )}
        </Cell>
      )}
      {latency && (
        <Cell width="w-14">
          {Number.isNaN(duration) ? (isLost(trace, row) ? 'no end' : 'running') : formatLatency(duration / 1000)}
        </Cell>
      )}
    </span>
  )
}

function Cell({ width, children }: { width: string; children: ReactNode }) {
  return <span className={cx('whitespace-nowrap text-right', width)}>{children}</span>
}
