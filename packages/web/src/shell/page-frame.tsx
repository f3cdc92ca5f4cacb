import { useIsFetching } from '@tanstack/react-query'
import { type ReactNode, Suspense } from 'react'
import { lazyExtra } from '#ui/lazy-extra.tsx'
import { useLate } from '#ui/use-late.tsx'

const JobsTray = lazyExtra(() => import('./jobs-tray.tsx').then((module) => module.JobsTray))

export interface PageFrameProps {
  /** Names the page: its heading and the browser's tab. */
  title: string
  /** Links to the sibling pages of one thing, beside the title; then the toolbar gets a band of its own. */
  tabs?: ReactNode
  /** What the page is for, at the right of its head. */
  actions?: ReactNode
  /** Controls of the view. Without tabs they stand in the head's place: the crumbs above already name the page. */
  toolbar?: ReactNode
  /** In the 24 px at the bottom. */
  status?: ReactNode
  children: ReactNode
}

/** Head or toolbar, body, status bar: the same bands on every page. */
export function PageFrame({ title, tabs, actions, toolbar, status, children }: PageFrameProps) {
  const isOneBand = tabs === undefined
  return (
    <>
      <title>{`${title} · Touchstone`}</title>
      <div className="relative flex h-10 shrink-0 items-center border-b border-border bg-surface coarse:h-12">
        <h1 className={headingLook(isOneBand, toolbar !== undefined)}>{title}</h1>
        {tabs}
        {isOneBand && toolbar && <Toolbar>{toolbar}</Toolbar>}
        {actions && <div className="ml-auto flex shrink-0 items-center gap-1.5 pl-2 pr-3">{actions}</div>}
        {(isOneBand || !toolbar) && <RefetchBar />}
      </div>
      {!isOneBand && toolbar && (
        <div className="relative flex h-9 shrink-0 border-b border-border bg-surface coarse:h-12">
          <Toolbar>{toolbar}</Toolbar>
          <RefetchBar />
        </div>
      )}
      <main className="relative flex min-h-0 flex-1">{children}</main>
      <footer className="flex h-6 shrink-0 items-center gap-3 overflow-hidden whitespace-nowrap border-t border-border bg-sunken px-3 text-meta text-fg-muted">
        {status}
        <Suspense>
          <JobsTray />
        </Suspense>
      </footer>
    </>
  )
}

function Toolbar({ children }: { children: ReactNode }) {
  return (
    <div
      role="toolbar"
      aria-label="View"
      data-pane="toolbar"
      className="flex min-w-0 flex-1 items-center gap-1.5 self-stretch overflow-x-auto px-3"
    >
      {children}
    </div>
  )
}

/** Phones have no room for a name beside tabs, and the crumbs say it. */
function headingLook(isOneBand: boolean, hasToolbar: boolean): string {
  if (isOneBand && hasToolbar) return 'sr-only'
  const look = 'min-w-0 truncate px-3 text-base font-semibold'
  return isOneBand ? look : `${look} max-sm:sr-only sm:max-w-[40%]`
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
