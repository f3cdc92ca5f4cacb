import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import { createPreference, isNumber } from '#lib/preferences.ts'
import { lazyExtra, lazyPart } from '#ui/lazy.tsx'
import { PEEK_LINK, PeekLinkLabel, PeekMoves, ResizablePeekPane } from '#ui/peek-pane.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { PaneBoundary, SkeletonRows } from '#ui/states.tsx'
import { Tooltip } from '#ui/tooltip.tsx'

const RunPanel = lazyPart(() => import('./run-panel.tsx').then((module) => module.RunPanel))
const PeekTree = lazyExtra(() => import('#features/traces/peek/peek-tree.tsx').then((module) => module.PeekTree))

/** Loads the code of the preview before it is opened. */
export function preloadPeek(): void {
  RunPanel.preload()
  PeekTree.preload()
}

const widthPreference = createPreference('peek-width', 55, isNumber)

export interface RunPeekProps {
  tenant: string
  projectId: string
  runId: string
  /** The trace of the run, when known. */
  traceId?: string | undefined
  /** Called with the trace of the run, when it was not known. */
  onTrace?: ((traceId: string) => void) | undefined
  /** Shows another run of the trace. */
  onSelect: (id: string) => void
  onClose: () => void
  neighbors: { previous: string | undefined; next: string | undefined }
  onMove: (id: string) => void
  /** The open tab, kept in the URL. */
  tab: string | undefined
  onTab: (tab: string) => void
}

/** A run, and below it its trace, beside the list or above it in a narrow window. */
export function RunPeek(props: RunPeekProps) {
  const { tenant, projectId, runId, traceId, onSelect, onClose, neighbors, onMove, tab, onTab } = props
  const move = (id: string | undefined) => () => id !== undefined && onMove(id)
  useShortcuts('List', [
    { keys: 'shift+j', label: 'Preview the next run', run: move(neighbors.next) },
    { keys: 'shift+k', label: 'Preview the previous run', run: move(neighbors.previous) },
  ])
  return (
    <ResizablePeekPane
      label="Run"
      width={widthPreference}
      min={40}
      onClose={onClose}
      header={
        <>
          <PeekMoves noun="run" {...neighbors} onMove={onMove} />
          <Tooltip label="Open the full page" keys="o">
            <Link
              to="/o/$tenant/projects/p/$projectId/r/$runId"
              params={{ tenant, projectId, runId }}
              className={PEEK_LINK}
            >
              <PeekLinkLabel>Open trace</PeekLinkLabel>
            </Link>
          </Tooltip>
        </>
      }
    >
      <div className="flex min-h-0 flex-1 flex-col">
        <PaneBoundary title="Could not show this run">
          <Suspense fallback={<SkeletonRows rows={10} label="Loading the run" />}>
            <RunPanel runId={runId} tab={tab} onTab={onTab} />
          </Suspense>
        </PaneBoundary>
      </div>
      {/* Below the run, so that the run does not move when the tree appears or has another height. */}
      <PaneBoundary title="Could not show the trace">
        <Suspense>
          <PeekTree runId={runId} traceId={traceId} onTrace={props.onTrace} onSelect={onSelect} />
        </Suspense>
      </PaneBoundary>
    </ResizablePeekPane>
  )
}
