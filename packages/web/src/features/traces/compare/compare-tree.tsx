import { ChevronDown, ChevronRight } from 'lucide-react'
import { memo, type RefObject, useEffect, useEffectEvent } from 'react'
import { cx } from '#lib/browser.ts'
import { floatAt, intAt } from '#lib/columns.ts'
import { pluralize, UNKNOWN } from '#lib/format.ts'
import { RunTypeIcon, StatusMark } from '#ui/run-icons.tsx'
import { useWindow } from '#ui/use-window.tsx'
import { timeAt } from '../model/times.ts'
import { nameAt, statusAt, type Trace } from '../model/trace.ts'
import { drawnTypeAt } from '../model/visible-rows.ts'
import { compareCost, compareLatency, compareTokens, type Delta } from './deltas.ts'
import { ADDED, CHANGED, type ComparedTraces, type Merged, MOVED, REMOVED } from './merged.ts'

const ROW_HEIGHT = 26
const INDENT = 12
const MAX_INDENT_DEPTH = 12
/** Columns that are hidden in a tree narrower than 32rem, so that the names fit. */
const WIDE_ONLY = '@max-lg:hidden'

export interface CompareTreeProps {
  compared: ComparedTraces
  rows: Int32Array
  /** Index of the selected row in `rows`, or -1. */
  cursor: number
  isOpen: (row: number) => boolean
  scroller: RefObject<HTMLDivElement | null>
  onSelect: (row: number) => void
  onToggle: (row: number) => void
}

/** Both traces as one tree, with the differences of each step. */
export function CompareTree(props: CompareTreeProps) {
  const { compared, rows, cursor, isOpen, scroller, onSelect, onToggle } = props
  const { from, to, reveal } = useWindow(scroller, { count: rows.length, rowHeight: ROW_HEIGHT, headerHeight: 0 })
  const current = rows[cursor]
  const revealCurrent = useEffectEvent(() => reveal(cursor))
  useEffect(() => {
    if (current !== undefined) revealCurrent()
  }, [current])
  return (
    <>
      <div
        aria-hidden
        className="flex h-6 shrink-0 items-center gap-1.5 border-b border-border px-2 text-meta text-fg-subtle"
      >
        <span className="flex-1 pl-6">Step</span>
        <span className="w-20 text-right">Latency</span>
        <span className={cx('w-20 text-right', WIDE_ONLY)}>Tokens</span>
        <span className={cx('w-20 text-right', WIDE_ONLY)}>Cost</span>
      </div>
      <div
        ref={scroller}
        role="tree"
        tabIndex={0}
        data-pane="tree"
        aria-label="Merged traces"
        aria-activedescendant={cursor >= from && cursor < to ? `merged-${current}` : undefined}
        className="min-h-0 flex-1 overflow-y-auto overflow-x-hidden outline-offset-[-2px]"
      >
        <div role="presentation" className="relative" style={{ height: rows.length * ROW_HEIGHT }}>
          {Array.from({ length: Math.max(to - from, 0) }, (_, offset) => {
            const row = intAt(rows, from + offset)
            return (
              <Row
                key={row}
                {...{ compared, row, onSelect, onToggle }}
                top={(from + offset) * ROW_HEIGHT}
                isSelected={from + offset === cursor}
                isOpen={isOpen(row)}
              />
            )
          })}
        </div>
      </div>
    </>
  )
}

interface RowProps {
  compared: ComparedTraces
  row: number
  top: number
  isSelected: boolean
  isOpen: boolean
  onSelect: (row: number) => void
  onToggle: (row: number) => void
}

