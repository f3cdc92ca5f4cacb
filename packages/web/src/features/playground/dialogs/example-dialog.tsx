import type { Example } from '@touchstone/sdk'
import { useMemo, useState } from 'react'
import type { ExampleRow } from '#features/datasets/examples/logic/example-rows.ts'
import { type ExamplesView, toExamplesView } from '#features/datasets/examples/queries.ts'
import { useExamples } from '#features/datasets/examples/use-examples.ts'
import { pluralize } from '#lib/format.ts'
import { DataGrid } from '#ui/data-grid.tsx'
import { Dialog } from '#ui/dialog.tsx'
import type { Column } from '#ui/grid-columns.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { DatasetPicker } from './dataset-picker.tsx'

interface ExampleDialogProps {
  /** The dataset that was chosen last; empty for none. */
  datasetId: string
  onChoose: (example: Example) => void
  onClose: () => void
}

/** Takes the values of the variables from a row of a dataset. */
export function ExampleDialog({ datasetId: initial, onChoose, onClose }: ExampleDialogProps) {
  const [datasetId, setDatasetId] = useState(initial)
  const [asOf, setAsOf] = useState('')
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Take a row of a dataset"
      description="Its fields become the values of the variables with their names, and its answers of tools are offered. Nothing runs."
      width="max-w-4xl"
    >
      <div className="flex flex-col gap-3">
        <DatasetPicker
          datasetId={datasetId}
          asOf={asOf}
          onDataset={(id) => {
            setDatasetId(id)
            setAsOf('')
          }}
          onVersion={setAsOf}
        />
        {datasetId !== '' && <Rows key={datasetId} datasetId={datasetId} asOf={asOf} onChoose={onChoose} />}
      </div>
    </Dialog>
  )
}

interface RowsProps extends Pick<ExampleDialogProps, 'onChoose'> {
  datasetId: string
  asOf: string
}

const COLUMNS: Column<ExampleRow>[] = [
  { id: 'index', header: '#', width: '56px', align: 'end', cell: ({ index }) => index + 1 },
  ...(['inputs', 'outputs', 'metadata'] as const).map(
    (side): Column<ExampleRow> => ({
      id: side,
      header: { inputs: 'Inputs', outputs: 'Reference outputs', metadata: 'Metadata' }[side],
      width: side === 'metadata' ? 'minmax(80px, 0.6fr)' : 'minmax(140px, 1.4fr)',
      cell: ({ example }) => <Preview value={example?.[side]} />,
    }),
  ),
]

const getRowId = ({ id }: ExampleRow) => id

/** The examples, of which only those in view are loaded. */
function Rows({ datasetId, asOf, onChoose }: RowsProps) {
  const view = useMemo<ExamplesView>(
    () => toExamplesView(datasetId, { sort: 'created', ...(asOf !== '' && { as_of: asOf }) }),
    [datasetId, asOf],
  )
  const { rows, count, error, retry, showRange } = useExamples(view)
  if (error !== undefined && error !== null) {
    return <ErrorState compact title="Could not load the rows" error={error} onRetry={retry} />
  }
  if (count === undefined) return <SkeletonRows rows={6} label="Loading the rows" />
  if (count === 0) return <p className="text-row text-warn">The dataset has no examples.</p>
  return (
    <>
      <div className="flex h-[44vh] min-h-48 flex-col overflow-hidden rounded-card border border-border">
        <DataGrid
          label="Rows"
          columns={COLUMNS}
          rows={rows}
          rowId={getRowId}
          rowHeight={32}
          total={count}
          card={({ index, example }) => (
            <div className="flex min-w-0 flex-col">
              <Preview value={example?.inputs} />
              <span className="text-fg-muted">
                <Preview value={example === undefined ? `Row ${index + 1}` : example.outputs} />
              </span>
            </div>
          )}
          onRange={showRange}
          onRowClick={({ example }) => example !== undefined && onChoose(example)}
        />
      </div>
      <p role="status" className="text-meta text-fg-muted">
        {pluralize(count, 'row')}
      </p>
    </>
  )
}

function Preview({ value }: { value: unknown }) {
  const text = value == null ? '' : JSON.stringify(value).slice(0, 300)
  return (
    <span dir="auto" title={text} className="block min-w-0 truncate font-mono text-meta">
      {text}
    </span>
  )
}
