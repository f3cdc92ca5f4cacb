import { RunConditions } from '@touchstone/contract'
import {
  type Fragment,
  join,
  literal,
  printedTime,
  sql,
  texts,
  time,
  uuid,
  uuids,
} from '../../storage/analytics/sql.ts'
import { columns, count, each, figure, nullable, pick, record, text } from '../../storage/rows.ts'
import { type RunCursor, type RunViewDeps, whereRuns } from '../runs/index.ts'

/** Selects turns: the root runs of traces that belong to threads. */
export interface Turns {
  readonly projectId: string
  /** Inclusive. */
  readonly from?: string | undefined
  /** Exclusive. */
  readonly until?: string | null | undefined
  /** Must hold for the root. */
  readonly filter?: string | null | undefined
  /** Must hold for the root as well. */
  readonly alsoFilter?: string | undefined
  /** Must hold for some run of the trace. */
  readonly treeFilter?: string | null | undefined
  /** These threads only. */
  readonly threadIds?: readonly string[] | undefined
}

/** Conditions of turns on rows of `runs`; a cursor continues a page of them, oldest first. */
export function whereTurns(tenantId: string, turns: Turns, cursor?: RunCursor): Fragment {
  const conditions = RunConditions.parse({
    session: [turns.projectId],
    is_root: true,
    start_time: turns.from,
    filter: turns.filter,
    search_filter: turns.alsoFilter,
    tree_filter: turns.treeFilter,
  })
  return join(
    [
      whereRuns(tenantId, { ...conditions, order: 'asc' }, cursor),
      turns.threadIds ? whereThreadIn(tenantId, turns.projectId, turns.threadIds) : sql`thread_id != ''`,
      ...(turns.until ? [sql`start_time < ${time(turns.until)}`] : []),
    ],
    '\n      and ',
  )
}

/**
 * With `final` the engine merges every row of a project before it filters by thread. The subquery without `final` reads
 * one column, but may find superseded rows, so the outer query repeats the condition. 20 ms instead of 200 ms for one
 * thread among 2 million runs.
 */
function whereThreadIn(tenantId: string, projectId: string, ids: readonly string[]): Fragment {
  const isOne = sql`thread_id in ${texts(ids)}`
  return sql`${isOne} and (session_id, start_time, id) in (
        select session_id, start_time, id from runs
        where tenant_id = ${uuid(tenantId)} and session_id = ${uuid(projectId)} and ${isOne})`
}

const TOKEN_COLUMNS = ['total_tokens', 'prompt_tokens', 'completion_tokens'] as const
const COST_COLUMNS = ['total_cost', 'prompt_cost', 'completion_cost', 'reported_cost', 'unpriced_fees'] as const
const DETAIL_COLUMNS = [
  'prompt_token_details',
  'completion_token_details',
  'prompt_cost_details',
  'completion_cost_details',
] as const

/** Usage columns of turns: tokens, costs and their details. */
export const USAGE_COLUMNS = [...TOKEN_COLUMNS, ...COST_COLUMNS, ...DETAIL_COLUMNS] as const
export type UsageColumn = (typeof USAGE_COLUMNS)[number]

/** Sums of the usage columns. Null where no run reports a value. */
export const USAGE_SUMS = {
  ...each(TOKEN_COLUMNS, nullable(count)),
  ...each(COST_COLUMNS, nullable(figure)),
  ...each(DETAIL_COLUMNS, record(figure)),
}

/** The selected sums of `sumUsageByThread`. */
export function readUsageByThread(
  { analytics }: Pick<RunViewDeps, 'analytics'>,
  tenantId: string,
  where: Fragment,
  selected: readonly UsageColumn[],
) {
  return analytics.query(
    sumUsageByThread(tenantId, where, selected),
    columns({ thread_id: text, ...pick(USAGE_SUMS, selected) }),
  )
}

/**
 * A select of `thread_id` and the sums of the columns over all runs of the turns. An llm run is not counted when a direct
 * child reports usage, because both report the same tokens. Threads without usage are absent.
 */
export function sumUsageByThread(tenantId: string, where: Fragment, columns: readonly UsageColumn[]): Fragment {
  return sumUsageBy('thread_id', tenantId, where, columns)
}

/** The same by `trace_id`. */
export function sumUsageByTrace(tenantId: string, where: Fragment, columns: readonly UsageColumn[]): Fragment {
  return sumUsageBy('trace_id', tenantId, where, columns)
}

function sumUsageBy(
  owner: 'thread_id' | 'trace_id',
  tenantId: string,
  where: Fragment,
  columns: readonly UsageColumn[],
): Fragment {
  return sql`
      select ${literal(owner)}, ${literal(columns.map(sumColumn).join(', '))}
      from (
        select trace_id, repeated, arrayJoin(used) as run
        from (
          select trace_id,
            groupArray((id, ${literal(columns.join(', '))})) as used,
            arrayIntersect(
              groupArrayIf(id, run_type = 'llm'),
              groupArrayIf(assumeNotNull(parent_run_id), parent_run_id is not null and total_tokens is not null)
            ) as repeated
          from trace_runs final
          where tenant_id = ${uuid(tenantId)} and trace_id in (select trace_id from runs final where ${where})
            and (total_tokens is not null or total_cost is not null)
          group by trace_id
        )
      ) as usage
      inner join (select trace_id, thread_id from runs final where ${where}) as turn using (trace_id)
      where not has(repeated, run.1)
      group by ${literal(owner)}`
}

/** In the tuple, the columns follow the id. */
function sumColumn(column: UsageColumn, at: number): string {
  return `${column.endsWith('_details') ? 'sumMap' : 'sum'}(run.${at + 2}) as ${column}`
}

/** Start of the first trace of each thread of a project, by thread id. Threads without traces are omitted. */
export async function selectThreadStarts(
  { analytics }: Pick<RunViewDeps, 'analytics'>,
  tenantId: string,
  projectId: string,
  threadIds: readonly string[],
): Promise<Map<string, string>> {
  if (threadIds.length === 0) return new Map()
  const rows = await analytics.query(
    sql`
    select thread_id, min(start_time) as first_start
    from runs final
    where ${whereTurns(tenantId, { projectId, threadIds })}
    group by thread_id`,
    columns({ thread_id: text, first_start: text }),
  )
  return new Map(rows.map((row) => [row.thread_id, printedTime(row.first_start)]))
}

/** Positions of traces in their thread, from 1, ordered by start time and id; by trace id. */
export async function readTurnNumbers(
  { analytics }: RunViewDeps,
  tenantId: string,
  projectId: string,
  threadId: string,
  traceIds: readonly string[],
): Promise<Map<string, number>> {
  if (traceIds.length === 0) return new Map()
  const rows = await analytics.query(
    sql`
    select trace_id, turn
    from (
      select trace_id, row_number() over (order by start_time, trace_id) as turn
      from runs final
      where ${whereTurns(tenantId, { projectId, threadIds: [threadId] })}
    )
    where trace_id in ${uuids(traceIds)}`,
    columns({ trace_id: text, turn: count }),
  )
  return new Map(rows.map((row) => [row.trace_id, row.turn]))
}
