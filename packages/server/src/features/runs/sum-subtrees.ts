import type { Deps } from '../../deps.ts'
import { literal, sql, texts, uuid, uuids } from '../../storage/analytics/sql.ts'
import { presentTotals, type SubtreeTotals, type TraceMember, type Usage, type UsageColumn } from './subtree-totals.ts'

/**
 * Sums usage below each of the given runs, in one query over the narrow table that keeps traces together. An llm run
 * whose direct child reports usage of its own only repeats it, and is not counted.
 *
 * @param runs    a page at most
 * @param columns  at least one
 * @returns totals by run id; absent where nothing below a run has usage
 */
export async function sumSubtrees(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  runs: readonly TraceMember[],
  columns: readonly UsageColumn[],
): Promise<Map<string, SubtreeTotals>> {
  const ids = uuids(runs.map((run) => run.id))
  const traceOf = uuids(runs.map((run) => run.trace_id))
  // The path of a root is empty here: it fits every run of the trace, also those whose own path is not below it.
  const paths = texts(runs.map((run) => (run.id === run.trace_id ? '' : run.dotted_order)))
  // The table is read once: a second read for the repeated runs, or a join, would cost as much again as all of this.
  const rows = await analytics.query<Usage & { readonly id: string }>(sql`
    select wanted.1 as id, ${literal(columns.map(sumOf).join(', '))}
    from (
      select repeated, arrayJoin(used) as run,
        arrayJoin(arrayFilter(one -> one.2 = trace_id, arrayZip(${ids}, ${traceOf}, ${paths}))) as wanted
      from (
        select trace_id,
          groupArray((id, dotted_order, ${literal(columns.join(', '))})) as used,
          arrayIntersect(
            groupArrayIf(id, run_type = 'llm'),
            groupArrayIf(assumeNotNull(parent_run_id), parent_run_id is not null and total_tokens is not null)
          ) as repeated
        from trace_runs final
        where tenant_id = ${uuid(tenantId)} and trace_id in ${uuids([...new Set(runs.map((run) => run.trace_id))])}
          and (total_tokens is not null or total_cost is not null)
        group by trace_id
      )
    )
    where not has(repeated, run.1)
      and (wanted.3 = '' or run.2 = wanted.3 or startsWith(run.2, concat(wanted.3, '.')))
    group by id`)
  return new Map(rows.map((row) => [row.id, presentTotals(row)]))
}

/** Column `at` of the selected ones stands after the id and the path in its tuple. */
function sumOf(column: string, at: number): string {
  return `${column.endsWith('_details') ? 'sumMap' : 'sum'}(run.${at + 3}) as ${column}`
}
