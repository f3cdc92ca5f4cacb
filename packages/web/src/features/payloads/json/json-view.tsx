import { ClipboardCopy } from 'lucide-react'
import {
  type ReactNode,
  Suspense,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from 'react'
import type { JsonHost } from '#lib/json/json-host.ts'
import { printPath } from '#lib/json/json-path.ts'
import type { OutlineRoot } from '#lib/json/json-rows.ts'
import { IconButton } from '#ui/button.tsx'
import { useElementWidth } from '#ui/hooks.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { SkeletonRows } from '#ui/states.tsx'
import { useWindow } from '#ui/use-window.tsx'
import { copyPath, copyValue, JsonRowMenu } from './json-row-menu.tsx'
import { JsonRowView, ROW_HEIGHT } from './json-row-view.tsx'
import { reduceJsonSelection, START, wrapHit } from './json-selection.ts'
import { JsonToolbar, useJsonSearch } from './json-toolbar.tsx'
import { type JsonLayer, type JsonRowActions, useJsonRowActions } from './use-json-row-actions.ts'
import { useOutline, useRows } from './use-outline.ts'

const MediaDialog = lazyExtra(() => import('./media-dialog.tsx').then((module) => module.MediaDialog))
const ValueDiffDialog = lazyExtra(() => import('./value-diff-dialog.tsx').then((module) => module.ValueDiffDialog))

/** Width of a character of the monospace font at 12 px. */
const CHARACTER_PX = 7.2
const PAGE = 25

export interface JsonViewProps {
  host: JsonHost
  /** Accessible name of the document. */
  label: string
  /** Members of the top object to show. Must keep its identity. @default all members */
  roots?: readonly (OutlineRoot & { end: number })[] | undefined
  /** Path of a value to scroll to and highlight. */
  path?: string | undefined
  /** Called with the path of a selected value. */
  onPath?: ((path: string) => void) | undefined
  /** Shown at the start of the toolbar. */
  tools?: ReactNode
  /** Key of similar documents, which share what is folded. */
  foldKey?: string | undefined
}

/** JSON of any size as rows that open, searchable and linkable without parsing the whole document. */
export function JsonView(props: JsonViewProps) {
  const { host, label, path, onPath } = props
  const json = useJsonView(props)
  const { box, scroller, outline, selection, range, getRow, actions, id } = json
  const isReady = outline.length !== undefined
  const { cursor } = selection
  useFollowedPath(json, host, path)
  useJsonKeys(json)
  const isCursorMounted = getRow(cursor) !== undefined && cursor >= range.from && cursor < range.to
  const mounted = Array.from({ length: Math.max(range.to - range.from, 0) }, (_, offset) => range.from + offset)
  return (
    <div ref={box} className="flex h-full min-h-0 flex-col">
      <JsonToolbar
        label={label}
        tools={props.tools}
        bytes={json.bytes}
        query={json.query}
        onQuery={json.setQuery}
        hits={json.hits}
        hit={selection.hit}
        onHit={(by) => void json.goToHit(selection.hit + by)}
      />
      {/* Always mounted, because the range of rows follows its scroll position. */}
      <div
        ref={scroller}
        role="tree"
        tabIndex={0}
        aria-label={label}
        aria-busy={!isReady}
        aria-activedescendant={isCursorMounted ? `${id}-${cursor}` : undefined}
        className="min-h-0 flex-1 overflow-y-auto overflow-x-hidden outline-offset-[-2px]"
      >
        {!isReady && <SkeletonRows rows={6} height={ROW_HEIGHT} label={`Opening ${label}`} />}
        <div role="presentation" className="relative" style={{ height: (outline.length ?? 0) * ROW_HEIGHT }}>
          {mounted.map((index) => (
            <Row key={index} index={index} json={json} hasLinks={onPath !== undefined} />
          ))}
        </div>
      </div>
      <Layers layer={actions.layer} onClose={actions.closeLayer} />
    </div>
  )
}

type JsonController = ReturnType<typeof useJsonView>

/** Rows, selection, search and actions of one document. */
function useJsonView({ host, roots, foldKey, onPath }: JsonViewProps) {
  const [box, width] = useElementWidth<HTMLDivElement>()
  const columns = width === 0 ? undefined : Math.max(Math.floor((width - 40) / CHARACTER_PX), 24)
  const outline = useOutline(host, roots, columns, foldKey)
  const scroller = useRef<HTMLDivElement>(null)
  const range = useWindow(scroller, { count: outline.length ?? 0, rowHeight: ROW_HEIGHT, headerHeight: 0 })
  const getRow = useRows(host, outline, range.from, range.to)
  const [selection, dispatch] = useReducer(reduceJsonSelection, START)
  const [query, setQuery] = useState('')
  const ranges = useMemo(() => roots ?? [{ start: 0, end: host.bytes }], [roots, host])
  const hits = useJsonSearch(host, query, ranges)
  const actions = useJsonRowActions({ host, outline, getRow, foldKey })
  const scrollTo = useScrollTo(scroller, outline.length ?? 0)
  const followedPath = useRef<string>(undefined)

  function reveal(row: number | undefined) {
    if (row === undefined) return
    dispatch({ type: 'reveal', row })
    scrollTo(row)
  }
  return {
    box,
    scroller,
    outline,
    range,
    getRow,
    selection,
    query,
    hits,
    actions,
    reveal,
    /** The last path that was followed or selected here. */
    followedPath,
    id: useId(),
    bytes: ranges.reduce((sum, { start, end }) => sum + end - start, 0),
    setQuery(text: string) {
      setQuery(text)
      dispatch({ type: 'newSearch' })
    },
    async goToHit(hit: number) {
      const index = wrapHit(hit, hits.offsets.length)
      const offset = index === undefined ? undefined : hits.offsets[index]
      if (index === undefined || offset === undefined) return
      dispatch({ type: 'goToHit', hit: index })
      reveal(await outline.change(() => host.call('reveal', offset)))
    },
    moveTo(row: number) {
      const rowCount = outline.length ?? 0
      dispatch({ type: 'move', row, rowCount })
      range.reveal(Math.min(Math.max(row, 0), Math.max(rowCount - 1, 0)))
    },
    async pick(row: number) {
      dispatch({ type: 'pick', row })
      const picked = printPath(await host.call('pathOf', row))
      followedPath.current = picked
      onPath?.(picked)
    },
  }
}

/** Scrolls to a row once it is drawn; before that, the list is not high enough. */
function useScrollTo(scroller: React.RefObject<HTMLElement | null>, rowCount: number) {
  const pending = useRef<number>(undefined)
  useLayoutEffect(() => {
    const [element, row] = [scroller.current, pending.current]
    if (!element || row === undefined || row >= rowCount) return
    pending.current = undefined
    element.scrollTop = row * ROW_HEIGHT - element.clientHeight / 2
  })
  return (row: number) => {
    pending.current = row
  }
}

/** Reveals the value of the path in the URL, once per document. */
function useFollowedPath({ outline, followedPath, reveal }: JsonController, host: JsonHost, path: string | undefined) {
  const isReady = outline.length !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: a path is followed once per document, not after every fold
  useEffect(() => {
    if (!isReady || !path || followedPath.current === path) return
    followedPath.current = path
    void outline.change(() => host.call('findPath', path)).then(reveal)
  }, [isReady, host, path])
}

function useJsonKeys({ box, scroller, getRow, selection, actions, moveTo, goToHit }: JsonController) {
  const { cursor, hit } = selection
  const focusSearch = () => box.current?.querySelector<HTMLInputElement>('input[type=search]')?.focus()
  const copySelection = () =>
    String(getSelection()) ? document.execCommand('copy') : actions.withValue(cursor, copyValue)
  const openRow = () => (getRow(cursor)?.open === false ? void actions.toggle(cursor) : moveTo(cursor + 1))
  const closeRow = () => (getRow(cursor)?.open ? void actions.toggle(cursor) : moveTo(cursor - 1))
  useShortcuts(
    'JSON',
    [
      { keys: 'arrowdown', label: 'Next row', run: () => moveTo(cursor + 1) },
      { keys: 'arrowup', label: 'Previous row', run: () => moveTo(cursor - 1) },
      { keys: 'pagedown', label: 'Page down', run: () => moveTo(cursor + PAGE) },
      { keys: 'pageup', label: 'Page up', run: () => moveTo(cursor - PAGE) },
      { keys: 'home', label: 'First row', run: () => moveTo(0) },
      { keys: 'end', label: 'Last row', run: () => moveTo(Number.MAX_SAFE_INTEGER) },
      { keys: 'arrowright', label: 'Open', run: openRow },
      { keys: 'arrowleft', label: 'Close', run: closeRow },
      { keys: 'enter', label: 'Open or close', run: () => void actions.toggle(cursor) },
      { keys: '/', label: 'Search', run: focusSearch },
      { keys: 'n', label: 'Next hit', run: () => void goToHit(hit + 1) },
      { keys: 'shift+n', label: 'Previous hit', run: () => void goToHit(hit - 1) },
      { keys: 'mod+c', label: 'Copy value', run: copySelection },
      { keys: 'mod+shift+c', label: 'Copy path', run: () => actions.withValue(cursor, ({ path }) => copyPath(path)) },
      { keys: '.', label: 'Actions on the value', run: () => void actions.openMenu(cursor) },
    ],
    scroller,
  )
}

interface RowProps {
  index: number
  json: JsonController
  hasLinks: boolean
}

function Row({ index, json, hasLinks }: RowProps) {
  const { getRow, selection, actions, query, id } = json
  const row = getRow(index)
  if (!row) return null
  return (
    <JsonRowView
      row={row}
      id={`${id}-${index}`}
      top={index * ROW_HEIGHT}
      current={index === selection.cursor}
      flashing={index === selection.flash}
      query={query}
      onPress={(event) => {
        void json.pick(index)
        if (!String(getSelection())) void actions.toggle(index, event.altKey)
      }}
      actions={
        index === selection.cursor && <RowButtons index={index} actions={actions} row={row} hasLinks={hasLinks} />
      }
    />
  )
}

interface RowButtonsProps {
  index: number
  actions: JsonRowActions
  row: NonNullable<ReturnType<JsonController['getRow']>>
  hasLinks: boolean
}

function RowButtons({ index, actions, row, hasLinks }: RowButtonsProps) {
  const { picked } = actions
  return (
    <span className="ml-auto flex shrink-0">
      <IconButton
        icon={ClipboardCopy}
        label="Copy value"
        tabIndex={-1}
        className="size-5"
        onClick={(event) => {
          event.stopPropagation()
          actions.withValue(index, copyValue)
        }}
      />
      <JsonRowMenu
        row={row}
        picked={picked}
        open={actions.menuRow === index}
        onOpenChange={(open) => (open ? void actions.openMenu(index) : actions.closeMenu())}
        hasLinks={hasLinks}
        onJson={() => void actions.toggleJson(index)}
        onMedia={() => void actions.showMedia(index)}
        onCompare={() => picked && void actions.compare(picked)}
      />
    </span>
  )
}

function Layers({ layer, onClose }: { layer: JsonLayer | undefined; onClose: () => void }) {
  return (
    <Suspense>
      {layer?.what === 'media' && <MediaDialog mime={layer.mime} picked={layer.value} onClose={onClose} />}
      {layer?.what === 'diff' && <ValueDiffDialog a={layer.a} b={layer.b} onClose={onClose} />}
    </Suspense>
  )
}
