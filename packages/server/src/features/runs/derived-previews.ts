import type { DerivedPayloads } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { sql, uuid, uuids } from '../../storage/analytics/sql.ts'
import { columns, type RowOf, text } from '../../storage/rows.ts'
import type { RunRow } from './run-row.ts'

/** What stands for the inputs or outputs that a root did not record. */
export interface DerivedPreviews extends DerivedPayloads {
  readonly inputsPreview: string
  readonly outputsPreview: string
}

const CALLS = columns({ trace_id: text, first: text, last: text })
const PREVIEWS = columns({ id: text, inputs_preview: text, outputs_preview: text })
const NONE = '00000000-0000-0000-0000-000000000000'

/**
 * Finds the first and the last call of a model in the traces of roots that recorded no inputs or no outputs, as many
 * instrumentations send them. When they are read, so that calls that arrive later count.
 *
 * @returns by id of the root
 * @see docs/decisions/0108-payloads-of-a-root-are-derived.md
 */
export async function readDerivedPreviews(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  rows: readonly RunRow[],
): Promise<ReadonlyMap<string, DerivedPreviews>> {
  const roots = rows.filter((row) => row.parent_run_id === null && !(row.inputs_preview && row.outputs_preview))
  if (roots.length === 0) return new Map()
  const tenant = uuid(tenantId)
  const calls = await analytics.query(
    sql`
      select trace_id, argMinIf(id, (start_time, id), inputs_bytes > 0) as first,
        argMaxIf(id, (ifNull(end_time, start_time), id), outputs_bytes > 0) as last
      from trace_runs final
      where tenant_id = ${tenant} and trace_id in ${uuids([...new Set(roots.map((row) => row.trace_id))])}
        and run_type = 'llm' and parent_run_id is not null
      group by trace_id`,
    CALLS,
  )
  const ids = new Set(calls.flatMap(({ first, last }) => [first, last]).filter((id) => id !== NONE))
  if (ids.size === 0) return new Map()
  const found = await analytics.query(
    sql`
      select id, inputs_preview, outputs_preview
      from runs final
      where tenant_id = ${tenant} and (session_id, start_time, id) in (
          select session_id, start_time, id from run_keys final where tenant_id = ${tenant} and id in ${uuids([...ids])})`,
    PREVIEWS,
  )
  const byTrace = new Map(calls.map((row) => [row.trace_id, row]))
  const previews = new Map(found.map((row) => [row.id, row]))
  return new Map(
    roots.flatMap((root) => {
      const { first, last } = byTrace.get(root.trace_id) ?? { first: NONE, last: NONE }
      const derived = derive(root, previews.get(first), previews.get(last))
      return derived === undefined ? [] : [[root.id, derived]]
    }),
  )
}

type Call = RowOf<typeof PREVIEWS>

function derive(root: RunRow, first: Call | undefined, last: Call | undefined): DerivedPreviews | undefined {
  const inputs = root.inputs_preview ? undefined : first
  const outputs = root.outputs_preview ? undefined : last
  if (inputs === undefined && outputs === undefined) return undefined
  return {
    inputs: inputs?.id ?? null,
    outputs: outputs?.id ?? null,
    inputsPreview: inputs?.inputs_preview ?? '',
    outputsPreview: outputs?.outputs_preview ?? '',
  }
}
