import { Link } from '@tanstack/react-router'
import { ChevronDown, ChevronUp, Maximize2, X } from 'lucide-react'
import { Suspense, useRef } from 'react'
import { createPreference, isNumber } from '#lib/preferences.ts'
import { IconButton } from '#ui/button.tsx'
import { NOT_WIDE, useMedia, usePreference } from '#ui/hooks.tsx'
import { lazyPart } from '#ui/lazy.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { Splitter } from '#ui/splitter.tsx'
import { PaneBoundary, SkeletonRows } from '#ui/states.tsx'
import { Tooltip } from '#ui/tooltip.tsx'

const RunPanel = lazyPart(() => import('#domain/run-panel/run-panel.tsx').then((module) => module.RunPanel))

/** Loads the code of the run panel before it is opened. */
export const preloadPeek = RunPanel.preload

const widthPreference = createPreference('peek-width', 55, isNumber)

export interface RunPeekProps {
  tenant: string
  projectId: string
  runId: string
  onClose: () => void
  neighbors: { previous: string | undefined; next: string | undefined }
  onMove: (id: string) => void
  /** The open tab, kept in the URL. */
  tab: string | undefined
  onTab: (tab: string) => void
}

/** A run beside its list, or above it in a narrow window. */
export function RunPeek({ tenant, projectId, runId, onClose, neighbors, onMove, tab, onTab }: RunPeekProps) {
  const [width, setWidth] = usePreference(widthPreference)
  const covers = useMedia(NOT_WIDE)
  const pane = useRef<HTMLElement>(null)
  const move = (id: string | undefined) => () => id !== undefined && onMove(id)
  useShortcuts('List', [
    { keys: 'shift+j', label: 'Preview the next run', run: move(neighbors.next) },
    { keys: 'shift+k', label: 'Preview the previous run', run: move(neighbors.previous) },
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
            disabled={neighbors.previous === undefined}
            onClick={move(neighbors.previous)}
          />
          <IconButton
            icon={ChevronDown}
            label="Next run"
            keys="shift+j"
            disabled={neighbors.next === undefined}
            onClick={move(neighbors.next)}
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
          <PaneBoundary title="Could not show this run">
            <Suspense fallback={<SkeletonRows rows={10} label="Loading the run" />}>
              <RunPanel runId={runId} tab={tab} onTab={onTab} />
            </Suspense>
          </PaneBoundary>
        </div>
      </aside>
    </>
  )
}
