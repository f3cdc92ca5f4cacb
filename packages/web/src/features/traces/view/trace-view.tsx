import { type ReactNode, type RefObject, Suspense, useEffect, useRef, useState } from 'react'
import { cx } from '#lib/browser.ts'
import { floatAt } from '#lib/columns.ts'
import type { TraceViewName } from '#lib/page-search.ts'
import { createPreference, isNumber } from '#lib/preferences.ts'
import { NARROW, useMedia, usePreference } from '#ui/hooks.tsx'
import { lazyPart } from '#ui/lazy.tsx'
import { Splitter } from '#ui/splitter.tsx'
import { PaneBoundary, SkeletonRows } from '#ui/states.tsx'
import type { TraceExtras } from '../extra-queries.ts'
import { windowAround } from '../model/time-scale.ts'
import { findRow, idAt, shownEndAt, type Trace } from '../model/trace.ts'
import { FailureStrip } from './failure-strip.tsx'
import { Minimap } from './minimap.tsx'
import { type RowState, useRowView } from './row-folding.ts'
import { copyLink, TraceHeader } from './trace-header.tsx'
import { TraceRows } from './trace-rows.tsx'
import { ColorLegend, TraceToolbar } from './trace-toolbar.tsx'
import { useFollowNewest } from './use-live-trace.ts'
import { type TraceCursor, useTraceCursor } from './use-trace-cursor.ts'
import { useTraceFilter } from './use-trace-filter.ts'
import { useTraceKeys } from './use-trace-keys.ts'
import { useTracePlot } from './use-trace-plot.ts'
import type { TraceSearch, VisualizationProps } from './visualization.ts'

const VISUALIZATIONS = {
  flame: lazyPart(() => import('./flame/flame-chart.tsx').then((module) => module.default)),
  graph: lazyPart(() => import('./graph/graph-view.tsx').then((module) => module.default)),
  thread: lazyPart(() => import('./thread/thread-view.tsx').then((module) => module.default)),
}

const panelPreference = createPreference('trace-panel-percent', 48, isNumber)

export interface TraceViewProps {
  trace: Trace
  /** The run whose details are shown. */
  runId: string
  search: TraceSearch
  /** Changes the search parameters; Back undoes a `push`. */
  onSearch: (change: Partial<TraceSearch>, how?: 'push' | 'replace') => void
  onSelect: (runId: string) => void
  /** Queries that visualizations need besides the trace. */
  extras?: TraceExtras | undefined
  /** Called with the runs that are likely to be opened next. */
  onPrefetch: (runIds: readonly string[]) => void
  /** Details of the run. */
  children: ReactNode
}

/** A trace: header, overview, a visualization of its runs, and the details of one run. */
export function TraceView(props: TraceViewProps) {
  const { trace, runId, search, onSearch, onSelect, extras } = props
  const isNarrow = useMedia(NARROW)
  const view = search.v ?? 'waterfall'
  const setView = (to: TraceViewName) => onSearch({ v: to === 'waterfall' ? undefined : to }, 'push')
  const selected = findRow(trace, runId)
  const filter = useTraceFilter(trace, search, onSearch, extras)
  const state = useRowView(trace, selected, filter.criteria)
  const { plot, squeezing } = useTracePlot(trace, search, onSearch)
  const cursor = useTraceCursor(trace, state, selected, onSelect)
  const { failures } = cursor
  const scroller = useRef<HTMLDivElement>(null)
  const searchBox = useRef<HTMLInputElement>(null)
  const [following, setFollowing] = useFollowNewest(trace, onSelect)
  usePrefetchedRuns(trace, state, cursor, props.onPrefetch)
  useTraceKeys(
    {
      plot,
      cursor,
      searchBox,
      setView,
      openAll: () => cursor.current !== undefined && cursor.current >= 0 && state.expandAll(cursor.current),
      zoomToRun: () => {
        if (selected === undefined) return
        const { drawn } = plot
        plot.setTimeWindow(windowAround(floatAt(drawn.start, selected), shownEndAt(drawn, selected), drawn.duration))
      },
      copyLink: () => void copyLink(),
    },
    scroller,
  )
  const stable = useStableCallbacks({ select: cursor.select, toggle: cursor.toggle, toggleFold: cursor.toggleFold })
  return (
    <main className="flex min-h-0 flex-1 flex-col">
      <TraceHeader
        trace={trace}
        view={view}
        onView={setView}
        following={following}
        onFollowing={setFollowing}
        onErrors={() => cursor.toError(1)}
      />
      {failures && <FailureStrip {...{ trace, failures, selected }} onSelect={cursor.select} />}
      {trace.size > 1 && <Minimap trace={trace} plot={plot} selected={selected} />}
      <TracePanes isNarrow={isNarrow} isList={isListView(view)} details={props.children}>
        <TraceToolbar
          trace={trace}
          searchBox={searchBox}
          filter={filter}
          matched={state.matches?.matched}
          search={search}
          onSearch={onSearch}
          folding={isListView(view) ? state.folding : undefined}
          onFolding={state.setFolding}
          squeezing={squeezing}
          onNextMatch={cursor.toMatch}
        />
        <ColorLegend colors={plot.colors} />
        {state.matches?.matched === 0 && !filter.payloads.isSearching && <NoMatch onClear={filter.clear} />}
        {isListView(view) ? (
          <TraceRows
            trace={trace}
            plot={plot}
            state={state}
            cursor={cursor.cursor}
            withLane={view === 'waterfall'}
            isNarrow={isNarrow}
            scroller={scroller}
            onSelect={stable.select}
            onToggle={stable.toggle}
            onToggleFold={stable.toggleFold}
          />
        ) : (
          <Visualization
            view={view}
            trace={trace}
            plot={plot}
            selected={selected}
            onSelect={stable.select}
            matches={state.matches}
            extras={extras}
          />
        )}
      </TracePanes>
    </main>
  )
}

