import { RunConditions, type RunGroupStats } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { type Fragment, printedTime, sql } from '../../storage/analytics/sql.ts'
import { readFeedbackStatsByOwner } from '../feedback/index.ts'
import {
  type FigureRow,
  presentFigures,
  selectFigures,
  selectMatchedRuns,
  selectRatedRuns,
} from '../runs/stats/index.ts'

/** Figures of a group, and of each session in it. */
export interface GroupFigures {
  readonly all: RunGroupStats
  readonly bySession: ReadonlyMap<string, RunGroupStats>
}

export interface RunsOfGroups {
  readonly sessionIds: readonly string[]
  readonly exampleIds?: readonly string[] | undefined
  /** Only runs that started then or later. */
  readonly since?: string | null | undefined
  /** A nullable text over the columns of `runs`; null is no group. */
  readonly group: Fragment
}

/** Figures over the roots of experiments by group and session, with the usage of their traces; by the group's text. */
export async function figuresOfGroups(
  deps: Pick<Deps, 'analytics'>,
  tenantId: string,
  { sessionIds, exampleIds, since, group }: RunsOfGroups,
): Promise<Map<string, GroupFigures>> {
  const roots = RunConditions.parse({
    session: sessionIds,
    is_root: true,
    reference_example: exampleIds,
    start_time: since,
  })
  const groups = sql`[toNullable(toString(session_id)), ${group}]`
  const rated = selectRatedRuns(tenantId, roots, groups)
  const owners = sql`
    select run_id as id,
      arrayJoin([concat(' ', assumeNotNull(groups[2])), concat(assumeNotNull(groups[1]), ' ', assumeNotNull(groups[2]))]) as owner
    from (${rated}) where groups[2] is not null`
  const [rows, feedback] = await Promise.all([
    deps.analytics.query<FigureRow & { value: string; session: string; first_began: string }>(sql`
      select assumeNotNull(groups[2]) as value, assumeNotNull(groups[1]) as session, min(began) as first_began,
        ${selectFigures(false)}
      from (${selectMatchedRuns(tenantId, roots, { groups })})
      where groups[2] is not null
      group by grouping sets ((value), (value, session))`),
    readFeedbackStatsByOwner(deps, tenantId, owners),
  ])
  interface Found {
    all?: RunGroupStats
    readonly bySession: Map<string, RunGroupStats>
  }
  const found = new Map<string, Found>()
  for (const row of rows) {
    const stats = presentGroup(row, feedback.get(`${row.session} ${row.value}`) ?? {})
    const entry: Found = found.get(row.value) ?? { bySession: new Map() }
    // The rows of whole groups have no session.
    if (row.session === '') entry.all = stats
    else entry.bySession.set(row.session, stats)
    found.set(row.value, entry)
  }
  return found as Map<string, GroupFigures>
}

function presentGroup(
  row: FigureRow & { first_began: string },
  feedback_stats: RunGroupStats['feedback_stats'],
): RunGroupStats {
  const figures = presentFigures(row)
  return {
    count: figures.run_count!,
    total_tokens: figures.total_tokens!,
    prompt_tokens: figures.prompt_tokens!,
    completion_tokens: figures.completion_tokens!,
    total_cost: row.sum_total_cost,
    prompt_cost: row.sum_prompt_cost,
    completion_cost: row.sum_completion_cost,
    error_rate: figures.error_rate!,
    latency_p50: figures.latency_p50!,
    latency_p99: figures.latency_p99!,
    min_start_time: printedTime(row.first_began),
    max_start_time: figures.last_run_start_time!,
    feedback_stats,
  }
}
