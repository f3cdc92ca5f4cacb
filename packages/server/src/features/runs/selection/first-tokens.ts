import { sql, texts, uuid, uuids } from '../../../storage/analytics/sql.ts'
import type { RunView, RunViewDeps } from '../index.ts'

/**
 * The runs with the time of the first token of their whole subtree instead of their own.
 *
 * @param views  a page at most
 */
export async function withSubtreeFirstTokens(
  { analytics }: RunViewDeps,
  tenantId: string,
  views: readonly RunView[],
): Promise<RunView[]> {
  if (views.length === 0) return []
  const rows = views.map((view) => view.row)
  const traces = uuids(rows.map((row) => row.trace_id))
  // An empty path for roots matches every run of the trace, including runs whose dotted order does not start with the root's.
  const paths = texts(rows.map((row) => (row.id === row.trace_id ? '' : row.dotted_order)))
  const found = await analytics.query<{ id: string; first: string }>(sql`
    select wanted.1 as id, min(first_token_time) as first
    from (
      select dotted_order, first_token_time,
        arrayJoin(arrayFilter(one -> one.2 = trace_id, arrayZip(${uuids(rows.map((row) => row.id))}, ${traces}, ${paths}))) as wanted
      from trace_runs final
      where tenant_id = ${uuid(tenantId)} and trace_id in ${traces} and first_token_time is not null
    )
    where wanted.3 = '' or dotted_order = wanted.3 or startsWith(dotted_order, concat(wanted.3, '.'))
    group by id`)
  const firsts = new Map(found.map(({ id, first }) => [id, first]))
  return views.map((view) => ({
    ...view,
    row: { ...view.row, first_token_time: firsts.get(view.row.id) ?? null },
  }))
}