function isListView(view: TraceViewName): view is 'tree' | 'waterfall' {
  return view === 'tree' || view === 'waterfall'
}

function Visualization({ view, ...props }: VisualizationProps & { view: keyof typeof VISUALIZATIONS }) {
  const View = VISUALIZATIONS[view]
  return (
    <PaneBoundary title="Could not show this view">
      <Suspense fallback={<SkeletonRows rows={12} height={26} label="Loading the view" />}>
        <View {...props} />
      </Suspense>
    </PaneBoundary>
  )
}

interface TracePanesProps {
  isNarrow: boolean
  /** Whether the trace is shown as a list, which may be shorter than its share of a narrow window. */
  isList: boolean
  children: ReactNode
  details: ReactNode
}

/** The trace and the details of a run, side by side or, in a narrow window, one above the other. */
function TracePanes({ isNarrow, isList, children, details }: TracePanesProps) {
  const [panel, setPanel] = usePreference(panelPreference)
  return (
    <div className={isNarrow ? 'flex min-h-0 flex-1 flex-col' : 'flex min-h-0 flex-1'}>
      <section
        aria-label="Trace"
        className={cx('flex min-h-0 min-w-0 flex-col', isNarrow ? 'shrink-0' : 'flex-1')}
        style={isNarrow ? { [isList ? 'maxHeight' : 'height']: `${100 - Math.max(panel, 40)}%` } : undefined}
      >
        {children}
      </section>
      <Splitter
        label="Resize details"
        value={panel}
        min={25}
        max={75}
        onChange={setPanel}
        orientation={isNarrow ? 'horizontal' : 'vertical'}
      />
      <section
        aria-label="Run details"
        data-pane="run"
        className={cx('flex min-h-0 min-w-0 flex-col', isNarrow && 'flex-1')}
        style={isNarrow ? undefined : { width: `${panel}%` }}
      >
        {details}
      </section>
    </div>
  )
}

function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <div className="flex flex-1 flex-col items-center gap-2 px-4 py-3 text-center text-row text-fg-muted">
      <p>No runs match.</p>
      <button type="button" onClick={onClear} className="text-accent hover:underline">
        Clear search and filters
      </button>
    </div>
  )
}

const PREFETCH_AFTER_MS = 80

/** Prefetches the details of the next two runs of the list. */
function usePrefetchedRuns(
  trace: Trace,
  { rows }: RowState,
  { cursor }: TraceCursor,
  onPrefetch: TraceViewProps['onPrefetch'],
) {
  useEffect(() => {
    const next = [...rows.slice(cursor + 1, cursor + 3)].filter((row) => row >= 0)
    const timer = setTimeout(() => onPrefetch(next.map((row) => idAt(trace, row))), PREFETCH_AFTER_MS)
    return () => clearTimeout(timer)
  }, [rows, cursor, trace, onPrefetch])
}

/** Callbacks with a fixed identity, so that memoized rows do not render again when only a closure changes. */
function useStableCallbacks<Name extends string>(
  callbacks: Record<Name, (row: number) => void>,
): Record<Name, (row: number) => void> {
  const latest: RefObject<typeof callbacks> = useRef(callbacks)
  useEffect(() => {
    latest.current = callbacks
  })
  const [stable] = useState(() => {
    const wrapped = { ...callbacks }
    for (const name in callbacks) wrapped[name] = (row) => latest.current[name](row)
    return wrapped
  })
  return stable
}
