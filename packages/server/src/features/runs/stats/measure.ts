import type { ChartMetric, RunConditions, RunGrouping } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { microsBetween } from '../../../storage/analytics/durations.ts'
import { type Fragment, literal, sql, text, uuid } from '../../../storage/analytics/sql.ts'
import { whereRuns } from '../where.ts'
import { fromRuns, planUsage, selectMatchedRuns, toGroups } from './matched-runs.ts'
import { NO_GROUPS, selectHead } from './own-usage.ts'
import { USER_OF_RUN } from './series-cells.ts'

/** What is measured of which runs. */
export interface Measure {
  readonly runs: RunConditions
  readonly metric: ChartMetric
  /** Of `feedback`. */
  readonly feedbackKey?: string | null | undefined
  /**
   * Conditions of a part of the runs, for a share of them: `runs` then measures 1 for each run of the part, and 0 for others.
   */
  readonly part?: RunConditions | undefined
  readonly groupBy?: RunGrouping | null | undefined
}

/**
 * A select with what charts show of a metric, before it is summed up: `began`, `groups`, `measured` (a number, null for a run
 * without it) and `distinct_value` (a text, of threads and users). One row per run; of feedback, per score.
 */
export async function selectMeasured(
  deps: Pick<Deps, 'analytics'>,
  tenantId: string,
  { runs, metric, feedbackKey, part, groupBy }: Measure,
): Promise<Fragment> {
  const groups = groupBy ? toGroups(groupBy) : undefined
  const ofHead = (measured: Fragment) => sql`
    select began, groups, ${measured} as measured, '' as distinct_value
    from (${selectHead(groups)} ${fromRuns(tenantId, runs, groups)})`
  switch (metric) {
    case 'runs':
      return part === undefined ? ofHead(literal('toNullable(toFloat64(1))')) : selectPart(tenantId, runs, part, groups)
    case 'errors':
    case 'error_rate':
      return ofHead(literal("toNullable(toFloat64(outcome = 'error'))"))
    case 'latency':
      return ofHead(toSeconds('ended'))
    case 'first_token':
      return ofHead(toSeconds('first_token'))
    case 'tokens':
    case 'cost': {
      const plan = await planUsage(deps, tenantId, runs)
      return sql`
        select began, groups, toFloat64(${literal(metric === 'cost' ? 'used_total_cost' : 'used_total_tokens')}) as measured,
          '' as distinct_value
        from (${selectMatchedRuns(tenantId, runs, { groups, plan })})`
    }
    case 'feedback':
      return sql`
        select began, groups, toFloat64(score) as measured, '' as distinct_value
        from (
          select id as run_id, start_time as began, ${groups ?? NO_GROUPS} as groups
          from runs final
          where ${whereRuns(tenantId, runs)} and id in (
            select run_id from run_feedback where tenant_id = ${uuid(tenantId)} and key = ${text(feedbackKey ?? '')})
        ) as rated
        inner join (
          select run_id, score from run_feedback final
          where tenant_id = ${uuid(tenantId)} and key = ${text(feedbackKey ?? '')} and score is not null
        ) as given using (run_id)`
    case 'threads':
    case 'users': {
      const value = metric === 'threads' ? literal("nullIf(thread_id, '')") : literal(USER_OF_RUN)
      return sql`
        select began, groups, toNullable(toFloat64(1)) as measured, assumeNotNull(found) as distinct_value
        from (
          select start_time as began, ${groups ?? NO_GROUPS} as groups, ${value} as found
          from runs final
          where ${whereRuns(tenantId, runs)}
        )
        where found is not null`
    }
  }
}

/** 1 for each run of a part of the runs. */
function selectPart(
  tenantId: string,
  runs: RunConditions,
  part: RunConditions,
  groups: Fragment = NO_GROUPS,
): Fragment {
  return sql`
    select start_time as began, ${groups} as groups,
      toNullable(toFloat64(ifNull(${whereRuns(tenantId, part)}, false))) as measured, '' as distinct_value
    from runs final
    where ${whereRuns(tenantId, runs)}`
}

const toSeconds = (end: string) =>
  literal(`if(${end} is null, null, assumeNotNull(${microsBetween('began', end)}) / 1000000)`)
