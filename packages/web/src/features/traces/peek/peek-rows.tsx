import type { ReactNode } from 'react'
import { cx } from '#lib/browser.ts'
import { floatAt, intAt } from '#lib/columns.ts'
import { formatCount, formatLatency, pluralize } from '#lib/format.ts'
import { RunTypeIcon, StatusMark } from '#ui/run-icons.tsx'
import { timeAt } from '../model/times.ts'
import { durationAt, ERROR, nameAt, SUCCESS, statusAt, type Trace } from '../model/trace.ts'
import { drawnTypeAt } from '../model/visible-rows.ts'
import { Caret, Indent } from '../view/trace-row.tsx'

export const ROW_HEIGHT = 24

interface PeekRowProps {
  trace: Trace
  /** Of its element. */
  id: string
  /** Pixels from the top of the tree. */
  top: number
  /** Whether the panel shows it, or the cursor is on it. */
  isCurrent: boolean
  isOpen: boolean
  onToggle: () => void
}

/** A run of a trace: name, status, error and latency. */
export function PeekRunRow(props: PeekRowProps & { row: number; onSelect: () => void }) {
  const { trace, row, isOpen, onSelect, onToggle } = props
  const isParent = intAt(trace.children, row) > 0
  const hasFailed = trace.status[row] === ERROR
  const errorsBelow = intAt(trace.subtreeErrors, row)
  const ms = durationAt(trace, row) / 1000
  return (
    <Row {...props} depth={intAt(trace.depth, row)} isParent={isParent} onPress={onSelect} onToggle={onToggle}>
      <RunTypeIcon type={drawnTypeAt(trace, row)} size={13} />
      <span className={cx('min-w-0 truncate', trace.depth[row] === 0 && 'font-medium')}>{nameAt(trace, row)}</span>
      {trace.status[row] !== SUCCESS && (
        <StatusMark
          status={statusAt(trace, row)}
          start_time={timeAt(trace.startMicros, floatAt(trace.start, row))}
          size={13}
        />
      )}
      {hasFailed && <span className="min-w-0 flex-1 basis-0 truncate text-meta text-err">{trace.errors.get(row)}</span>}
      {!hasFailed && !isOpen && errorsBelow > 0 && <Errors count={errorsBelow} />}
      <Figure>{Number.isNaN(ms) ? '…' : formatLatency(ms)}</Figure>
    </Row>
  )
}

/** Similar siblings as one row. */
export function PeekFoldRow(props: PeekRowProps & { fold: number }) {
  const { trace, fold, onToggle } = props
  const { first, count, sum, errors } = trace.folds
  const row = intAt(first, fold)
  const failed = intAt(errors, fold)
  return (
    <Row {...props} depth={intAt(trace.depth, row)} isParent onPress={onToggle} onToggle={onToggle}>
      <RunTypeIcon type={drawnTypeAt(trace, row)} size={13} />
      <span className="min-w-0 truncate">{nameAt(trace, row)}</span>
      <span className="shrink-0 rounded-control bg-sunken px-1 text-meta tabular-nums">
        ×{formatCount(intAt(count, fold))}
      </span>
      {failed > 0 && <Errors count={failed} />}
      <Figure>Σ {formatLatency(floatAt(sum, fold) / 1000)}</Figure>
    </Row>
  )
}

interface RowProps extends Omit<PeekRowProps, 'trace'> {
  depth: number
  isParent: boolean
  onPress: () => void
  children: ReactNode
}

function Row({ id, top, depth, isCurrent, isOpen, isParent, onPress, onToggle, children }: RowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree holds the focus and hears the keys
    <div
      role="treeitem"
      id={id}
      tabIndex={-1}
      aria-level={depth + 1}
      aria-selected={isCurrent}
      {...(isParent ? { 'aria-expanded': isOpen } : {})}
      onClick={onPress}
      style={{ height: ROW_HEIGHT, transform: `translateY(${top}px)` }}
      className={cx(
        'contain-strict absolute inset-x-0 top-0 flex cursor-default select-none items-center gap-1.5 pl-1 pr-3 text-row',
        isCurrent ? 'bg-selected' : 'hover:bg-hover',
      )}
    >
      <Indent depth={depth} />
      <Caret shown={isParent} open={isOpen} onToggle={onToggle} />
      {children}
    </div>
  )
}

function Errors({ count }: { count: number }) {
  return <span className="shrink-0 rounded-control bg-del-bg px-1 text-meta text-fg">{pluralize(count, 'error')}</span>
}

function Figure({ children }: { children: ReactNode }) {
  return <span className="ml-auto shrink-0 pl-2 text-meta tabular-nums text-fg-muted">{children}</span>
}
