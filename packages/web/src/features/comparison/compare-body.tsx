import { SearchX } from 'lucide-react'
import { Suspense, useRef, useState } from 'react'
import { Button } from '#ui/button.tsx'
import type { GridHandle } from '#ui/data-grid.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { EmptyState } from '#ui/states.tsx'
import { useEntryMemory } from '#ui/use-entry-memory.tsx'
import { type CompareActions, useCompareActions, useCompareShortcuts } from './compare-actions.ts'
import type { Comparison } from './comparison.ts'
import { ExperimentHeader } from './experiment-header.tsx'
import { NO_FILTERS, RowFilters } from './filters/row-filters.tsx'
import { FocusLayout } from './focus-layout.tsx'
import { AnswersOf, ComparisonGrid, useGridItems } from './grid/comparison-grid.tsx'
import { RunPeek } from './run-peek.tsx'
import { SelectionBar } from './selection-bar.tsx'

const SummaryLayout = lazyExtra(() => import('./summary/summary-layout.tsx').then((module) => module.SummaryLayout))

/** Header, filters, the chosen layout, and the run beside it. */
export function CompareBody({ comparison }: { comparison: Comparison }) {
  const { cells, search, change } = comparison
  const grid = useRef<GridHandle>(null)
  const field = useRef<HTMLInputElement>(null)
  const actions = useCompareActions(comparison, grid)
  useCompareShortcuts(comparison, actions, () => field.current?.focus())
  return (
    <>
      <section
        aria-label="Experiments"
        className="flex max-h-[28vh] min-h-24 shrink-0 gap-2 overflow-auto border-b border-border bg-bg px-3 py-2 max-sm:max-h-48"
      >
        {cells.experiments.map(({ id }, at) => (
          <ExperimentHeader key={id} comparison={comparison} experiment={at} />
        ))}
      </section>
      <RowFilters comparison={comparison} fieldRef={field} />
      <div className="relative flex min-h-0 min-w-0 flex-1">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          <Layout comparison={comparison} actions={actions} grid={grid} />
          <SelectionBar comparison={comparison} selectedIds={actions.selectedIds} onClear={actions.clearSelection} />
        </div>
        {search.peek !== undefined && (
          <RunPeek runId={search.peek} title={actions.peekTitle} onClose={() => change({ peek: undefined })} />
        )}
      </div>
    </>
  )
}

interface LayoutProps {
  comparison: Comparison
  actions: CompareActions
  grid: React.RefObject<GridHandle | null>
}

function Layout({ comparison, actions, grid }: LayoutProps) {
  const { rows, search, change } = comparison
  const { recall, note } = useEntryMemory<{ offset: number }>('comparison')
  const [memory] = useState(recall)
  const items = useGridItems(comparison)
  if (search.layout === 'summary')
    return (
      <Suspense>
        <SummaryLayout comparison={comparison} />
      </Suspense>
    )
  if (rows.length === 0)
    return (
      <EmptyState
        icon={SearchX}
        title="No example matches the filters"
        actions={<Button onClick={() => change(NO_FILTERS)}>Clear filters</Button>}
      />
    )
  if (search.layout === 'focus')
    return (
      <FocusLayout
        comparison={comparison}
        row={Math.max(actions.activeRow, 0)}
        activeExperiment={actions.activeExperiment}
        onMove={actions.move}
        onPeek={(peek) => change({ peek })}
      />
    )
  return (
    <>
      <AnswersOf comparison={comparison} activeExperiment={actions.activeExperiment} onChange={actions.setExperiment} />
      <ComparisonGrid
        comparison={comparison}
        items={items}
        activeId={search.ex}
        activeExperiment={actions.activeExperiment}
        selectedIds={actions.selectedIds}
        onSelect={actions.toggleSelected}
        onCell={actions.openCell}
        onExample={actions.openExample}
        gridRef={grid}
        initialOffset={memory?.offset}
        onScroll={(offset) => note({ offset })}
      />
    </>
  )
}
