import { Link } from '@tanstack/react-router'
import { Maximize2, X } from 'lucide-react'
import { Suspense } from 'react'
import { createPreference, isNumber } from '#lib/preferences.ts'
import { IconButton } from '#ui/button.tsx'
import { NOT_WIDE, useMedia, usePreference } from '#ui/hooks.tsx'
import { lazyPart } from '#ui/lazy.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { Splitter } from '#ui/splitter.tsx'
import { PaneBoundary, SkeletonRows } from '#ui/states.tsx'
import { Tooltip } from '#ui/tooltip.tsx'

const RunPanel = lazyPart(() => import('#domain/run-panel/run-panel.tsx').then((module) => module.RunPanel))
const widthPreference = createPreference('compare-peek-width', 50, isNumber)

export interface RunPeekProps {
  runId: string
  /** Name of the experiment that the run belongs to. */
  title: string | undefined
  onClose: () => void
}

/** The run of a cell beside the comparison, or above it in a narrow window. */
export function RunPeek({ runId, title, onClose }: RunPeekProps) {
  const [width, setWidth] = usePreference(widthPreference)
  const covers = useMedia(NOT_WIDE)
  useShortcuts('Compare', [{ keys: 'escape', label: 'Close the run', run: onClose }])
  return (
    <>
      {!covers && <Splitter label="Resize the panel" value={width} min={30} max={92} onChange={setWidth} />}
      <aside
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
          <span className="min-w-0 truncate text-row text-fg-muted">{title}</span>
          <Tooltip label="Open the full page">
            <Link
              to="/go/$id"
              params={{ id: runId }}
              className="ml-auto inline-flex h-7 shrink-0 items-center gap-1.5 rounded-control px-2 text-row text-fg-muted hover:bg-hover hover:text-fg"
            >
              <Maximize2 size={13} aria-hidden />
              Open trace
            </Link>
          </Tooltip>
        </header>
        <div className="flex min-h-0 flex-1 flex-col">
          <PaneBoundary title="Could not show this run">
            <Suspense fallback={<SkeletonRows rows={10} label="Loading the run" />}>
              <RunPanel runId={runId} />
            </Suspense>
          </PaneBoundary>
        </div>
      </aside>
    </>
  )
}
