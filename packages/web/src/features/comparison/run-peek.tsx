import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import { createPreference, isNumber } from '#lib/preferences.ts'
import { lazyPart } from '#ui/lazy.tsx'
import { PEEK_LINK, PeekLinkLabel, ResizablePeekPane } from '#ui/peek-pane.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { PaneBoundary, SkeletonRows } from '#ui/states.tsx'
import { Tooltip } from '#ui/tooltip.tsx'

const RunPanel = lazyPart(() => import('#features/runs/panel/run-panel.tsx').then((module) => module.RunPanel))
const widthPreference = createPreference('compare-peek-width', 50, isNumber)

export interface RunPeekProps {
  runId: string
  /** Name of the experiment that the run belongs to. */
  title: string | undefined
  onClose: () => void
}

/** The run of a cell beside the comparison, or above it in a narrow window. */
export function RunPeek({ runId, title, onClose }: RunPeekProps) {
  useShortcuts('Compare', [{ keys: 'escape', label: 'Close the run', run: onClose }])
  return (
    <ResizablePeekPane
      label="Run"
      width={widthPreference}
      min={30}
      onClose={onClose}
      header={
        <>
          <span dir="auto" className="min-w-0 truncate text-row text-fg-muted">
            {title}
          </span>
          <Tooltip label="Open the full page">
            <Link to="/go/$id" params={{ id: runId }} className={PEEK_LINK}>
              <PeekLinkLabel>Open trace</PeekLinkLabel>
            </Link>
          </Tooltip>
        </>
      }
    >
      <div className="flex min-h-0 flex-1 flex-col">
        <PaneBoundary title="Could not show this run">
          <Suspense fallback={<SkeletonRows rows={10} label="Loading the run" />}>
            <RunPanel runId={runId} />
          </Suspense>
        </PaneBoundary>
      </div>
    </ResizablePeekPane>
  )
}
