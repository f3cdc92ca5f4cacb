import { useIsFetching } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useLate } from '#ui/use-late.tsx'

export interface PageFrameProps {
  /** Names the page: its heading and the browser's tab. */
  title: string
  /** Beside the title, e.g. tabs. */
  beside?: ReactNode
  /** At the right of the page head. */
  actions?: ReactNode
  toolbar?: ReactNode
  /** In the 24 px at the bottom. */
  status?: ReactNode
  children: ReactNode
}

/** Page head, toolbar, body, status bar: the same four bands on every list. */
export function PageFrame({ title, beside, actions, toolbar, status, children }: PageFrameProps) {
  return (
    <>
      <title>{`${title} · Touchstone`}</title>
      <div className="relative flex h-10 shrink-0 items-center gap-3 border-b border-border bg-surface px-3">
        <h1 className="min-w-0 truncate text-base font-semibold">{title}</h1>
        {beside}
        <div className="ml-auto flex shrink-0 items-center gap-1.5">{actions}</div>
        <RefetchBar />
      </div>
      {toolbar && (
        <div
          role="toolbar"
          aria-label="View"
          data-pane="toolbar"
          className="flex min-h-9 shrink-0 items-center gap-1.5 overflow-x-auto border-b border-border bg-surface px-3 py-1"
        >
          {toolbar}
        </div>
      )}
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
