import { Link } from '@tanstack/react-router'
import type { Dataset, Example } from '@touchstone/sdk'
import { Suspense, useMemo, useState } from 'react'
import { createPreference, isNumber } from '#lib/preferences.ts'
import { lazyPart } from '#ui/lazy.tsx'
import { PEEK_LINK, PeekLinkLabel, PeekMoves, ResizablePeekPane } from '#ui/peek-pane.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { PaneBoundary, SkeletonRows } from '#ui/states.tsx'
import { Tooltip } from '#ui/tooltip.tsx'
import { startNewDraft } from '../examples/logic/example-draft.ts'
import { type ExamplesActions, NEW } from './use-examples-actions.ts'

const ExamplePanel = lazyPart(() => import('../examples/example-panel.tsx').then((module) => module.ExamplePanel))
const ExampleEditor = lazyPart(() => import('../examples/example-editor.tsx').then((module) => module.ExampleEditor))

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
  const { previous, next } = actions.neighbors ?? {}
  const move = (id: string | undefined) => () => actions.peek(id)
  useShortcuts('List', [
    { keys: 'shift+j', label: 'Next example in the panel', run: move(next) },
    { keys: 'shift+k', label: 'Previous example in the panel', run: move(previous) },
  ])
  const header =
    exampleId === NEW ? (
      <span className="px-1 text-row font-medium">New example</span>
    ) : (
      <>
        <PeekMoves noun="example" previous={previous} next={next} onMove={actions.peek} />
        <Tooltip label="Open the full page" keys="o">
          <Link
            to="/o/$tenant/datasets/$datasetId/e/$exampleId"
            params={{ tenant, datasetId, exampleId }}
            search={{ as_of: asOf }}
            className={PEEK_LINK}
          >
            <PeekLinkLabel>Open example</PeekLinkLabel>
          </Link>
        </Tooltip>
      </>
    )
  return (
    <ResizablePeekPane label="Example" width={widthPreference} min={30} onClose={actions.closePeek} header={header}>
      <PaneBoundary title="Could not show this example">
        <Suspense fallback={<SkeletonRows rows={8} label="Loading the example" />}>
          <PeekContent {...props} />
        </Suspense>
      </PaneBoundary>
    </ResizablePeekPane>
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
