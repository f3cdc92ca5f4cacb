import { ChevronDown, ChevronUp, ClipboardCopy, Search } from 'lucide-react'
import { type ReactNode, Suspense, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { formatBytes, formatCount } from '#lib/format/format.ts'
import { rememberFold } from '#lib/json/fold-memory.ts'
import type { JsonHost } from '#lib/json/json-host.ts'
import { printJsonPath, printPath } from '#lib/json/json-path.ts'
import type { OutlineRoot } from '#lib/json/json-row.ts'
import { IconButton } from '#ui/icon-button.tsx'
import { lazyExtra } from '#ui/lazy-extra.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { useElementWidth } from '#ui/use-element-width.tsx'
import { useShortcuts } from '#ui/use-shortcuts.tsx'
import { useWindow } from '#ui/use-window.tsx'
import { copyPath, copyValue, JsonRowMenu } from './json-row-menu.tsx'
import { JsonRowView, ROW_HEIGHT } from './json-row-view.tsx'
import { type MarkedValue, useMarkedValue } from './marked-value.ts'
import { useJsonSearch } from './use-json-search.ts'
import { useOutline, useRows } from './use-outline.ts'
import type { PickedValue } from './value-actions.ts'

const MediaDialog = lazyExtra(() => import('./media-dialog.tsx').then((module) => module.MediaDialog))
const ValueDiffDialog = lazyExtra(() => import('./value-diff-dialog.tsx').then((module) => module.ValueDiffDialog))

/** Advance of a character of the mono face at 12 px. */
const CHARACTER = 7.2

export interface JsonViewProps {
  host: JsonHost
  /** Names the document for screen readers. */
  label: string
  /** Members of the top object to show; all of it when left out. Keep the identity while they are the same. */
  roots?: readonly (OutlineRoot & { end: number })[] | undefined
  /** Path of a value to bring into view, and to mark. */
  path?: string | undefined
  /** Called with the path of a value that was picked. */
  onPath?: ((path: string) => void) | undefined
  /** Shown at the start of the toolbar. */
  tools?: ReactNode
  /** Names documents like this one; what was opened and closed in one of them is so in the next. */
  place?: string | undefined
}

/** JSON of any size as rows that open: searched, copied and linked to without ever building it. */
export function JsonView({ host, label, roots, path, onPath, tools, place }: JsonViewProps) {
  const [box, width] = useElementWidth<HTMLDivElement>()
  const columns = width === 0 ? undefined : Math.max(Math.floor((width - 40) / CHARACTER), 24)
  const outline = useOutline(host, roots, columns, place)
  const scroller = useRef<HTMLDivElement>(null)
  const rowWindow = useWindow(scroller, { count: outline.length ?? 0, rowHeight: ROW_HEIGHT, headerHeight: 0 })
  const { from, to } = rowWindow
  const rowAt = useRows(host, outline, from, to)

  const [cursor, setCursor] = useState(0)
  const [flash, setFlash] = useState<number>()
  const [query, setQuery] = useState('')
  const whole = useMemo(() => roots ?? [{ start: 0, end: host.bytes }], [roots, host])
  const { offsets, done } = useJsonSearch(host, query, whole)
  const [hit, setHit] = useState(-1)
  const [menuAt, setMenuAt] = useState<number>()
  const [picked, setPicked] = useState<PickedValue>()
  const [layer, setLayer] = useState<Layer>()
  const marked = useMarkedValue()
  const id = useId()
  /** The path that was gone to, or came from here. */
  const followed = useRef<string>(undefined)

  // Scrolled to once it is drawn: until then the list is not high enough to get there.
  const wanted = useRef<number>(undefined)
  useLayoutEffect(() => {
    const [box, row] = [scroller.current, wanted.current]
    if (!box || row === undefined || row >= (outline.length ?? 0)) return
    wanted.current = undefined
    box.scrollTop = row * ROW_HEIGHT - box.clientHeight / 2
  })

  function show(row: number | undefined) {
    if (row === undefined) return
    setCursor(row)
    setFlash(row)
    wanted.current = row
  }
  async function goToHit(index: number) {
    if (offsets.length === 0) return
    const at = ((index % offsets.length) + offsets.length) % offsets.length
    setHit(at)
    show(await outline.change(() => host.call('reveal', offsets[at]!)))
  }
  async function toggle(row: number, withSiblings = false) {
    const shown = rowAt(row)
    if (shown?.media && !shown.open) await showMedia(row)
    else if (shown?.what === 'more') await outline.change(() => host.call('showWhole', row))
    else if (shown?.open !== undefined) {
      await outline.change(() => host.call('toggle', row, withSiblings))
      if (place !== undefined) rememberFold(place, printPath(await host.call('pathOf', row)), !shown.open)
    }
  }
  function moveTo(row: number) {
    const bounded = Math.min(Math.max(row, 0), (outline.length ?? 1) - 1)
    setCursor(bounded)
    setFlash(undefined)
    rowWindow.reveal(bounded)
  }
  async function valueAt(row: number): Promise<PickedValue | undefined> {
    const shown = rowAt(row)
    if (!shown) return undefined
    const path = await host.call('pathOf', row)
    return { path, kind: shown.kind, preview: shown.text, text: () => host.call('valueText', row) }
  }
  const withValue = (act: (value: PickedValue) => unknown) => () =>
    void valueAt(cursor).then((value) => value && act(value))
  async function openMenu(row: number) {
    setPicked(undefined)
    setMenuAt(row)
    setPicked(await valueAt(row))
  }
  async function showMedia(row: number) {
    const [value, mime] = [await valueAt(row), rowAt(row)?.media]
    if (value && mime !== undefined) setLayer({ what: 'media', mime, value })
  }
  async function compare(value: PickedValue) {
    const b = { path: printJsonPath(value.path), kind: value.kind, text: await value.text() }
    if (marked) setLayer({ what: 'diff', a: marked, b })
  }
  async function pick(row: number) {
    setCursor(row)
    setFlash(undefined)
    const picked = printPath(await host.call('pathOf', row))
    followed.current = picked
    onPath?.(picked)
  }

  const isReady = outline.length !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: a path is followed once per document, not at every fold
  useEffect(() => {
    if (!isReady || !path || followed.current === path) return
    followed.current = path
    void outline.change(() => host.call('findPath', path)).then(show)
  }, [isReady, host, path])

  useShortcuts(
    'JSON',
    [
      { keys: 'arrowdown', label: 'Next row', run: () => moveTo(cursor + 1) },
      { keys: 'arrowup', label: 'Previous row', run: () => moveTo(cursor - 1) },
      { keys: 'pagedown', label: 'A page down', run: () => moveTo(cursor + 25) },
      { keys: 'pageup', label: 'A page up', run: () => moveTo(cursor - 25) },
      { keys: 'home', label: 'First row', run: () => moveTo(0) },
      { keys: 'end', label: 'Last row', run: () => moveTo(Number.MAX_SAFE_INTEGER) },
      {
        keys: 'arrowright',
        label: 'Open',
        run: () => (rowAt(cursor)?.open === false ? void toggle(cursor) : moveTo(cursor + 1)),
      },
      {
        keys: 'arrowleft',
        label: 'Close',
        run: () => (rowAt(cursor)?.open ? void toggle(cursor) : moveTo(cursor - 1)),
      },
      { keys: 'enter', label: 'Open or close', run: () => void toggle(cursor) },
      {
        keys: '/',
        label: 'Search',
        run: () => box.current?.querySelector<HTMLInputElement>('input[type=search]')?.focus(),
      },
      { keys: 'n', label: 'Next hit', run: () => void goToHit(hit + 1) },
      { keys: 'shift+n', label: 'Previous hit', run: () => void goToHit(hit - 1) },
      {
        keys: 'mod+c',
        label: 'Copy value',
        run: () => (String(getSelection()) ? document.execCommand('copy') : withValue(copyValue)()),
      },
      { keys: 'mod+shift+c', label: 'Copy path', run: withValue(({ path: at }) => copyPath(at)) },
      { keys: '.', label: 'Actions on the value', run: () => void openMenu(cursor) },
    ],
    scroller,
  )

  return (
    <div ref={box} className="flex h-full min-h-0 flex-col">
      <div className="flex h-8 shrink-0 items-center gap-1 border-b border-border px-2">
        {tools}
        <div className="relative min-w-20 flex-1">
          <Search size={12} aria-hidden className="absolute left-1.5 top-1/2 -translate-y-1/2 text-fg-subtle" />
          <input
            type="search"
            aria-label={`Search ${label}`}
            placeholder="Search"
            value={query}
            onChange={(event) => {
              setQuery(event.target.value)
              setHit(-1)
            }}
            onKeyDown={(event) => {
              if (event.key === 'Enter') void goToHit(hit + (event.shiftKey ? -1 : 1))
              if (event.key === 'Escape') setQuery('')
            }}
            className="h-6 w-full rounded-control border border-transparent bg-transparent pl-6 pr-1 text-row placeholder:text-fg-subtle hover:border-border focus:border-border coarse:h-10"
          />
        </div>
        {query !== '' && (
          <>
            <span role="status" className="whitespace-nowrap text-meta tabular-nums text-fg-muted">
              {hit >= 0 ? `${formatCount(hit + 1)} / ` : ''}
              {formatCount(offsets.length)} {offsets.length === 1 ? 'hit' : 'hits'}
              {done ? '' : ' …'}
            </span>
            <IconButton icon={ChevronUp} label="Previous hit" onClick={() => void goToHit(hit - 1)} />
            <IconButton icon={ChevronDown} label="Next hit" onClick={() => void goToHit(hit + 1)} />
          </>
        )}
        <span className="whitespace-nowrap text-meta tabular-nums text-fg-subtle">{formatBytes(sizeOf(whole))}</span>
      </div>
      {/* There from the start: the window of rows follows its scrolling. */}
      <div
        ref={scroller}
        role="tree"
        tabIndex={0}
        aria-label={label}
        aria-busy={!isReady}
        aria-activedescendant={rowAt(cursor) && cursor >= from && cursor < to ? `${id}-${cursor}` : undefined}
        className="min-h-0 flex-1 overflow-y-auto overflow-x-hidden outline-offset-[-2px]"
      >
        {!isReady && <SkeletonRows rows={6} height={ROW_HEIGHT} label={`Opening ${label}`} />}
        <div role="presentation" className="relative" style={{ height: (outline.length ?? 0) * ROW_HEIGHT }}>
          {Array.from({ length: Math.max(to - from, 0) }, (_, offset) => {
            const index = from + offset
            const row = rowAt(index)
            return (
              row && (
                <JsonRowView
                  key={index}
                  row={row}
                  id={`${id}-${index}`}
                  top={index * ROW_HEIGHT}
                  current={index === cursor}
                  flashing={index === flash}
                  query={query}
                  onPress={(event) => {
                    void pick(index)
                    if (!String(getSelection())) void toggle(index, event.altKey)
                  }}
                  actions={
                    index === cursor && (
                      <span className="ml-auto flex shrink-0">
                        <IconButton
                          icon={ClipboardCopy}
                          label="Copy value"
                          tabIndex={-1}
                          className="size-5"
                          onClick={(event) => {
                            event.stopPropagation()
                            withValue(copyValue)()
                          }}
                        />
                        <JsonRowMenu
                          row={row}
                          picked={picked}
                          open={menuAt === index}
                          onOpenChange={(open) => (open ? void openMenu(index) : setMenuAt(undefined))}
                          hasLinks={onPath !== undefined}
                          onJson={() => void outline.change(() => host.call('toggleJson', index))}
                          onMedia={() => void showMedia(index)}
                          onCompare={() => picked && void compare(picked)}
                        />
                      </span>
                    )
                  }
                />
              )
            )
          })}
        </div>
      </div>
      <Suspense>
        {layer?.what === 'media' && (
          <MediaDialog mime={layer.mime} picked={layer.value} onClose={() => setLayer(undefined)} />
        )}
        {layer?.what === 'diff' && <ValueDiffDialog a={layer.a} b={layer.b} onClose={() => setLayer(undefined)} />}
      </Suspense>
    </div>
  )
}

type Layer = { what: 'media'; mime: string; value: PickedValue } | { what: 'diff'; a: MarkedValue; b: MarkedValue }

function sizeOf(stretches: readonly { start: number; end: number }[]): number {
  return stretches.reduce((sum, { start, end }) => sum + end - start, 0)
}
