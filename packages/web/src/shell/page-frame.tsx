import { useIsFetching } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useLate } from '#ui/use-late.tsx'

export interface PageFrameProps {
  /** Names the page: its heading and the browser's tab. */
  title: string
  /** What the page is for, at the right of its head. */
  actions?: ReactNode
  /** Controls of the view. They stand in the head's place: the crumbs above already name the page. */
  toolbar?: ReactNode
  /** In the 24 px at the bottom. */
  status?: ReactNode
  children: ReactNode
}

/** Head or toolbar, body, status bar: the same bands on every page. */
export function PageFrame({ title, actions, toolbar, status, children }: PageFrameProps) {
  return (
    <>
      <title>{`${title} · Touchstone`}</title>
      <div className="relative flex h-10 shrink-0 items-center border-b border-border bg-surface coarse:h-12">
        <h1 className={toolbar ? 'sr-only' : 'min-w-0 truncate px-3 text-base font-semibold'}>{title}</h1>
        {toolbar && (
          <div
            role="toolbar"
            aria-label="View"
            data-pane="toolbar"
            className="flex min-w-0 flex-1 items-center gap-1.5 self-stretch overflow-x-auto px-3"
          >
            {toolbar}
          </div>
        )}
        {actions && <div className="ml-auto flex shrink-0 items-center gap-1.5 pl-2 pr-3">{actions}</div>}
        <RefetchBar />
      </div>
      <main className="relative flex min-h-0 flex-1">{children}</main>
      <footer className="flex h-6 shrink-0 items-center gap-3 overflow-hidden whitespace-nowrap border-t border-border bg-sunken px-3 text-meta text-fg-muted">
        {status}
      </footer>
    </>
  )
}

/** 2 px below the page head while something is read again; what is on screen stays. */
function RefetchBar() {
  const isBusy = useLate(useIsFetching({ predicate: (query) => query.meta?.quiet !== true }) > 0, 300)
  if (!isBusy) return null
  return (
    <div aria-hidden className="absolute inset-x-0 -bottom-px z-20 h-0.5 overflow-hidden">
      <div className="h-full w-1/4 animate-[progress_1s_linear_infinite] bg-accent" />
    </div>
  )
}
