import type { RefObject } from 'react'
import { intAt } from '#lib/trace-model/columns.ts'
import { fit, pan, type TimeWindow, zoom } from '#lib/trace-model/time-scale.ts'
import type { Trace } from '#lib/trace-model/trace.ts'
import { TRACE_VIEWS, type TraceViewName } from '#lib/url/trace-search.ts'
import { useShortcuts } from '#ui/use-shortcuts.tsx'

export interface TraceKeys {
  trace: Trace
  /** The run or fold (`~fold`) under the cursor. */
  current: number | undefined
  window: TimeWindow
  setWindow: (window: TimeWindow) => void
  move: (by: number) => void
  moveTo: (end: 'first' | 'last') => void
  nextError: (direction: 1 | -1) => void
  open: () => void
  close: () => void
  openAll: () => void
  select: (row: number) => void
  zoomToRun: () => void
  setView: (view: TraceViewName) => void
  searchBox: RefObject<HTMLInputElement | null>
  copyLink: () => void
}

const PAGE = 20
/** Shift and a digit, as a browser names them. */
const VIEW_KEYS = ['!', '@', '#', '$', '%']

/** The keyboard map of the trace, as `?` lists it. */
export function useTraceKeys(keys: TraceKeys, tree: RefObject<HTMLElement | null>): void {
  const { trace, current, window, setWindow } = keys
  const changeWindow = (change: (window: TimeWindow) => TimeWindow) => setWindow(change(window))

  useShortcuts('Run / trace', [
    { keys: 'j', label: 'Next run', run: () => keys.move(1) },
    { keys: 'k', label: 'Previous run', run: () => keys.move(-1) },
    { keys: 'e', label: 'Next error', run: () => keys.nextError(1) },
    { keys: 'shift+e', label: 'Previous error', run: () => keys.nextError(-1) },
    {
      keys: 'u',
      label: 'Parent run',
      run: () => {
        const parent = current === undefined || current < 0 ? -1 : intAt(trace.parent, current)
        if (parent !== -1) keys.select(parent)
      },
    },
    { keys: '*', label: 'Expand all below', run: keys.openAll },
    { keys: 'z', label: 'Zoom to the run', run: keys.zoomToRun },
    { keys: '0', label: 'Show the whole trace', run: () => setWindow(fit(trace.duration)) },
    { keys: 'w', label: 'Zoom in', run: () => changeWindow((shown) => zoom(shown, 1.5, trace.duration)) },
    { keys: 's', label: 'Zoom out', run: () => changeWindow((shown) => zoom(shown, 1 / 1.5, trace.duration)) },
    { keys: 'shift+arrowleft', label: 'Earlier', run: () => changeWindow((shown) => pan(shown, -0.2, trace.duration)) },
    { keys: 'shift+arrowright', label: 'Later', run: () => changeWindow((shown) => pan(shown, 0.2, trace.duration)) },
    ...VIEW_KEYS.map((key, index) => ({
      keys: key,
      label: `${TRACE_VIEWS[index]!.replace(/^./, (first) => first.toUpperCase())} view`,
      run: () => keys.setView(TRACE_VIEWS[index]!),
    })),
    { keys: '/', label: 'Search the runs', run: () => keys.searchBox.current?.focus() },
    { keys: 'y', label: 'Copy link', run: keys.copyLink },
  ])

  useShortcuts(
    'Run / trace',
    [
      { keys: 'arrowdown', label: 'Next run', run: () => keys.move(1) },
      { keys: 'arrowup', label: 'Previous run', run: () => keys.move(-1) },
      { keys: 'pagedown', label: 'A page down', run: () => keys.move(PAGE) },
      { keys: 'pageup', label: 'A page up', run: () => keys.move(-PAGE) },
      { keys: 'home', label: 'First run', run: () => keys.moveTo('first') },
      { keys: 'end', label: 'Last run', run: () => keys.moveTo('last') },
      { keys: 'arrowright', label: 'Expand, or first child', run: keys.open },
      { keys: 'arrowleft', label: 'Collapse, or parent', run: keys.close },
      { keys: 'enter', label: 'Expand or collapse', run: keys.open },
    ],
    tree,
  )
}