const Row = memo(function Row({ compared, row, top, isSelected, isOpen, onSelect, onToggle }: RowProps) {
  const { a, b, merged } = compared
  const [rowA, rowB] = [intAt(merged.a, row), intAt(merged.b, row)]
  const [trace, own] = rowB === -1 ? [a, rowA] : [b, rowB]
  const kind = intAt(merged.kind, row)
  const hasChildren = intAt(merged.subtreeEnd, row) > row + 1
  const sides = [a, rowA, b, rowB] as const
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the focus and handles the keys
    <div
      role="treeitem"
      id={`merged-${row}`}
      tabIndex={-1}
      aria-level={intAt(merged.depth, row) + 1}
      aria-selected={isSelected}
      {...(hasChildren ? { 'aria-expanded': isOpen } : {})}
      onClick={() => onSelect(row)}
      style={{ height: ROW_HEIGHT, transform: `translateY(${top}px)` }}
      className={cx(
        'absolute inset-x-0 top-0 flex cursor-default select-none items-center gap-1.5 px-2 text-row contain-strict',
        isSelected ? 'bg-selected' : kind === ADDED ? 'bg-add-bg' : kind === REMOVED ? 'bg-del-bg' : 'hover:bg-hover',
      )}
    >
      <KindSign kind={kind} />
      <span className="shrink-0" style={{ width: Math.min(intAt(merged.depth, row), MAX_INDENT_DEPTH) * INDENT }} />
      <Caret shown={hasChildren} isOpen={isOpen} onToggle={() => onToggle(row)} />
      <RunTypeIcon type={drawnTypeAt(trace, own)} size={13} />
      <span dir="auto" className="min-w-0 truncate">
        {nameAt(trace, own)}
      </span>
      <Statuses {...{ a, rowA, b, rowB }} />
      <span className="min-w-0 flex-1 truncate text-meta text-fg-muted">{formatNote(merged, row, isOpen)}</span>
      <Figure delta={compareLatency(...sides)} />
      <Figure delta={compareTokens(...sides)} className={WIDE_ONLY} />
      <Figure delta={compareCost(...sides)} className={WIDE_ONLY} />
    </div>
  )
})

const KINDS: Record<number, [sign: string, word: string]> = {
  [CHANGED]: ['~', 'Changed'],
  [MOVED]: ['↷', 'Moved'],
  [ADDED]: ['+', 'Only in B'],
  [REMOVED]: ['-', 'Only in A'],
}

function KindSign({ kind }: { kind: number }) {
  const [sign, word] = KINDS[kind] ?? ['', '']
  return (
    <span className="w-3 shrink-0 text-center font-mono font-medium" title={word}>
      <span aria-hidden>{sign}</span>
      {/* Other kinds are named behind the run name. */}
      {kind === CHANGED && <span className="sr-only">{word} </span>}
    </span>
  )
}

function formatNote({ kind, differences }: Merged, row: number, isOpen: boolean): string {
  if (kind[row] === ADDED) return 'only in B'
  if (kind[row] === REMOVED) return 'only in A'
  if (kind[row] === MOVED) return 'moved'
  const below = intAt(differences, row) - (kind[row] === CHANGED ? 1 : 0)
  return isOpen || below === 0 ? '' : `${pluralize(below, 'difference')} below`
}

/** The status of a step: one mark if it is equal on both sides, else A → B. */
function Statuses({ a, rowA, b, rowB }: { a: Trace; rowA: number; b: Trace; rowB: number }) {
  const [before, after] = [toStatus(a, rowA), toStatus(b, rowB)]
  const differs = before && after && before.status !== after.status
  if (!differs) {
    const one = after ?? before
    return one && one.status !== 'success' ? <StatusMark {...one} size={13} /> : null
  }
  return (
    <span className="flex shrink-0 items-center gap-0.5 text-fg-subtle">
      <StatusMark {...before} size={13} showSuccess />
      <span aria-hidden>→</span>
      <StatusMark {...after} size={13} showSuccess />
    </span>
  )
}

function toStatus(trace: Trace, row: number) {
  if (row === -1) return undefined
  return {
    status: statusAt(trace, row),
    start_time: timeAt(trace.startMicros, floatAt(trace.start, row)),
  }
}

function Figure({ delta, className }: { delta: Delta; className?: string }) {
  return (
    <span
      className={cx('flex w-20 shrink-0 justify-end whitespace-nowrap text-meta tabular-nums', className)}
      title={`A ${delta.a}, B ${delta.b}`}
    >
      <DeltaText delta={delta} />
    </span>
  )
}

/** The change with its sign, green if better and red if worse. If only one side is known, its figure. */
export function DeltaText({ delta: { a, b, change, verdict } }: { delta: Delta }) {
  if (change !== '') return <span className={verdict === 'worse' ? 'text-err' : 'text-ok'}>{change}</span>
  return <span className="text-fg-subtle">{a === b ? (a === UNKNOWN ? '' : '=') : a === UNKNOWN ? b : a}</span>
}

function Caret({ shown, isOpen, onToggle }: { shown: boolean; isOpen: boolean; onToggle: () => void }) {
  if (!shown) return <span className="w-4 shrink-0" />
  const Icon = isOpen ? ChevronDown : ChevronRight
  return (
    // Hidden from screen readers: the arrow keys of the tree and aria-expanded replace it.
    <button
      type="button"
      tabIndex={-1}
      aria-hidden
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
