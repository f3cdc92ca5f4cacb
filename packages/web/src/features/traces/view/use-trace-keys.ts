import type { RefObject } from 'react'
import { intAt } from '#lib/columns.ts'
import { TRACE_VIEWS, type TraceViewName } from '#lib/page-search.ts'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { fitWindow, panWindow, zoomWindow } from '../model/time-scale.ts'

import type { TraceCursor } from './use-trace-cursor.ts'
import type { TracePlot } from './visualization.ts'

export interface TraceKeys {
  plot: TracePlot
  cursor: TraceCursor
  openAll: () => void
  zoomToRun: () => void
  setView: (view: TraceViewName) => void
  searchBox: RefObject<HTMLInputElement | null>
  copyLink: () => void
}

const PAGE = 20

/** The keyboard shortcuts of the trace view. */
export function useTraceKeys(keys: TraceKeys, tree: RefObject<HTMLElement | null>): void {
  const { plot, cursor } = keys
  const { drawn: trace, timeWindow, setTimeWindow } = plot
  const { duration } = trace

  useShortcuts('Run / trace', [
    { keys: 'j', label: 'Next run', run: () => cursor.move(1) },
    { keys: 'k', label: 'Previous run', run: () => cursor.move(-1) },
    { keys: 'e', label: 'Next error', run: () => cursor.toError(1) },
    { keys: 'shift+e', label: 'Previous error', run: () => cursor.toError(-1) },
    {
      keys: 'u',
      label: 'Parent run',
      run: () => {
        const parent = cursor.current === undefined || cursor.current < 0 ? -1 : intAt(trace.parent, cursor.current)
        if (parent !== -1) cursor.select(parent)
      },
    },
    { keys: '*', label: 'Expand all below', run: keys.openAll },
    { keys: 'z', label: 'Zoom to the run', run: keys.zoomToRun },
    { keys: '0', label: 'Show the whole trace', run: () => setTimeWindow(fitWindow(duration)) },
    { keys: 'w', label: 'Zoom in', run: () => setTimeWindow(zoomWindow(timeWindow, 1.5, duration)) },
    { keys: 's', label: 'Zoom out', run: () => setTimeWindow(zoomWindow(timeWindow, 1 / 1.5, duration)) },
    {
      keys: 'shift+arrowleft',
      label: 'Earlier',
      run: () => setTimeWindow(panWindow(timeWindow, -0.2, duration)),
    },
    {
      keys: 'shift+arrowright',
      label: 'Later',
      run: () => setTimeWindow(panWindow(timeWindow, 0.2, duration)),
    },
    ...TRACE_VIEWS.map((view, index) => ({
      keys: `shift+${index + 1}`,
      label: `${view.replace(/^./, (first) => first.toUpperCase())} view`,
      run: () => keys.setView(view),
    })),
    { keys: '/', label: 'Search the runs', run: () => keys.searchBox.current?.focus() },
    { keys: 'y', label: 'Copy link', run: keys.copyLink },
  ])

  useShortcuts(
    'Run / trace',
    [
      { keys: 'arrowdown', label: 'Next run', run: () => cursor.move(1) },
      { keys: 'arrowup', label: 'Previous run', run: () => cursor.move(-1) },
      { keys: 'pagedown', label: 'Page down', run: () => cursor.move(PAGE) },
      { keys: 'pageup', label: 'Page up', run: () => cursor.move(-PAGE) },
      { keys: 'home', label: 'First run', run: () => cursor.moveTo('first') },
      { keys: 'end', label: 'Last run', run: () => cursor.moveTo('last') },
      { keys: 'arrowright', label: 'Expand, or first child', run: cursor.open },
      { keys: 'arrowleft', label: 'Collapse, or parent', run: cursor.close },
      { keys: 'enter', label: 'Expand or collapse', run: cursor.toggleCurrent },
    ],
    tree,
  )
}
