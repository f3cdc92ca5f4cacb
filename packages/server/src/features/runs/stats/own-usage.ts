import { type RunConditions, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { REPORTED_COST } from '../../../storage/analytics/migrations/0039-reported-costs.ts'
import { UNPRICED_FEES } from '../../../storage/analytics/migrations/0043-unpriced-fees.ts'
import { type Fragment, literal, sql, time, uuid, uuids } from '../../../storage/analytics/sql.ts'
import { COUNT_ROW } from '../../../storage/rows.ts'
import { selectRepeated } from '../usage-rows.ts'
import { whereRuns } from '../where.ts'

/** Usage columns of a matched run; unknown values are null. */
export const USAGE = [
  'total_tokens',
  'prompt_tokens',
  'completion_tokens',
  'total_cost',
  'prompt_cost',
  'completion_cost',
  'reported_cost',
  'unpriced_fees',
] as const

export const USAGE_DETAILS = [
  'prompt_token_details',
  'completion_token_details',
  'prompt_cost_details',
  'completion_cost_details',
] as const

/** The projects of a query. */
export function whereProjects(tenantId: string, { session }: RunConditions): Fragment {
  const tenant = sql`tenant_id = ${uuid(tenantId)}`
  const [first, ...others] = session ?? []
  if (first === undefined) return tenant
  return others.length === 0
    ? sql`${tenant} and session_id = ${uuid(first)}`
    : sql`${tenant} and session_id in ${uuids([first, ...others])}`
}

/** How far the clocks of senders may differ. */
export const CLOCK_TOLERANCE_MS = 24 * 60 * 60 * 1000

/**
 * The condition on rows that may have usage of the runs of a query: from one day before the start of the window, because
 * descendants start after their run, with a day of tolerance for clock differences.
 */
export function whereUsageWindow(tenantId: string, query: RunConditions): Fragment {
  const from = query.start_time ? Date.parse(query.start_time) - CLOCK_TOLERANCE_MS : Number.NaN
  return from > 0
    ? sql`${whereProjects(tenantId, query)} and start_time >= ${time(timeOfEpochMs(from))}`
    : whereProjects(tenantId, query)
}

export const NO_GROUPS = literal('[]')

/** The columns of a matched run without its usage. */
export function selectHead(groups: Fragment = NO_GROUPS): Fragment {
  return sql`
      select id as run_id, start_time as began, end_time as ended, first_token_time as first_token, status as outcome,
        ${groups} as groups`
}

interface OwnUsageOptions {
  readonly groups: Fragment | undefined
  readonly columns: readonly string[]
  readonly prefix: string
  /** Whether usage may repeat that of a child. */
  readonly mayRepeat: boolean
}

/** Whether some usage may repeat other usage; without any, no run needs to be compared with its children. */
export async function mayUsageRepeat(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  query: RunConditions,
): Promise<boolean> {
  const rows = await analytics.query(
    sql`select 1 as n from project_usage where ${whereUsageWindow(tenantId, query)} and may_repeat limit 1`,
    COUNT_ROW,
  )
  return rows.length > 0
}

/** The runs of a query with the usage that they report themselves, in columns with the prefix. */
export function selectOwnUsage(
  tenantId: string,
  query: RunConditions,
  { groups, columns, prefix, mayRepeat }: OwnUsageOptions,
): Fragment {
  const where = whereRuns(tenantId, query)
  if (!mayRepeat) {
    const list = columns.map((column) => `${ofRun(column)} as ${prefix}_${column}`).join(', ')
    return sql`${selectHead(groups)}, ${literal(list)} from runs final where ${where}`
  }
  const none = (column: string) => (isDetail(column) ? `mapFilter((k, v) -> false, ${column})` : 'null')
  const used = columns.map((column) => `if(repeats, ${none(column)}, ${ofRun(column)}) as ${prefix}_${column}`)
  return sql`${selectHead(groups)},
        run_type = 'llm' and total_tokens is not null and id in (${selectRepeated(whereUsageWindow(tenantId, query))}) as repeats,
        ${literal(used.join(', '))}
      from runs final
      where ${where}`
}

/** A usage column over `runs`, where some are no columns of their own. */
const ofRun = (column: string) => EXPRESSIONS[column] ?? column

const EXPRESSIONS: Readonly<Record<string, string>> = { reported_cost: REPORTED_COST, unpriced_fees: UNPRICED_FEES }

export const isDetail = (column: string) => column.endsWith('_details')
