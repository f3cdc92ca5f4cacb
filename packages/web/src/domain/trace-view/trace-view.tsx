import {
  lazy,
  type ReactNode,
  type RefObject,
  Suspense,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { TraceExtras } from '#data/trace-extras.ts'
import { cx } from '#lib/browser/cx.ts'
import { createPreference, isNumber } from '#lib/preferences/preference.ts'
import { floatAt } from '#lib/trace-model/columns.ts'
import { criticalPath } from '#lib/trace-model/critical-path.ts'
import { colourRuns } from '#lib/trace-model/run-colors.ts'
import { squeezedTrace, squeezeGaps } from '#lib/trace-model/squeeze.ts'
import { around, fit } from '#lib/trace-model/time-scale.ts'
import { idAt, rowOf, shownEnd, type Trace } from '#lib/trace-model/trace.ts'
import type { TraceViewName } from '#lib/url/trace-search.ts'
import { PaneBoundary } from '#ui/pane-boundary.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { Splitter } from '#ui/splitter.tsx'
import { NARROW, useMedia } from '#ui/use-media.tsx'
import { usePreference } from '#ui/use-preference.tsx'
import { ColourLegend } from './colour-legend.tsx'
import { Minimap } from './minimap.tsx'
import type { PictureProps } from './picture.ts'
import { copyLink, TraceHeader } from './trace-header.tsx'
import { TraceRows } from './trace-rows.tsx'
import { SHORT_SHARE, type TraceSearch } from './trace-state.ts'
import { TraceToolbar } from './trace-toolbar.tsx'
import { useFollowing } from './use-following.ts'
import { useLater } from './use-later.ts'
import { usePayloadSearch } from './use-payload-search.ts'
import { useRowView } from './use-row-view.ts'
import { useTimeWindow } from './use-time-window.ts'
import { useTraceCursor } from './use-trace-cursor.ts'
import { useTraceKeys } from './use-trace-keys.ts'

const PICTURES = {
  flame: lazy(() => import('./flame/flame-chart.tsx')),
  graph: lazy(() => import('./graph/graph-view.tsx')),
  thread: lazy(() => import('./thread/thread-view.tsx')),
}

const panelPreference = createPreference('trace-panel-percent', 48, isNumber)

export interface TraceViewProps {
  trace: Trace
  /** Run whose details are shown. */
  runId: string
  search: TraceSearch
  /** Changes how the trace is looked at; `push` makes a step that Back undoes. */
  onSearch: (change: Partial<TraceSearch>, how?: 'push' | 'replace') => void
  onSelect: (runId: string) => void
  /** What the pictures may ask for besides the trace. */
  extras?: TraceExtras | undefined
  /** Called with the runs that are likely to be looked at next. */
  onPrefetch: (runIds: readonly string[]) => void
  /** Details of the run. */
  children: ReactNode
}

/** A whole trace: header, overview, a picture of its runs, and the details of one run beside it. */
export function TraceView(props: TraceViewProps) {
  const { trace, runId, search, onSearch, onSelect, onPrefetch, extras, children } = props
  const isNarrow = useMedia(NARROW)
  const [panel, setPanel] = usePreference(panelPreference)
  const view = search.v ?? 'waterfall'
  const isList = view === 'tree' || view === 'waterfall'
  const setView = (to: TraceViewName) => onSearch({ v: to === 'waterfall' ? undefined : to }, 'push')

  const selected = rowOf(trace, runId)
  const [text, setText] = useState(search.q ?? '')
  useLater(() => onSearch({ q: text || undefined }), text === (search.q ?? '') ? undefined : text, 250)
  const types = useMemo(() => search.types?.split(',').filter(Boolean) ?? [], [search.types])
  const payloads = usePayloadSearch(trace, text, extras)
  const state = useRowView(trace, selected, {
    text: useDeferredValue(text),
    rowsWithText: payloads.rows,
    types,
    minimumShare: search.short ? SHORT_SHARE : undefined,
  })
  const offered = useMemo(() => squeezeGaps(trace), [trace])
  const squeeze = search.squeeze ? offered : undefined
  const drawn = useMemo(() => (squeeze ? squeezedTrace(trace, squeeze) : trace), [trace, squeeze])
  const [window, setWindow] = useTimeWindow(drawn, search.z, (z) => onSearch({ z }))
  const colours = useMemo(() => colourRuns(trace, search.colour ?? 'type'), [trace, search.colour])
  const critical = useMemo(() => (search.critical ? criticalPath(trace) : undefined), [trace, search.critical])
  const cursor = useTraceCursor(trace, state, selected, onSelect)
  const { select, current } = cursor

  const scroller = useRef<HTMLDivElement>(null)
  const searchBox = useRef<HTMLInputElement>(null)
  useTraceKeys(
    {
      ...{ trace: drawn, current, window, setWindow, select, searchBox, setView },
      ...{ move: cursor.move, moveTo: cursor.moveTo, open: cursor.open, close: cursor.close },
      nextError: cursor.toError,
      openAll: () => current !== undefined && current >= 0 && state.expandAll(current),
      zoomToRun: () =>
        selected !== undefined &&
        setWindow(around(floatAt(drawn.start, selected), shownEnd(drawn, selected), drawn.duration)),
      copyLink: () => void copyLink(),
    },
    scroller,
  )
  const [following, setFollowing] = useFollowing(trace, onSelect)

  useEffect(() => {
    const next = [1, 2].flatMap((by) => state.rows[cursor.cursor + by] ?? []).filter((row) => row >= 0)
    const timer = setTimeout(() => onPrefetch(next.map((row) => idAt(trace, row))), 80)
    return () => clearTimeout(timer)
  }, [state.rows, cursor.cursor, trace, onPrefetch])

  const latest = useLatestCallbacks({ select, toggle: cursor.toggle, toggleFold: cursor.toggleFold })
  const picture: PictureProps = {
    ...{ trace, drawn, squeeze, window, selected, colours, critical },
    onWindow: setWindow,
    onSelect: latest.select,
    matches: state.matches,
    extras,
  }
  const Picture = isList ? undefined : PICTURES[view]
  const hasNoMatch = state.matches?.matched === 0 && !payloads.isSearching

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
      <Minimap
        trace={trace}
        drawn={drawn}
        squeeze={squeeze}
        window={window}
        onWindow={setWindow}
        selected={selected}
        colours={colours}
      />
      <div className={isNarrow ? 'flex min-h-0 flex-1 flex-col' : 'flex min-h-0 flex-1'}>
        <section
          aria-label="Trace"
          // On a phone the list takes what it needs and at most its share; beside the details it takes the rest.
          className={cx('flex min-h-0 min-w-0 flex-col', isNarrow ? 'shrink-0' : 'flex-1')}
          style={isNarrow ? { [isList ? 'maxHeight' : 'height']: `${100 - Math.max(panel, 40)}%` } : undefined}
        >
          <TraceToolbar
            trace={trace}
            text={text}
            onText={setText}
            searchBox={searchBox}
            matched={state.matches?.matched}
            payloads={payloads}
            types={types}
            onTypes={(chosen) => onSearch({ types: chosen.join(',') || undefined }, 'push')}
            hideShort={search.short ?? false}
            onHideShort={(on) => onSearch({ short: on || undefined }, 'push')}
            folding={isList ? state.folding : undefined}
            onFolding={state.setFolding}
            colour={colours.by}
            onColour={(by) => onSearch({ colour: by === 'type' ? undefined : by }, 'push')}
            critical={search.critical ?? false}
            onCritical={(on) => onSearch({ critical: on || undefined }, 'push')}
            squeezing={offered && squeeze !== undefined}
            onSqueezing={(on) => {
              // The window is a stretch of the time that is drawn, which is about to change.
              setWindow(fit(drawn.duration))
              onSearch({ squeeze: on || undefined, z: undefined }, 'push')
            }}
            onNextMatch={cursor.toMatch}
          />
          <ColourLegend colours={colours} />
          {hasNoMatch && (
            <NoMatch
              onClear={() => {
                setText('')
                onSearch({ q: undefined, types: undefined, short: undefined }, 'push')
              }}
            />
          )}
          {Picture === undefined ? (
            <TraceRows
              {...{ trace, drawn, squeeze, state, window, colours, critical, isNarrow, scroller }}
              cursor={cursor.cursor}
              withLane={view === 'waterfall'}
              onSelect={latest.select}
              onToggle={latest.toggle}
              onToggleFold={latest.toggleFold}
            />
          ) : (
            <PaneBoundary title="This view could not be drawn">
              <Suspense fallback={<SkeletonRows rows={12} height={26} label="Loading the view" />}>
                <Picture {...picture} />
              </Suspense>
            </PaneBoundary>
          )}
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
          {children}
        </section>
      </div>
    </main>
  )
}

function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <div className="flex flex-1 flex-col items-center gap-2 px-4 py-3 text-center text-row text-fg-muted">
      <p>No run matches.</p>
      <button type="button" onClick={onClear} className="text-accent hover:underline">
        Clear search and filters
      </button>
    </div>
  )
}

/** Callbacks that never change their identity, so that memoised rows stay put when only the closure is new. */
function useLatestCallbacks<Callbacks extends Record<string, (row: number) => void>>(callbacks: Callbacks): Callbacks {
  const latest: RefObject<Callbacks> = useRef(callbacks)
  useEffect(() => {
    latest.current = callbacks
  })
  const [stable] = useState(() =>
    Object.fromEntries(Object.keys(callbacks).map((name) => [name, (row: number) => latest.current[name]!(row)])),
  )
  return stable as Callbacks
}
