import { useIsFetching } from '@tanstack/react-query'
import { type ReactNode, Suspense } from 'react'
import { useStore } from '#lib/store.ts'
import { drawnPage } from '#ui/first-page.ts'
import { useDelayedFlag } from '#ui/hooks.tsx'
import { lazyExtra } from '#ui/lazy.tsx'

const JobsTray = lazyExtra(() => import('../jobs-tray.tsx').then((module) => module.JobsTray))

export interface PageFrameProps {
  /** The heading of the page and the title of the browser tab. */
  title: string
  /** Links to sibling pages, beside the title. The toolbar then has its own row. */
  tabs?: ReactNode
  /** The main actions of the page, at the right of the header. */
  actions?: ReactNode
  /** Controls of the view. Without tabs they replace the heading, because the breadcrumbs show the name already. */
  toolbar?: ReactNode
  /** Content of the status bar. */
  status?: ReactNode
  children: ReactNode
}

/** The layout of every page: header or toolbar, content, status bar. */
export function PageFrame({ title, tabs, actions, toolbar, status, children }: PageFrameProps) {
  const hasOneRow = tabs === undefined
  const isDrawn = useStore(drawnPage)
  return (
    <>
      <title>{`${title} · Touchstone`}</title>
      <main className="flex min-h-0 flex-1 flex-col">
        <div className="relative flex h-10 shrink-0 items-center border-b border-border bg-surface coarse:h-12">
          <h1 className={getHeadingClasses(hasOneRow, toolbar !== undefined)}>{title}</h1>
          {tabs}
          {hasOneRow && toolbar && <Toolbar>{toolbar}</Toolbar>}
          {actions && <div className="ml-auto flex shrink-0 items-center gap-1.5 pl-2 pr-3">{actions}</div>}
          {(hasOneRow || !toolbar) && <RefetchBar />}
        </div>
        {!hasOneRow && toolbar && (
          <div className="relative flex h-9 shrink-0 border-b border-border bg-surface coarse:h-12">
            <Toolbar>{toolbar}</Toolbar>
            <RefetchBar />
          </div>
        )}
        <div className="relative flex min-h-0 flex-1">{children}</div>
      </main>
      <footer className="flex h-6 shrink-0 items-center gap-3 overflow-hidden whitespace-nowrap border-t border-border bg-sunken px-3 text-meta text-fg-muted">
        {status}
        <Suspense>{isDrawn && <JobsTray />}</Suspense>
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
      className="scroll-strip flex min-w-0 flex-1 items-center gap-1.5 self-stretch px-3"
    >
      {children}
    </div>
  )
}

/** Hides the heading on phones, where it does not fit beside the tabs. */
function getHeadingClasses(hasOneRow: boolean, hasToolbar: boolean): string {
  if (hasOneRow && hasToolbar) return 'sr-only'
  const look = 'min-w-0 truncate px-3 text-base font-semibold'
  return hasOneRow ? look : `${look} max-sm:sr-only sm:max-w-[40%]`
}

/** A progress bar below the header while data is refreshed. */
function RefetchBar() {
  const isBusy = useDelayedFlag(useIsFetching({ predicate: (query) => query.meta?.quiet !== true }) > 0, 300)
  if (!isBusy) return null
  return (
    <div aria-hidden className="absolute inset-x-0 -bottom-px z-20 h-0.5 overflow-hidden">
      <div className="h-full w-1/4 animate-[progress_1s_linear_infinite] bg-accent" />
    </div>
  )
}
