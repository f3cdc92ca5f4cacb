import { Link } from '@tanstack/react-router'
import type { Dataset, Example } from '@touchstone/sdk'
import { ChevronDown, ChevronUp, Maximize2, X } from 'lucide-react'
import { Suspense, useMemo, useState } from 'react'
import { startNewDraft } from '#lib/datasets/example-draft.ts'
import { createPreference, isNumber } from '#lib/preferences.ts'
import { IconButton } from '#ui/button.tsx'
import { NOT_WIDE, useMedia, usePreference } from '#ui/hooks.tsx'
import { lazyPart } from '#ui/lazy.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { Splitter } from '#ui/splitter.tsx'
import { PaneBoundary, SkeletonRows } from '#ui/states.tsx'
import { Tooltip } from '#ui/tooltip.tsx'
import { type ExamplesActions, NEW } from './-use-examples-actions.ts'

const ExamplePanel = lazyPart(() => import('#domain/examples/example-panel.tsx').then((module) => module.ExamplePanel))
const ExampleEditor = lazyPart(() =>
  import('#domain/examples/example-editor.tsx').then((module) => module.ExampleEditor),
)

const widthPreference = createPreference('example-peek-width', 50, isNumber)

interface ExamplePeekProps {
  tenant: string
  datasetId: string
  dataset: Dataset | undefined
  /** Id of the example, or `new`. */
  exampleId: string
  asOf: string | undefined
  /** An example of the dataset, whose keys a new one gets. */
  template: Example | undefined
  canEdit: boolean
  actions: ExamplesActions
}

/** An example beside the list, or above it in a narrow window. */
export function ExamplePeek(props: ExamplePeekProps) {
  const { tenant, datasetId, exampleId, asOf, actions } = props
  const [width, setWidth] = usePreference(widthPreference)
  const covers = useMedia(NOT_WIDE)
  const { previous, next } = actions.neighbors ?? {}
  const move = (id: string | undefined) => () => actions.peek(id)
  useShortcuts('List', [
    { keys: 'shift+j', label: 'Next example in the panel', run: move(next) },
    { keys: 'shift+k', label: 'Previous example in the panel', run: move(previous) },
  ])
  return (
    <>
      {!covers && <Splitter label="Resize the panel" value={width} min={30} max={90} onChange={setWidth} />}
      <aside
        aria-label="Example"
        data-pane="peek"
        tabIndex={-1}
        style={covers ? undefined : { width: `${width}%` }}
        className={
          covers
            ? 'absolute inset-0 z-20 flex flex-col bg-surface'
            : 'flex min-h-0 shrink-0 animate-layer flex-col bg-surface outline-none'
        }
      >
        <header className="flex h-9 shrink-0 items-center gap-1 border-b border-border px-2 coarse:h-12">
          <IconButton icon={X} label="Close" keys="escape" onClick={actions.closePeek} />
          {exampleId === NEW ? (
            <span className="px-1 text-row font-medium">New example</span>
          ) : (
            <>
              <IconButton
                icon={ChevronUp}
                label="Previous example"
                keys="shift+k"
                disabled={previous === undefined}
                onClick={move(previous)}
              />
              <IconButton
                icon={ChevronDown}
                label="Next example"
                keys="shift+j"
                disabled={next === undefined}
                onClick={move(next)}
              />
              <Tooltip label="Open the full page" keys="o">
                <Link
                  to="/o/$tenant/datasets/$datasetId/e/$exampleId"
                  params={{ tenant, datasetId, exampleId }}
                  search={{ as_of: asOf }}
                  className="ml-auto inline-flex h-7 items-center gap-1.5 rounded-control px-2 text-row text-fg-muted hover:bg-hover hover:text-fg"
                >
                  <Maximize2 size={13} aria-hidden />
                  Open example
                </Link>
              </Tooltip>
            </>
          )}
        </header>
        <PaneBoundary title="Could not show this example">
          <Suspense fallback={<SkeletonRows rows={8} label="Loading the example" />}>
            <PeekContent {...props} />
          </Suspense>
        </PaneBoundary>
      </aside>
    </>
  )
}

function PeekContent({ tenant, datasetId, dataset, exampleId, asOf, template, canEdit, actions }: ExamplePeekProps) {
  const schemas = useMemo(
    () => ({ inputs: dataset?.inputs_schema_definition, outputs: dataset?.outputs_schema_definition }),
    [dataset],
  )
  const [firstTemplate] = useState(template)
  const saved = useMemo(() => startNewDraft(schemas, firstTemplate), [schemas, firstTemplate])
  if (exampleId === NEW) {
    return (
      <ExampleEditor
        datasetId={datasetId}
        stored={undefined}
        saved={saved}
        schemas={schemas}
        readOnly={!canEdit}
        onSaved={(id) => actions.change({ peek: id }, 'replace')}
      />
    )
  }
  return (
    <ExamplePanel
      tenant={tenant}
      datasetId={datasetId}
      exampleId={exampleId}
      asOf={asOf}
      schemas={schemas}
      readOnly={!canEdit}
      onDeleted={actions.closePeek}
    />
  )
}
