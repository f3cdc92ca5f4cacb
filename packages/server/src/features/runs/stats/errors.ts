import type { RunErrors, RunErrorsQuery } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { ERROR_GROUP } from '../../../storage/analytics/error-expressions.ts'
import { literal, printedTime, sql, uint } from '../../../storage/analytics/sql.ts'
import { columns, count, text } from '../../../storage/rows.ts'
import { whereRuns } from '../index.ts'

const GROUP_ROW = columns({
  message: text,
  total: count,
  run_count: count,
  trace_count: count,
  first_seen: text,
  last_seen: text,
  id: text,
  trace_id: text,
  session_id: text,
  name: text,
  error: text,
})

/** Groups the failed runs of a query by the type and message of their error, the largest group first. */
export async function readErrors(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  query: RunErrorsQuery,
): Promise<RunErrors> {
  const rows = await analytics.query(
    sql`
    select message, count() over () as total, run_count, trace_count, first_seen, last_seen,
      latest.1 as id, latest.2 as trace_id, latest.3 as session_id, latest.4 as name, latest.5 as error
    from (
      select message, count() as run_count, uniqExact(trace) as trace_count,
        min(began) as first_seen, max(began) as last_seen, argMax(run, (began, run.1)) as latest
      from (
        select ${literal(ERROR_GROUP)} as message, start_time as began, trace_id as trace,
          (id, trace_id, session_id, name, error_line) as run
        from runs final
        where ${whereRuns(tenantId, query)} and error_line != ''
      )
      group by message
    )
    order by run_count desc, last_seen desc, message
    limit ${uint(query.limit)}`,
    GROUP_ROW,
  )
  return {
    total: rows[0]?.total ?? 0,
    groups: rows.map(({ message, run_count, trace_count, first_seen, last_seen, total: _, ...latest }) => ({
      message,
      run_count,
      trace_count,
      first_seen: printedTime(first_seen),
      last_seen: printedTime(last_seen),
      query: `eq(error_group, ${JSON.stringify(message)})`,
      latest,
    })),
  }
}
