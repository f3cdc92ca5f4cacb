import { type RefObject, useCallback, useState } from 'react'
import { DIFF_MODES } from '#features/experiments/search.ts'
import type { GridHandle } from '#ui/data-grid.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { type Comparison, findShownRun } from './comparison.ts'
import type { GridRowItem } from './grid/comparison-grid.tsx'
import { stepRepetition } from './logic/compare-state.ts'
import { findRegression } from './logic/comparison-rows.ts'

const NONE: ReadonlySet<string> = new Set()

export type CompareActions = ReturnType<typeof useCompareActions>

/** Focus, selection and moves of the comparison. The focused example is in the URL. */
export function useCompareActions(comparison: Comparison, grid: RefObject<GridHandle | null>) {
  const { cells, rows, search, change } = comparison
  const [focused, setFocused] = useState(0)
  const [selectedIds, setSelectedIds] = useState(NONE)
  const activeExperiment = Math.min(focused, cells.experiments.length - 1)
  const activeRow = rows.findIndex((example) => cells.exampleIds[example] === search.ex)

  function focusRow(row: number) {
    const id = cells.exampleIds[rows[Math.min(Math.max(row, 0), rows.length - 1)] ?? -1]
    if (id === undefined) return
    change({ ex: id }, 'replace')
    grid.current?.focusRow(id)
  }
  const toggleSelected = useCallback((id: string) => {
    setSelectedIds((before) => {
      const next = new Set(before)
      if (!next.delete(id)) next.add(id)
      return next
    })
  }, [])
  function peek(experiment: number, example: number | undefined) {
    const run = example === undefined ? undefined : findShownRun(comparison, experiment, example)
    const id = run === undefined ? undefined : cells.experiments[experiment]?.runs.id[run]
    if (id !== undefined) change({ peek: id, ex: cells.exampleIds[example ?? -1] })
  }
  return {
    activeRow,
    activeExperiment,
    selectedIds,
    peekTitle: cells.experiments.find(({ runs }) => search.peek !== undefined && runs.id.includes(search.peek))?.name,
    clearSelection: () => setSelectedIds(NONE),
    toggleSelected,
    focusRow,
    setExperiment: setFocused,
    move: (by: number) => focusRow(activeRow + by),
    moveAcross: (by: 1 | -1) => setFocused(Math.min(Math.max(activeExperiment + by, 0), cells.experiments.length - 1)),
    openCell: ({ example }: GridRowItem, experiment: number) => {
      setFocused(experiment)
      peek(experiment, example)
    },
    openExample: ({ id }: GridRowItem) => change({ ex: id, layout: 'focus' }),
    peekActive: () => peek(activeExperiment, rows[activeRow]),
    walk: (step: 1 | -1) => {
      const from = activeRow < 0 ? undefined : { row: activeRow, experiment: activeExperiment }
      const found = findRegression(rows, comparison.measured, from, step)
      if (found === undefined) return
      setFocused(found.experiment)
      focusRow(found.row)
    },
  }
}

export function useCompareShortcuts(comparison: Comparison, actions: CompareActions, onSearch: () => void): void {
  const { search, change, repetition, repetitions, cells, rows } = comparison
  const active = cells.exampleIds[rows[actions.activeRow] ?? -1]
  const step = (by: 1 | -1) => change({ rep: stepRepetition(repetition, repetitions, by) }, 'replace')
  useShortcuts('Compare', [
    { keys: ['j', 'arrowdown'], label: 'Next example', run: () => actions.move(1) },
    { keys: ['k', 'arrowup'], label: 'Previous example', run: () => actions.move(-1) },
    { keys: 'home', label: 'First example', run: () => actions.focusRow(0) },
    { keys: 'end', label: 'Last example', run: () => actions.focusRow(rows.length - 1) },
    { keys: 'pagedown', label: 'Ten examples down', run: () => actions.move(10) },
    { keys: 'pageup', label: 'Ten examples up', run: () => actions.move(-10) },
    { keys: 'arrowright', label: 'Next experiment', run: () => actions.moveAcross(1) },
    { keys: 'arrowleft', label: 'Previous experiment', run: () => actions.moveAcross(-1) },
    {
      keys: 'enter',
      label: 'Grid or focus',
      run: () =>
        change({ layout: search.layout === 'focus' ? 'grid' : 'focus', ex: active ?? cells.exampleIds[rows[0] ?? -1] }),
    },
    { keys: ['o', 'space'], label: 'Open the run of the cell', run: actions.peekActive },
    { keys: 'x', label: 'Select the example', run: () => active !== undefined && actions.toggleSelected(active) },
    { keys: 'n', label: 'Next regression', run: () => actions.walk(1) },
    { keys: 'shift+n', label: 'Previous regression', run: () => actions.walk(-1) },
    { keys: '.', label: 'Next repetition', run: () => step(1) },
    { keys: ',', label: 'Previous repetition', run: () => step(-1) },
    {
      keys: 'i',
      label: 'Switch the differences',
      run: () => change({ diff: DIFF_MODES[(DIFF_MODES.indexOf(search.diff) + 1) % DIFF_MODES.length] ?? 'off' }),
    },
    {
      keys: 'b',
      label: 'Compare with this experiment',
      run: () => change({ baseline: cells.experiments[actions.activeExperiment]?.id }),
    },
    { keys: '/', label: 'Search texts', run: onSearch },
  ])
}
