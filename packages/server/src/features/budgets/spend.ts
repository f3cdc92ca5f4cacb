import type { BudgetScope, BudgetSpend } from '@touchstone/contract'
import { timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { type Fragment, join, literal, sql, text, texts, time, uuid } from '../../storage/analytics/sql.ts'
import { columns, count, figure, nullable } from '../../storage/rows.ts'
import { selectRepeated, USER_OF_RUN, whereUsageWindow } from '../runs/stats/index.ts'
import type { Span } from './period.ts'

const SPEND = columns({ spent: nullable(figure), calls: count, unpriced: count })

/**
 * Sums what the runs of a period cost. Each run counts with the usage that it reports itself, so that a call counts once; calls
 * without a price are counted, not guessed.
 */
export async function readSpend(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  scope: BudgetScope,
  { from, to }: Span,
): Promise<BudgetSpend> {
  const start = timeOfEpochMs(from)
  const end = timeOfEpochMs(to)
  const conditions = [
    sql`tenant_id = ${uuid(tenantId)}`,
    sql`start_time >= ${time(start)} and start_time < ${time(end)}`,
    sql`(total_cost is not null or run_type = 'llm')`,
    ...whereScope(tenantId, scope, from),
  ]
  const repeated = selectRepeated(whereUsageWindow(tenantId, { start_time: start, ...IN_ALL_PROJECTS }))
  const [row] = await analytics.query(
    sql`
    select toFloat64(sum(total_cost)) as spent, countIf(run_type = 'llm') as calls,
      countIf(run_type = 'llm' and total_cost is null) as unpriced
    from runs final
    where ${join(conditions)} and not (run_type = 'llm' and total_tokens is not null and id in (${repeated}))`,
    SPEND,
  )
  return {
    period_start: start,
    period_end: end,
    spent_usd: row?.spent ?? 0,
    calls: row?.calls ?? 0,
    unpriced_calls: row?.unpriced ?? 0,
  }
}

const IN_ALL_PROJECTS = { id: null, session: null, reference_example: null }

function whereScope(tenantId: string, scope: BudgetScope, from: number): Fragment[] {
  switch (scope.kind) {
    case 'workspace':
      return []
    case 'project':
      return [sql`session_id = ${uuid(scope.project_id)}`]
    case 'model':
      return [sql`model = ${text(scope.model)}`]
    case 'user':
      return [isOfTrace(tenantId, from, sql`${literal(USER_OF_RUN)} in ${toValues(scope.user)}`)]
    case 'metadata': {
      const has = sql`arrayExists(pair -> pair.1 = ${text(scope.key)} and has(${toValues(scope.value)}, pair.2), metadata)`
      return [isOfTrace(tenantId, from, has)]
    }
  }
}

/** Texts are stored with a leading quotation mark, numbers without. */
const toValues = (value: string) => texts([value, `"${value}`])

/** A run counts for its own metadata and for those of the root of its trace: most calls of models have none. */
function isOfTrace(tenantId: string, from: number, matches: Fragment): Fragment {
  return sql`(${matches} or trace_id in (
      select trace_id from runs final
      where tenant_id = ${uuid(tenantId)} and parent_run_id is null and ${matches}
        and start_time >= ${time(timeOfEpochMs(from - TRACE_MS))}))`
}

/** How long a trace lasts at most, to be counted whole. */
const TRACE_MS = 86_400_000
