import { ChevronDown, ChevronUp, Maximize2, X } from 'lucide-react'
import type { CSSProperties, ReactNode } from 'react'
import { cx } from '#lib/browser.ts'
import type { Preference } from '#lib/preferences.ts'
import { IconButton } from './button.tsx'
import { NOT_WIDE, useMedia, usePreference } from './hooks.tsx'
import { Splitter } from './splitter.tsx'

export interface PeekPaneProps {
  /** Accessible name of the panel. */
  label: string
  onClose: () => void
  /** In the header, after the button that closes the panel. */
  header: ReactNode
  children: ReactNode
}

const COVERING = 'absolute inset-0 z-20 flex flex-col bg-surface outline-none'
const BESIDE = 'flex min-h-0 shrink-0 animate-layer flex-col bg-surface outline-none'

/** A panel of a fixed width beside the content of a page; in a narrow window it covers the content. */
export function PeekPane({ className, ...frame }: PeekPaneProps & { className: string }) {
  const covers = useMedia(NOT_WIDE)
  return <Frame {...frame} className={covers ? COVERING : cx(BESIDE, 'border-l border-border', className)} />
}

interface ResizablePeekPaneProps extends PeekPaneProps {
  /** The chosen width in percent of the page. */
  width: Preference<number>
  /** Least width in percent. */
  min: number
}

/** A panel beside the content of a page, resized by dragging its edge; in a narrow window it covers the content. */
export function ResizablePeekPane({ width: preference, min, ...frame }: ResizablePeekPaneProps) {
  const [width, setWidth] = usePreference(preference)
  const covers = useMedia(NOT_WIDE)
  // One tree for both, so that a panel keeps its state while the window is resized.
  return (
    <>
      {!covers && <Splitter label="Resize the panel" value={width} min={min} max={92} onChange={setWidth} />}
      <Frame {...frame} className={covers ? COVERING : BESIDE} style={covers ? undefined : { width: `${width}%` }} />
    </>
  )
}

interface FrameProps extends PeekPaneProps {
  className: string
  style?: CSSProperties | undefined
}

function Frame({ label, onClose, header, children, ...look }: FrameProps) {
  return (
    <aside aria-label={label} data-pane="peek" tabIndex={-1} {...look}>
      <header className="flex h-9 shrink-0 items-center gap-1 border-b border-border px-2 coarse:h-12">
        <IconButton icon={X} label="Close" keys="escape" onClick={onClose} />
        {header}
      </header>
      {children}
    </aside>
  )
}

interface PeekMovesProps {
  /** What the list contains, for example `run`. */
  noun: string
  previous: string | undefined
  next: string | undefined
  onMove: (id: string) => void
}

/** Buttons that show the previous or the next row of the list in the panel. */
export function PeekMoves({ noun, previous, next, onMove }: PeekMovesProps) {
  return (
    <>
      <IconButton
        icon={ChevronUp}
        label={`Previous ${noun}`}
        keys="shift+k"
        disabled={previous === undefined}
        onClick={() => previous !== undefined && onMove(previous)}
      />
      <IconButton
        icon={ChevronDown}
        label={`Next ${noun}`}
        keys="shift+j"
        disabled={next === undefined}
        onClick={() => next !== undefined && onMove(next)}
      />
    </>
  )
}

/** Classes of the link at the right of the header that opens the full page. */
export const PEEK_LINK =
  'ml-auto inline-flex h-7 shrink-0 items-center gap-1.5 rounded-control px-2 text-row text-fg-muted hover:bg-hover hover:text-fg'

/** Content of that link. */
export function PeekLinkLabel({ children }: { children: ReactNode }) {
  return (
    <>
      <Maximize2 size={13} aria-hidden />
      {children}
    </>
  )
}
