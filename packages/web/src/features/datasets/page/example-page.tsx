import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { PaneBoundary } from '#ui/states.tsx'
import { DatasetFrame, useDataset } from '../dataset-frame.tsx'
import { ExamplePanel } from '../examples/example-panel.tsx'
import { VersionBanner } from './examples-state.tsx'

export interface ExamplePageProps {
  tenant: string
  datasetId: string
  exampleId: string
  /** Version of the dataset: a time or a tag. */
  asOf: string | undefined
}

/** One example with its history and its runs in all experiments. */
export function ExamplePage({ tenant, datasetId, exampleId, asOf }: ExamplePageProps) {
  const navigate = useNavigate({ from: '/o/$tenant/datasets/$datasetId/e/$exampleId' })
  const isMember = useMay('member')
  const { data: dataset } = useDataset(datasetId)
  const schemas = useMemo(
    () => ({ inputs: dataset?.inputs_schema_definition, outputs: dataset?.outputs_schema_definition }),
    [dataset],
  )
  const title = dataset === undefined ? undefined : `Example ${exampleId.slice(0, 8)} · ${dataset.name}`
  return (
    <DatasetFrame tenant={tenant} datasetId={datasetId} tab="examples" title={title}>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        {asOf !== undefined && <VersionBanner asOf={asOf} onLatest={() => void navigate({ search: {} })} />}
        <PaneBoundary title="Could not show this example">
          <ExamplePanel
            tenant={tenant}
            datasetId={datasetId}
            exampleId={exampleId}
            asOf={asOf}
            schemas={schemas}
            readOnly={!isMember || asOf !== undefined}
            onDeleted={() => void navigate({ to: '/o/$tenant/datasets/$datasetId', params: { tenant, datasetId } })}
          />
        </PaneBoundary>
      </div>
    </DatasetFrame>
  )
}
