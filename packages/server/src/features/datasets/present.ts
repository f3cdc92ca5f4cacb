import type { Dataset } from '@touchstone/contract'
import { addRawMembers } from '../../json/write-object.ts'
import type { DatasetView } from './store.ts'

type Spliced = 'inputs_schema_definition' | 'outputs_schema_definition' | 'transformations' | 'metadata'

/** A dataset as JSON text; schemas and metadata are spliced in as they came. */
export function presentDataset(
  { row, sessionCount, lastSessionStartTime }: DatasetView,
  { withoutCount = false }: { readonly withoutCount?: boolean } = {},
): string {
  const dataset: Omit<Dataset, Spliced> = {
    id: row.id,
    tenant_id: row.tenant_id,
    name: row.name,
    description: row.description,
    created_at: row.created_at,
    modified_at: row.modified_at,
    data_type: row.data_type as Dataset['data_type'],
    externally_managed: row.externally_managed,
    example_count: withoutCount ? null : row.example_count,
    session_count: sessionCount,
    last_session_start_time: lastSessionStartTime,
    baseline_experiment_id: row.baseline_experiment_id,
  }
  const raw: Record<Spliced, string | null> = {
    inputs_schema_definition: row.inputs_schema,
    outputs_schema_definition: row.outputs_schema,
    transformations: row.transformations,
    metadata: row.metadata,
  }
  return addRawMembers(dataset, raw)
}
