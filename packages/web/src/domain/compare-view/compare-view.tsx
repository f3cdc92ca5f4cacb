import { type ReactNode, useMemo, useRef, useState } from 'react'
import { cx } from '#lib/browser/cx.ts'
import { formatCount } from '#lib/format/format.ts'
import { createPreference, isNumber } from '#lib/preferences/preference.ts'
import type { ComparedTraces } from '#lib/trace-compare/merged.ts'
import { mergedAncestors, nextDifference, visibleMerged } from '#lib/trace-compare/visible-merged.ts'
import { intAt } from '#lib/trace-model/columns.ts'
import { findRow, idAt } from '#lib/trace-model/trace.ts'
import { Splitter } from '#ui/splitter.tsx'
import { NARROW, useMedia } from '#ui/use-media.tsx'
import { usePreference } from '#ui/use-preference.tsx'
import { useShortcuts } from '#ui/use-shortcuts.tsx'
import { CompareTree } from './compare-tree.tsx'

const panelPreference = createPreference('compare-panel-percent', 50, isNumber)

const NONE: ReadonlySet<number> = new Set()

export interface CompareViewProps {
  compared: ComparedTraces
  /** Id of a run of either side; the roots are selected without one. */
  selectedId: string | undefined
  onSelect: (runId: string) => void
  onlyDifferences: boolean
  onOnlyDifferences: (on: boolean) => void
  onSwap: () => void
  /** The difference of the selected pair; either side may be missing. */
  children: (a: string | undefined, b: string | undefined) => ReactNode
}

/** Two traces as one tree, and beside it how the selected pair differs. */
export function CompareView(props: CompareViewProps) {
  const { compared, selectedId, onSelect, onlyDifferences, onOnlyDifferences, onSwap, children } = props
  const { merged } = compared
  const isNarrow = useMedia(NARROW)
  const [panel, setPanel] = usePreference(panelPreference)
  // By id: while a side is running, rows move.
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const scroller = useRef<HTMLDivElement>(null)

  const selected = useMemo(() => mergedRowOf(compared, selectedId), [compared, selectedId])
  // What is selected is always on the list, whatever was closed above it.
  const collapsed = useMemo(() => {
    const above = new Set(mergedAncestors(merged, selected))
    const rows = [...closed].map((id) => findMerged(compared, id))
    return new Set(rows.filter((row) => row !== -1 && !above.has(row)))
  }, [compared, merged, closed, selected])
  const rows = useMemo(() => visibleMerged(merged, collapsed, onlyDifferences), [merged, collapsed, onlyDifferences])
  const cursor = rows.indexOf(selected)
  const hidden = onlyDifferences ? merged.size - visibleMerged(merged, NONE, true).length : 0

  const idOf = (row: number) =>
    merged.b[row] === -1 ? idAt(compared.a, intAt(merged.a, row)) : idAt(compared.b, intAt(merged.b, row))
  const select = (row: number | undefined) => row !== undefined && onSelect(idOf(row))
  const move = (by: number) => select(rows[Math.min(Math.max(cursor + by, 0), rows.length - 1)])
  const isOpen = (row: number) => !collapsed.has(row)
  const toggle = (row: number) => {
    const next = new Set([...collapsed].map(idOf))
    if (next.delete(idOf(row))) return setClosed(next)
    if (selected > row && selected < intAt(merged.subtreeEnd, row)) select(row)
    setClosed(next.add(idOf(row)))
  }
  const hasChildren = intAt(merged.subtreeEnd, selected) > selected + 1
  const open = () => hasChildren && (isOpen(selected) ? move(1) : toggle(selected))
  const close = () => {
    if (hasChildren && isOpen(selected)) toggle(selected)
    else if (merged.parent[selected] !== -1) select(merged.parent[selected])
  }

  useShortcuts('Compare', [
    { keys: 'j', label: 'Next step', run: () => move(1) },
    { keys: 'k', label: 'Previous step', run: () => move(-1) },
    { keys: 'n', label: 'Next difference', run: () => select(nextDifference(merged, selected, 1)) },
    { keys: 'shift+n', label: 'Previous difference', run: () => select(nextDifference(merged, selected, -1)) },
    { keys: 'd', label: 'Only differences', run: () => onOnlyDifferences(!onlyDifferences) },
    { keys: 'shift+s', label: 'Swap A and B', run: onSwap },
  ])
  useShortcuts(
    'Compare',
    [
      { keys: 'arrowdown', label: 'Next step', run: () => move(1) },
      { keys: 'arrowup', label: 'Previous step', run: () => move(-1) },
      { keys: 'pagedown', label: 'A page down', run: () => move(20) },
      { keys: 'pageup', label: 'A page up', run: () => move(-20) },
      { keys: 'home', label: 'First step', run: () => select(rows[0]) },
      { keys: 'end', label: 'Last step', run: () => select(rows.at(-1)) },
      { keys: ['arrowright', 'enter'], label: 'Expand, or first child', run: open },
      { keys: 'arrowleft', label: 'Collapse, or parent', run: close },
    ],
    scroller,
  )

  return (
    <div className={cx('flex min-h-0 flex-1', isNarrow && 'flex-col')}>
      <section
        aria-label="Steps"
        className={cx('flex min-h-0 min-w-0 flex-col', isNarrow ? 'shrink-0' : 'flex-1')}
        style={isNarrow ? { height: `${100 - panel}%` } : undefined}
      >
        <div className="flex h-9 shrink-0 items-center border-b border-border px-2 text-row coarse:h-12">
          <label className="flex items-center gap-1.5">
            <input
              type="checkbox"
              checked={onlyDifferences}
              onChange={(event) => onOnlyDifferences(event.target.checked)}
              className="size-3.5"
            />
            Only differences
          </label>
          <span className="ml-auto text-meta text-fg-muted">
            {onlyDifferences &&
              hidden > 0 &&
              `${formatCount(hidden)} alike ${hidden === 1 ? 'step is' : 'steps are'} hidden`}
          </span>
        </div>
        {rows.length === 0 && <p className="px-3 py-4 text-center text-row text-fg-muted">Every step is alike.</p>}
        <CompareTree {...{ compared, rows, cursor, isOpen, isNarrow, scroller }} onSelect={select} onToggle={toggle} />
      </section>
      <Splitter
        label="Resize the differences"
        value={panel}
        min={25}
        max={75}
        onChange={setPanel}
        orientation={isNarrow ? 'horizontal' : 'vertical'}
      />
      <section
        aria-label="Differences of the step"
        data-pane="run"
        className={cx('flex min-h-0 min-w-0 flex-col', isNarrow && 'flex-1')}
        style={isNarrow ? undefined : { width: `${panel}%` }}
      >
        {children(
          merged.a[selected] === -1 ? undefined : idAt(compared.a, intAt(merged.a, selected)),
          merged.b[selected] === -1 ? undefined : idAt(compared.b, intAt(merged.b, selected)),
        )}
      </section>
    </div>
  )
}

/** The merged row of a run of either side; the pair of roots when there is no such run. */
function mergedRowOf(compared: ComparedTraces, id: string | undefined): number {
  const row = findMerged(compared, id)
  return row === -1 ? compared.merged.b.indexOf(compared.rootB) : row
}

function findMerged({ a, b, merged }: ComparedTraces, id: string | undefined): number {
  const [inB, inA] = [findRow(b, id), findRow(a, id)]
  const found = inB === undefined ? -1 : merged.b.indexOf(inB)
  return found !== -1 || inA === undefined ? found : merged.a.indexOf(inA)
}
