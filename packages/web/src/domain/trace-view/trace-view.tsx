import {
  type ReactNode,
  type RefObject,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { cx } from '#lib/cx.ts'
import { isNumber, preference } from '#lib/preference.ts'
import { MATCH } from '#lib/trace-model/filter-runs.ts'
import { around, parseWindow, printWindow, type TimeWindow } from '#lib/trace-model/time-scale.ts'
import { idAt, rowOf, shownEnd, type Trace } from '#lib/trace-model/trace.ts'
import { nextError, nextMatch, step } from '#lib/trace-model/walk.ts'
import { Splitter } from '#ui/splitter.tsx'
import { useElementWidth } from '#ui/use-element-width.tsx'
import { NARROW, useMedia } from '#ui/use-media.tsx'
import { usePreference } from '#ui/use-preference.tsx'
import { Minimap } from './minimap.tsx'
import { TimeAxis, TimeGrid } from './time-axis.tsx'
import { copyLink, TraceHeader } from './trace-header.tsx'
import { TraceList } from './trace-list.tsx'
import { SHORT_SHARE, type TraceSearch } from './trace-state.ts'
import { TraceToolbar } from './trace-toolbar.tsx'
import { useLater } from './use-later.ts'
import { useRowView } from './use-row-view.ts'
import { useTheme } from './use-theme.ts'
import { useTraceKeys } from './use-trace-keys.ts'

const panelPreference = preference('trace-panel-percent', 48, isNumber)
/** Share of the list that names keep beside the lane, in percent. */
const namesPreference = preference('trace-names-percent', 46, isNumber)

export interface TraceViewProps {
  trace: Trace
  /** Run whose details are shown. */
  runId: string
  search: TraceSearch
  /** Changes how the trace is looked at; `push` makes a step that Back undoes. */
  onSearch: (change: Partial<TraceSearch>, how?: 'push' | 'replace') => void
  onSelect: (runId: string) => void
  /** Called with the runs that are likely to be looked at next. */
  onPrefetch: (runIds: readonly string[]) => void
  /** Details of the run. */
  children: ReactNode
}

/** A whole trace: header, overview, the tree with its lane of time, and the details of one run beside it. */
export function TraceView({ trace, runId, search, onSearch, onSelect, onPrefetch, children }: TraceViewProps) {
  const isNarrow = useMedia(NARROW)
  const theme = useTheme()
  const [panel, setPanel] = usePreference(panelPreference)
  const [names, setNames] = usePreference(namesPreference)
  const selected = rowOf(trace, runId)
  const [text, setText] = useState(search.q ?? '')
  const types = useMemo(() => search.types?.split(',').filter(Boolean) ?? [], [search.types])
  const state = useRowView(trace, selected, {
    text: useDeferredValue(text),
    types,
    minimumShare: search.short ? SHORT_SHARE : undefined,
  })
  const view = search.v ?? 'waterfall'

  const [shown, setShown] = useState<TimeWindow>()
  const window = useMemo(() => shown ?? parseWindow(search.z, trace.duration), [shown, search.z, trace.duration])
  useLater(() => onSearch({ q: text || undefined }), text === (search.q ?? '') ? undefined : text, 250)
  const printed = printWindow(window, trace.duration)
  useLater(
    () => onSearch({ z: printed }),
    shown === undefined || printed === search.z ? undefined : (printed ?? ''),
    250,
  )

  const [foldAt, setFoldAt] = useState<number>()
  const cursor =
    useMemo(
      () =>
        (foldAt === undefined ? -1 : state.rows.indexOf(~foldAt)) + 1 ||
        (selected === undefined ? 0 : state.rows.indexOf(selected) + 1),
      [state.rows, foldAt, selected],
    ) - 1
  const current = cursor < 0 ? selected : state.rows[cursor]

  // Where the last key led, until it is drawn: the address follows a moment later, and a key held down must not lose steps.
  const heading = useRef<number>(undefined)
  useEffect(() => {
    if (heading.current === current) heading.current = undefined
  }, [current])
  const headed = () => (heading.current === undefined ? current : heading.current)

  const select = useCallback(
    (row: number) => {
      heading.current = row
      setFoldAt(undefined)
      onSelect(idAt(trace, row))
    },
    [trace, onSelect],
  )
  const goTo = (entry: number | undefined) => {
    if (entry === undefined) return
    if (entry >= 0) return select(entry)
    heading.current = entry
    setFoldAt(~entry)
  }
  const move = (by: number) => {
    const from = headed()
    goTo(state.rows[step(state.rows, from === undefined ? cursor : state.rows.indexOf(from), by)])
  }
  const toggle = (row: number) => {
    if (!state.isOpen(row)) return state.expand(row)
    const isInside = selected !== undefined && selected > row && selected < trace.subtreeEnd[row]!
    if (isInside) select(row)
    state.collapse(row)
  }
  const toggleFold = (fold: number) => {
    const { first, end } = trace.folds
    const isInside = selected !== undefined && selected >= first[fold]! && selected < end[fold]!
    if (isInside && trace.parent[first[fold]!] !== -1) select(trace.parent[first[fold]!]!)
    setFoldAt(fold)
    state.toggleFold(fold)
  }
  const open = () => {
    if (current === undefined) return
    if (current < 0) return state.view.openFolds.has(~current) ? move(1) : state.toggleFold(~current)
    if (trace.children[current] === 0) return
    if (state.isOpen(current)) move(1)
    else state.expand(current)
  }
  const close = () => {
    if (current === undefined) return
    if (current < 0)
      return state.view.openFolds.has(~current)
        ? toggleFold(~current)
        : goTo(parentOf(trace, trace.folds.first[~current]!))
    if (trace.children[current]! > 0 && state.isOpen(current)) toggle(current)
    else goTo(parentOf(trace, current))
  }
  const toError = (direction: 1 | -1) => {
    const from = headed()
    goTo(nextError(trace, (from !== undefined && from >= 0 ? from : selected) ?? -1, direction))
  }

  const scroller = useRef<HTMLDivElement>(null)
  const searchBox = useRef<HTMLInputElement>(null)
  useTraceKeys(
    {
      ...{ trace, current, window, move, open, close, select, searchBox },
      setWindow: setShown,
      moveTo: (end) => goTo(state.rows[end === 'first' ? 0 : state.rows.length - 1]),
      nextError: toError,
      openAll: () => current !== undefined && current >= 0 && state.expandAll(current),
      zoomToRun: () =>
        selected !== undefined && setShown(around(trace.start[selected]!, shownEnd(trace, selected), trace.duration)),
      setView: (to) => onSearch({ v: to === 'waterfall' ? undefined : to }, 'push'),
      copyLink: () => void copyLink(),
    },
    scroller,
  )

  const [following, setFollowing] = useState(false)
  useEffect(() => {
    if (following && trace.pending > 0) onSelect(idAt(trace, newest(trace)))
  }, [following, trace, onSelect])

  useEffect(() => {
    const next = [1, 2].flatMap((by) => state.rows[cursor + by] ?? []).filter((row) => row >= 0)
    const timer = setTimeout(() => onPrefetch(next.map((row) => idAt(trace, row))), 80)
    return () => clearTimeout(timer)
  }, [state.rows, cursor, trace, onPrefetch])

  const [pane, paneWidth] = useElementWidth<HTMLDivElement>()
  const treeWidth = Math.max(Math.round((paneWidth * names) / 100), Math.min(paneWidth, 160))
  const lane = useMemo(() => {
    if (view === 'tree') return undefined
    return { window, width: Math.max(isNarrow ? paneWidth - 24 : paneWidth - treeWidth - 14, 20), labels: !isNarrow }
  }, [view, window, isNarrow, paneWidth, treeWidth])
  const latest = useLatestCallbacks({ select, toggle, toggleFold })

  return (
    <main className="flex min-h-0 flex-1 flex-col">
      <TraceHeader
        trace={trace}
        view={view}
        onView={(to) => onSearch({ v: to === 'waterfall' ? undefined : to }, 'push')}
        following={following}
        onFollowing={setFollowing}
        onErrors={() => toError(1)}
      />
      <Minimap trace={trace} window={window} onWindow={setShown} selected={selected} theme={theme} />
      <div className={isNarrow ? 'flex min-h-0 flex-1 flex-col' : 'flex min-h-0 flex-1'}>
        <section
          ref={pane}
          aria-label="Trace"
          // On a phone the list takes what it needs and at most its share; beside the details it takes the rest.
          className={cx('flex min-h-0 min-w-0 flex-col', isNarrow ? 'shrink-0' : 'flex-1')}
          style={
            {
              '--tree-width': `${treeWidth}px`,
              ...(isNarrow ? { maxHeight: `${100 - Math.max(panel, 40)}%` } : {}),
            } as React.CSSProperties
          }
        >
          <TraceToolbar
            trace={trace}
            text={text}
            onText={setText}
            searchBox={searchBox}
            matched={state.matches?.matched}
            types={types}
            onTypes={(chosen) => onSearch({ types: chosen.join(',') || undefined }, 'push')}
            hideShort={search.short ?? false}
            onHideShort={(on) => onSearch({ short: on || undefined }, 'push')}
            folding={state.folding}
            onFolding={state.setFolding}
            onNextMatch={(direction) =>
              state.matches && goTo(nextMatch(state.matches.state, MATCH, selected ?? -1, direction))
            }
          />
          {lane && !isNarrow && (
            <div className="flex h-5 shrink-0 border-b border-border">
              <div className="w-[var(--tree-width)] shrink-0" />
              <Splitter label="Resize names" value={names} min={20} max={80} pane="before" onChange={setNames} />
              <div className="min-w-0 flex-1">
                <TimeAxis {...lane} />
              </div>
            </div>
          )}
          <div className="relative flex min-h-0 flex-1 flex-col">
            {lane && !isNarrow && <TimeGrid {...lane} />}
            <TraceList
              trace={trace}
              state={state}
              cursor={cursor}
              lane={lane}
              stacked={isNarrow && lane !== undefined}
              scroller={scroller}
              onSelect={latest.select}
              onToggle={latest.toggle}
              onToggleFold={latest.toggleFold}
            />
            {state.rows.length === 0 && (
              <NoMatch
                onClear={() => {
                  setText('')
                  onSearch({ q: undefined, types: undefined, short: undefined }, 'push')
                }}
              />
            )}
          </div>
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
    <div className="flex flex-1 flex-col items-center gap-2 px-4 text-center text-row text-fg-muted">
      <p>No run matches.</p>
      <button type="button" onClick={onClear} className="text-accent hover:underline">
        Clear search and filters
      </button>
    </div>
  )
}

function parentOf(trace: Trace, row: number): number | undefined {
  const parent = trace.parent[row]!
  return parent === -1 ? undefined : parent
}

function newest(trace: Trace): number {
  let best = 0
  for (let row = 1; row < trace.size; row++) if (trace.start[row]! >= trace.start[best]!) best = row
  return best
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
