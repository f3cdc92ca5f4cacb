import type { GroupedRunsQuery } from '@touchstone/contract'
import { addRawMembers } from '../../json/write-object.ts'
import { findExamples } from '../datasets/examples/index.ts'
import type { RunViewDeps } from '../runs/index.ts'
import { figuresOfGroups, type GroupFigures } from './figures-of-groups.ts'
import { listIds, matchingExamples } from './find-page.ts'
import { getExperiments } from './get-experiments.ts'
import { filterOfGroup, groupOf, keyOfGroup, listMembers, listRunsOfGroups } from './group-examples.ts'
import { fieldsOf, presentExampleRuns, presentRatedRun } from './present.ts'
import { type ExampleRuns, readExamplesWithRuns } from './read-examples-with-runs.ts'
import { sessionsIn } from './read-runs.ts'

const DEFAULT_LIMIT = 10

/**
 * A page of groups of examples, those with the most runs first, as JSON text: figures over all of a group, and its first
 * examples with the runs that belong to it.
 *
 * @throws ApiError NOT_FOUND for an unknown dataset or session, INVALID_REQUEST for a session over another dataset
 */
export async function readGroups(
  deps: RunViewDeps,
  tenantId: string,
  datasetId: string,
  query: GroupedRunsQuery,
): Promise<string> {
  const { session_ids: sessionIds, example_ids } = query
  const experiments = await getExperiments(deps, tenantId, datasetId, sessionsIn(query))
  const matching = await matchingExamples(deps, tenantId, { filters: query.filters, exampleIds: example_ids })
  const ids = (await listIds(deps, tenantId, datasetId, { exampleIds: example_ids })).filter(
    (id) => matching?.has(id) ?? true,
  )
  const narrowed = matching || example_ids ? ids : undefined
  if (ids.length === 0) return '{"groups":[]}'

  const group = await groupOf(deps, tenantId, datasetId, query)
  const members = await listMembers(deps, tenantId, sessionIds, narrowed, group)
  const figures = await figuresOfGroups(deps, tenantId, { sessionIds, exampleIds: narrowed, group })
  const from = query.offset ?? 0
  const page = [...figures]
    .sort(([one, { all }], [other, { all: others }]) => others.count - all.count || (one < other ? -1 : 1))
    .slice(from, from + (query.limit ?? DEFAULT_LIMIT))
  const shown = page.map(([value]) => {
    const isMember = members.get(value) ?? new Set()
    return ids.filter((id) => isMember.has(id)).slice(0, query.per_group_limit)
  })
  const shownIds = [...new Set(shown.flat())]
  const examples = await readShown(deps, tenantId, datasetId, query, shownIds)
  const runsOf = await listRunsOfGroups(deps, tenantId, sessionIds, shownIds, group)

  const fields = fieldsOf(query.preview === true)
  const texts = page.map(([value, of], at) => {
    const isOfGroup = runsOf.get(value) ?? new Set()
    const inGroup = shown[at]!.flatMap((id) => examples.get(id) ?? []).map(({ example, runs }) => ({
      example,
      runs: runs.filter(({ view }) => isOfGroup.has(view.row.id)),
    }))
    const printed = inGroup.map((one) => presentExampleRuns(one, (run) => presentRatedRun(run, fields)))
    const head = {
      group_key: keyOfGroup(value),
      filter: filterOfGroup(query, value),
      ...of.all,
      sessions: experiments.flatMap(({ id, name }) => presentSession(of, id, name)),
      example_count: members.get(value)?.size ?? 0,
    }
    return addRawMembers(head, { examples: `[${printed.join(',')}]` })
  })
  return `{"groups":[${texts.join(',')}]}`
}

function presentSession({ bySession }: GroupFigures, id: string, name: string) {
  const stats = bySession.get(id)
  return stats === undefined ? [] : [{ id, name, ...stats }]
}

async function readShown(
  deps: RunViewDeps,
  tenantId: string,
  datasetId: string,
  { session_ids, preview, comparative_experiment_id }: GroupedRunsQuery,
  ids: readonly string[],
): Promise<Map<string, ExampleRuns>> {
  if (ids.length === 0) return new Map()
  const found = await findExamples(deps, tenantId, { dataset: datasetId, id: [...ids], limit: ids.length })
  const wanted = {
    sessionIds: session_ids,
    fields: fieldsOf(preview === true),
    comparativeExperimentId: comparative_experiment_id,
  }
  const examples = new Map<string, ExampleRuns>()
  for await (const some of readExamplesWithRuns(deps, tenantId, found, wanted)) {
    for (const one of some) examples.set(one.example.id, one)
  }
  return examples
}
