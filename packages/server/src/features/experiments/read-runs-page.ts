import type { ExperimentRunsQuery } from '@touchstone/contract'
import type { Share } from '../attachments/index.ts'
import type { FoundExamples } from '../datasets/examples/index.ts'
import type { RunViewDeps } from '../runs/index.ts'
import { type ExampleSelection, findPage, getExperiments } from './find-page.ts'
import { presentExampleRuns, presentRatedRun, toFields } from './present.ts'
import { readExamplesWithRuns } from './read-examples-with-runs.ts'

const DEFAULT_LIMIT = 10

/**
 * A page of examples with their runs, as JSON texts, some at a time.
 *
 * @param share  the public link through which they are read; URLs of attachments end with it
 * @throws ApiError NOT_FOUND for an unknown dataset or session, INVALID_REQUEST for a session over another dataset
 */
export async function* readRunsPage(
  deps: RunViewDeps,
  tenantId: string,
  datasetId: string,
  query: ExperimentRunsQuery,
  share?: Share,
): AsyncGenerator<string[]> {
  await getExperiments(deps, tenantId, datasetId, getSessionIds(query))
  const page = await findPage(deps, tenantId, datasetId, toExampleSelection(query), {
    offset: query.offset ?? 0,
    limit: query.limit ?? DEFAULT_LIMIT,
  })
  yield* presentPage(deps, tenantId, page, query, share)
}

/** Examples with their runs, as JSON texts, some at a time. */
export async function* presentPage(
  deps: RunViewDeps,
  tenantId: string,
  page: FoundExamples,
  { session_ids, preview, comparative_experiment_id }: ExperimentRunsQuery,
  share?: Share,
): AsyncGenerator<string[]> {
  const fields = toFields(preview === true)
  const wanted = { sessionIds: session_ids, fields, comparativeExperimentId: comparative_experiment_id, share }
  for await (const some of readExamplesWithRuns(deps, tenantId, page, wanted)) {
    yield some.map((one) => presentExampleRuns(one, (run) => presentRatedRun(run, fields)))
  }
}

/** Sessions that a query speaks of; a filter may name one that is not shown. */
export function getSessionIds({
  session_ids,
  filters,
}: Pick<ExperimentRunsQuery, 'session_ids' | 'filters'>): string[] {
  return [...new Set([...session_ids, ...Object.keys(filters ?? {})])]
}

export function toExampleSelection(query: ExperimentRunsQuery): ExampleSelection {
  const { session_ids, filters, example_ids, comparative_experiment_id, sort_params } = query
  return {
    sessionIds: session_ids,
    filters,
    exampleIds: example_ids,
    comparativeExperimentId: comparative_experiment_id,
    sort: sort_params ? toSort(sort_params.sort_by, sort_params.sort_order) : undefined,
  }
}

export function toSort(by: string, order: 'ASC' | 'DESC' | null | undefined): NonNullable<ExampleSelection['sort']> {
  return { key: by.slice('feedback.'.length), isDescending: order !== 'ASC' }
}
