import { type ReactNode, type RefObject, useMemo, useRef, useState } from 'react'
import { cx } from '#lib/browser.ts'
import { formatCount } from '#lib/format.ts'
import { createPreference, isNumber } from '#lib/preferences.ts'
import { NARROW, useMedia, usePreference } from '#ui/hooks.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { Splitter } from '#ui/splitter.tsx'
import {
  buildCompareTree,
  type CompareChange,
  type CompareTreeState,
  collapseOrLeave,
  expandOrEnter,
  getRunIds,
  moveSelection,
  selectDifference,
  selectRow,
  toggleRow,
} from './compare-controller.ts'
import { CompareTree } from './compare-tree.tsx'
import type { ComparedTraces } from './merged.ts'

const panelPreference = createPreference('compare-panel-percent', 50, isNumber)

export interface CompareViewProps {
  compared: ComparedTraces
  /** Id of a run of either side. Without it the roots are selected. */
  selectedId: string | undefined
  onSelect: (runId: string) => void
  onlyDifferences: boolean
  onOnlyDifferences: (on: boolean) => void
  onSwap: () => void
  /** Renders the differences of the selected pair; one side may be missing. */
  children: (a: string | undefined, b: string | undefined) => ReactNode
}

/** Two traces as one tree, and the differences of the selected step. */
export function CompareView(props: CompareViewProps) {
  const { compared, selectedId, onSelect, onlyDifferences, onOnlyDifferences, children } = props
  const isNarrow = useMedia(NARROW)
  const [panel, setPanel] = usePreference(panelPreference)
  const [collapsedIds, setCollapsedIds] = useState<ReadonlySet<string>>(new Set())
  const scroller = useRef<HTMLDivElement>(null)
  const tree = useMemo(
    () => buildCompareTree(compared, { selectedId, collapsedIds, onlyDifferences }),
    [compared, selectedId, collapsedIds, onlyDifferences],
  )
  function apply(change: CompareChange) {
    if (change.collapsedIds) setCollapsedIds(change.collapsedIds)
    if (change.selectedId !== undefined) onSelect(change.selectedId)
  }
  useCompareShortcuts(tree, apply, scroller, props)
  const selectedIds = getRunIds(compared, tree.selected)

  return (
    <div className={cx('flex min-h-0 flex-1', isNarrow && 'flex-col')}>
      <section
        aria-label="Steps"
        className={cx('@container flex min-h-0 min-w-0 flex-col', isNarrow ? 'shrink-0' : 'flex-1')}
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
              tree.hiddenCount > 0 &&
              `${formatCount(tree.hiddenCount)} equal ${tree.hiddenCount === 1 ? 'step' : 'steps'} hidden`}
          </span>
        </div>
        {tree.rows.length === 0 && <p className="px-3 py-4 text-center text-row text-fg-muted">No differences</p>}
        <CompareTree
          compared={compared}
          rows={tree.rows}
          cursor={tree.cursor}
          isOpen={(row) => !tree.collapsed.has(row)}
          scroller={scroller}
          onSelect={(row) => apply(selectRow(tree, row))}
          onToggle={(row) => apply(toggleRow(tree, row))}
        />
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
        {children(selectedIds.a, selectedIds.b)}
      </section>
    </div>
  )
}

function useCompareShortcuts(
  tree: CompareTreeState,
  apply: (change: CompareChange) => void,
  scroller: RefObject<HTMLElement | null>,
  { onlyDifferences, onOnlyDifferences, onSwap }: CompareViewProps,
) {
  const move = (by: number) => apply(moveSelection(tree, by))
  useShortcuts('Compare', [
    { keys: 'j', label: 'Next step', run: () => move(1) },
    { keys: 'k', label: 'Previous step', run: () => move(-1) },
    { keys: 'n', label: 'Next difference', run: () => apply(selectDifference(tree, 1)) },
    { keys: 'shift+n', label: 'Previous difference', run: () => apply(selectDifference(tree, -1)) },
    { keys: 'd', label: 'Only differences', run: () => onOnlyDifferences(!onlyDifferences) },
    { keys: 'shift+s', label: 'Swap A and B', run: onSwap },
  ])
  useShortcuts(
    'Compare',
    [
      { keys: 'arrowdown', label: 'Next step', run: () => move(1) },
      { keys: 'arrowup', label: 'Previous step', run: () => move(-1) },
      { keys: 'pagedown', label: 'Page down', run: () => move(20) },
      { keys: 'pageup', label: 'Page up', run: () => move(-20) },
      { keys: 'home', label: 'First step', run: () => apply(selectRow(tree, tree.rows[0])) },
      { keys: 'end', label: 'Last step', run: () => apply(selectRow(tree, tree.rows.at(-1))) },
      { keys: ['arrowright', 'enter'], label: 'Expand, or first child', run: () => apply(expandOrEnter(tree)) },
      { keys: 'arrowleft', label: 'Collapse, or parent', run: () => apply(collapseOrLeave(tree)) },
    ],
    scroller,
  )
}
