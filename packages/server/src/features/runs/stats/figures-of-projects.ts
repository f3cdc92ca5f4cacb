import { RunConditions, type RunFacet, type RunStats } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { sql } from '../../../storage/analytics/sql.ts'
import { feedbackStatsByOwner } from '../../feedback/index.ts'
import { readFacetList } from './facets.ts'
import { type FigureRow, figureColumns } from './figures.ts'
import { matchedRuns, ratedRuns } from './matched-runs.ts'
import { presentFigures } from './present-stats.ts'

type FiguresDeps = Pick<Deps, 'analytics'>

type Cost = 'total_cost' | 'prompt_cost' | 'completion_cost'

/** Costs with all their digits, as projects have them. */
export type ProjectFigures = Omit<RunStats, Cost> & { readonly [Name in Cost]: string | null }

/** Which roots count. */
export interface RootsWanted {
  readonly filter?: string | undefined
  /** Only those that started then or later. */
  readonly since?: string | undefined
}

/** Figures over the roots of projects that satisfy a filter, by project id, in one query; a project without is absent. */
export async function readFiguresOfProjects(
  deps: FiguresDeps,
  tenantId: string,
  projectIds: readonly string[],
  wanted: RootsWanted,
): Promise<Map<string, ProjectFigures>> {
  if (projectIds.length === 0) return new Map()
  const roots = rootsOf(projectIds, wanted)
  const groups = sql`[toNullable(toString(session_id))]`
  const matched = matchedRuns(tenantId, roots, { groups })
  const owners = sql`
    select run_id as id, assumeNotNull(groups[1]) as owner from (${ratedRuns(tenantId, roots, groups)})`
  const [rows, feedback] = await Promise.all([
    deps.analytics.query<FigureRow & { of_project: string }>(sql`
      select assumeNotNull(groups[1]) as of_project, ${figureColumns(false)}
      from (${matched})
      group by of_project`),
    feedbackStatsByOwner(deps, tenantId, owners),
  ])
  return new Map(
    rows.map((row) => [
      row.of_project,
      {
        ...presentFigures(row),
        total_cost: row.sum_total_cost,
        prompt_cost: row.sum_prompt_cost,
        completion_cost: row.sum_completion_cost,
        feedback_stats: feedback.get(row.of_project) ?? {},
      },
    ]),
  )
}

/** The most frequent values among the roots of a project. */
export async function readFacetsOfProject(
  deps: FiguresDeps,
  tenantId: string,
  projectId: string,
  wanted: RootsWanted,
): Promise<RunFacet[]> {
  return readFacetList(deps, tenantId, rootsOf([projectId], wanted))
}

function rootsOf(projectIds: readonly string[], { filter, since }: RootsWanted): RunConditions {
  return RunConditions.parse({ session: projectIds, is_root: true, filter, start_time: since })
}
