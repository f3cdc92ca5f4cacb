import { Link } from '@tanstack/react-router'
import { ChevronDown, ChevronUp, Maximize2, X } from 'lucide-react'
import { Suspense, useRef } from 'react'
import { createPreference, isNumber } from '#lib/preferences/preference.ts'
import { IconButton } from '#ui/icon-button.tsx'
import { lazyPart } from '#ui/lazy-part.tsx'
import { PaneBoundary } from '#ui/pane-boundary.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { Splitter } from '#ui/splitter.tsx'
import { Tooltip } from '#ui/tooltip.tsx'
import { NOT_WIDE, useMedia } from '#ui/use-media.tsx'
import { usePreference } from '#ui/use-preference.tsx'
import { useShortcuts } from '#ui/use-shortcuts.tsx'

const RunPanel = lazyPart(() => import('#domain/run-panel/run-panel.tsx').then((module) => module.RunPanel))

/** Fetches what a peek shows; for a list that has drawn its rows and has time. */
export const preloadPeek = RunPanel.preload

const widthPreference = createPreference('peek-width', 55, isNumber)

export interface RunPeekProps {
  tenant: string
  projectId: string
  runId: string
  onClose: () => void
  neighbours: { previous: string | undefined; next: string | undefined }
  onMove: (id: string) => void
  /** The open tab; the address keeps it. */
  tab: string | undefined
  onTab: (tab: string) => void
}

/** A run beside the list that it was picked from; over it where the window is not wide. */
export function RunPeek({ tenant, projectId, runId, onClose, neighbours, onMove, tab, onTab }: RunPeekProps) {
  const [width, setWidth] = usePreference(widthPreference)
  const covers = useMedia(NOT_WIDE)
  const pane = useRef<HTMLElement>(null)
  const move = (id: string | undefined) => () => id !== undefined && onMove(id)
  useShortcuts('List', [
    { keys: 'shift+j', label: 'Next run of the list, in the peek', run: move(neighbours.next) },
    { keys: 'shift+k', label: 'Previous run of the list, in the peek', run: move(neighbours.previous) },
  ])
  return (
    <>
      {!covers && <Splitter label="Resize the panel" value={width} min={40} max={92} onChange={setWidth} />}
      <aside
        ref={pane}
        aria-label="Run"
        data-pane="peek"
        tabIndex={-1}
        style={covers ? undefined : { width: `${width}%` }}
        className={
          covers
            ? 'absolute inset-0 z-20 flex flex-col bg-surface'
            : 'flex min-h-0 shrink-0 animate-layer flex-col bg-surface outline-none'
        }
      >
        <header className="flex h-9 shrink-0 items-center gap-1 border-b border-border px-2">
          <IconButton icon={X} label="Close" keys="escape" onClick={onClose} />
          <IconButton
            icon={ChevronUp}
            label="Previous run"
            keys="shift+k"
            disabled={neighbours.previous === undefined}
            onClick={move(neighbours.previous)}
          />
          <IconButton
            icon={ChevronDown}
            label="Next run"
            keys="shift+j"
            disabled={neighbours.next === undefined}
            onClick={move(neighbours.next)}
          />
          <Tooltip label="Open the full page" keys="o">
            <Link
              to="/o/$tenant/projects/p/$projectId/r/$runId"
              params={{ tenant, projectId, runId }}
              className="ml-auto inline-flex h-7 items-center gap-1.5 rounded-control px-2 text-row text-fg-muted hover:bg-hover hover:text-fg"
            >
              <Maximize2 size={13} aria-hidden />
              Open trace
            </Link>
          </Tooltip>
        </header>
        <div className="flex min-h-0 flex-1 flex-col">
          <PaneBoundary title="This run could not be drawn">
            <Suspense fallback={<SkeletonRows rows={10} label="Loading the run" />}>
              <RunPanel runId={runId} tab={tab} onTab={onTab} />
            </Suspense>
          </PaneBoundary>
        </div>
      </aside>
    </>
  )
}
