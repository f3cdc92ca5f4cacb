import { Plus } from 'lucide-react'
import { Suspense, useMemo, useRef } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { Button } from '#ui/button.tsx'
import type { GridHandle } from '#ui/data-grid.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { PaneBoundary } from '#ui/states.tsx'
import { DatasetFrame, useDataset } from '../dataset-frame.tsx'
import { listKeys, toShownColumns } from '../examples/logic/columns.ts'
import { readExampleIds, toExamplesView } from '../examples/queries.ts'
import { useExamples } from '../examples/use-examples.ts'
import type { ExamplesSearch } from '../search.ts'
import { RestoreVersion } from '../versions/version-dialogs.tsx'
import { ExamplesBulkBar } from './examples-bulk-bar.tsx'
import { ExamplesGrid } from './examples-grid.tsx'
import { ExamplesState, ExamplesStatus, VersionBanner } from './examples-state.tsx'
import { ExamplesToolbar, FileActions } from './examples-toolbar.tsx'
import { useExamplesActions } from './use-examples-actions.ts'

const ExamplePeek = lazyExtra(() => import('./example-peek.tsx').then((module) => module.ExamplePeek))

export interface ExamplesPageProps {
  tenant: string
  datasetId: string
  search: ExamplesSearch
}

/** The examples of a dataset at one version; only the newest version can be edited. */
export function ExamplesPage({ tenant, datasetId, search }: ExamplesPageProps) {
  const { data: dataset } = useDataset(datasetId)
  const isMember = useMay('member')
  const canEdit = isMember && search.as_of === undefined
  const { q, filter, split, as_of, sort } = search
  const view = useMemo(
    () => toExamplesView(datasetId, { q, filter, split, as_of, sort }),
    [datasetId, q, filter, split, as_of, sort],
  )
  const examples = useExamples(view)
  const grid = useRef<GridHandle>(null)
  const searchField = useRef<HTMLInputElement>(null)
  const keys = useMemo(
    () =>
      listKeys(examples.first ?? [], {
        inputs: dataset?.inputs_schema_definition,
        outputs: dataset?.outputs_schema_definition,
      }),
    [examples.first, dataset],
  )
  const columnIds = useMemo(() => toShownColumns(search.cols, keys), [search.cols, keys])
  const actions = useExamplesActions({ tenant, datasetId, search, examples, grid, searchField, canEdit, columnIds })
  const { selectedIds } = actions.selection
  return (
    <DatasetFrame
      tenant={tenant}
      datasetId={datasetId}
      tab="examples"
      actions={
        <>
          {dataset && <FileActions dataset={dataset} search={search} />}
          {as_of === undefined && (
            <Button
              look="primary"
              disabled={!canEdit}
              title={canEdit ? undefined : READ_ONLY}
              onClick={actions.addExample}
            >
              <Plus size={13} aria-hidden />
              <span className="max-sm:sr-only">New example</span>
            </Button>
          )}
        </>
      }
      toolbar={
        <ExamplesToolbar
          datasetId={datasetId}
          search={search}
          onChange={actions.change}
          columns={columnIds}
          keys={keys}
          searchField={searchField}
        />
      }
      status={<ExamplesStatus examples={examples} selected={selectedIds.size} search={search} />}
    >
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        {as_of !== undefined && (
          <VersionBanner asOf={as_of} onLatest={() => actions.change({ as_of: undefined })}>
            {isMember && <RestoreVersion datasetId={datasetId} asOf={as_of} />}
          </VersionBanner>
        )}
        <PaneBoundary title="Could not show the examples">
          <ExamplesState dataset={dataset} search={search} examples={examples} onChange={actions.change} />
          {examples.rows.length > 0 && (
            <ExamplesGrid
              gridRef={grid}
              search={search}
              examples={examples}
              actions={actions}
              columnIds={columnIds}
              canEdit={canEdit}
              dataset={dataset}
            />
          )}
        </PaneBoundary>
        {canEdit && selectedIds.size > 0 && (
          <ExamplesBulkBar
            datasetId={datasetId}
            ids={[...selectedIds]}
            count={examples.count ?? 0}
            metadataKeys={keys.metadata}
            onSelectAll={async () => actions.selectIds(await readExampleIds(view, examples.count ?? 0))}
            onClear={actions.clearSelection}
          />
        )}
      </div>
      <Suspense>
        {search.peek !== undefined && (
          <ExamplePeek
            tenant={tenant}
            datasetId={datasetId}
            dataset={dataset}
            exampleId={search.peek}
            asOf={as_of}
            template={examples.first?.[0]}
            canEdit={canEdit}
            actions={actions}
          />
        )}
      </Suspense>
    </DatasetFrame>
  )
}
