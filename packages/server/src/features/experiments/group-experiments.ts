import { type GroupedExperimentsQuery, ProjectListQuery } from '@touchstone/contract'
import { addRawMembers, joinObjects } from '@touchstone/formats/write-object'
import { appendTo } from '../../append-to.ts'
import type { Deps } from '../../deps.ts'
import { sql, texts, uuids } from '../../storage/analytics/sql.ts'
import { getDataset } from '../datasets/index.ts'
import { type ListedProject, listProjects, presentProject, type StatsDeps } from '../projects/index.ts'
import { type GroupFigures, readGroupFigures } from './read-groups.ts'

type GroupDeps = Pick<Deps, 'relational' | 'analytics'> & StatsDeps

/**
 * Experiments over a dataset, grouped by the values of metadata keys, as JSON text. The group with the newest experiment
 * is first.
 *
 * @throws ApiError NOT_FOUND for an unknown dataset
 */
export async function groupExperiments(
  deps: GroupDeps,
  tenantId: string,
  datasetId: string,
  query: GroupedExperimentsQuery,
): Promise<string> {
  await getDataset(deps, tenantId, datasetId)
  const request = ProjectListQuery.parse({
    reference_dataset: [datasetId],
    dataset_version: query.dataset_version ?? undefined,
    filter: query.filter ?? undefined,
    name_contains: query.name_contains ?? undefined,
    include_stats: true,
    stats_start_time: query.stats_start_time ?? undefined,
  })
  const listed = await listProjects(deps, tenantId, { ...request, limit: query.experiment_limit })
  if (listed.length === 0) return '{"groups":[]}'
  const groups = new Map<string, ListedProject[]>()
  for (const one of listed) {
    appendTo(groups, printGroupKey(one, query.metadata_keys), one)
  }
  const figures = await readExperimentGroupFigures(deps, tenantId, [...groups.values()], query.stats_start_time)
  const printed = Array.from(groups, ([key, members], at) => presentGroup(key, members, figures.get(String(at))))
  return `{"groups":[${printed.join(',')}]}`
}

/** JSON text of the values, null for a missing key. Equal values give equal texts. */
function printGroupKey({ row }: ListedProject, keys: readonly string[]): string {
  const metadata = row.metadata as Record<string, unknown>
  const printValue = (key: string) => JSON.stringify(Object.hasOwn(metadata, key) ? metadata[key] : null)
  return `{${[...new Set(keys)].map((key) => `${JSON.stringify(key)}:${printValue(key)}`).join(',')}}`
}

/** Quantiles of a group cannot be computed from those of its experiments, so they are computed from the runs. */
function readExperimentGroupFigures(
  deps: GroupDeps,
  tenantId: string,
  groups: readonly (readonly ListedProject[])[],
  since: string | null | undefined,
): Promise<Map<string, GroupFigures>> {
  const members = groups.flatMap((group, at) => group.map(({ row }) => ({ id: row.id, number: String(at) })))
  const sessionIds = members.map(({ id }) => id)
  const group = sql`nullIf(transform(session_id, ${uuids(sessionIds)}, ${texts(members.map((one) => one.number))}, ''), '')`
  return readGroupFigures(deps, tenantId, { sessionIds, since, group })
}

function presentGroup(key: string, members: readonly ListedProject[], figures: GroupFigures | undefined): string {
  const all = figures?.all
  const rest = {
    session_count: members.length,
    run_count: all?.count ?? 0,
    feedback_stats: all?.feedback_stats ?? {},
    latency_p50: all?.latency_p50 ?? null,
    latency_p99: all?.latency_p99 ?? null,
    error_rate: all?.error_rate ?? null,
    total_tokens: all?.total_tokens ?? 0,
    total_cost: all?.total_cost ?? null,
    reported_cost: all?.reported_cost ?? null,
    unpriced_fees: all?.unpriced_fees ?? null,
    min_start_time: all?.min_start_time ?? null,
    max_start_time: all?.max_start_time ?? null,
  }
  const sessions = members.map(({ row, stats }) => presentProject(row, stats))
  return joinObjects(`{"group_key":${key}}`, addRawMembers(rest, { sessions: `[${sessions.join(',')}]` }))
}
