import type { BulkAnswer, BulkSampleRun, RunConditions } from '@touchstone/contract'
import { printedTime, sql } from '../../storage/analytics/sql.ts'
import { type RunViewDeps, readRunViews, whereRuns } from '../runs/index.ts'

const SAMPLE_RUNS = 5
const SAMPLE_FIELDS = new Set(['inputs_preview', 'outputs_preview'])

/**
 * How many runs meet conditions, and the newest of them, for a person who is about to do something to all.
 *
 * @param withKeys  whether to tell which keys the payloads of the sample have
 */
export async function countRuns(
  deps: RunViewDeps,
  tenantId: string,
  conditions: RunConditions,
  withKeys: boolean,
): Promise<Pick<BulkAnswer, 'runs' | 'traces' | 'sample'>> {
  const where = whereRuns(tenantId, conditions)
  const page = { ...conditions, limit: SAMPLE_RUNS, order: 'desc' as const }
  const [counted, { views }] = await Promise.all([
    deps.analytics.query<{ runs: string; traces: string }>(sql`
      select count() as runs, uniqExact(trace_id) as traces from runs final where ${where}`),
    readRunViews(deps, tenantId, where, SAMPLE_FIELDS, page),
  ])
  const ids = views.map(({ row }) => row.id)
  const keys = withKeys && ids.length > 0 ? await readKeys(deps, tenantId, conditions, ids) : undefined
  const sample = views.map(({ row }): BulkSampleRun => {
    const { id, trace_id, name, run_type, status, inputs_preview, outputs_preview } = row
    return {
      id,
      trace_id,
      name,
      run_type,
      status,
      start_time: printedTime(row.start_time),
      inputs_preview: inputs_preview || null,
      outputs_preview: outputs_preview || null,
      ...keys?.get(id),
    }
  })
  return { runs: Number(counted[0]!.runs), traces: Number(counted[0]!.traces), sample }
}

type Keys = Required<Pick<BulkSampleRun, 'input_keys' | 'output_keys'>>

async function readKeys(
  deps: RunViewDeps,
  tenantId: string,
  conditions: RunConditions,
  ids: string[],
): Promise<Map<string, Keys>> {
  const rows = await deps.analytics.query<Keys & { id: string }>(sql`
    select toString(id) as id, JSONExtractKeys(inputs) as input_keys, JSONExtractKeys(outputs) as output_keys
    from runs final where ${whereRuns(tenantId, { ...conditions, id: ids })}`)
  return new Map(rows.map(({ id, ...keys }) => [id, keys]))
}
