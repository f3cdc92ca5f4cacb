import { type ExperimentRunsQuery, type ExperimentRunsV2Query, parseTime } from '@touchstone/contract'
import { decodeCursor, encodeCursor } from '../../http/cursor.ts'
import { RawJson } from '../../http/serve.ts'
import type { Share } from '../attachments/index.ts'
import type { FoundExamples } from '../datasets/examples/index.ts'
import { getDataset } from '../datasets/index.ts'
import type { RunViewDeps } from '../runs/index.ts'
import { presentSelectedRun, toRunFields, toRunSelects } from '../runs/selection/index.ts'
import { type ExampleSelection, findExperiments, findPage } from './find-page.ts'
import { presentExampleRuns, presentRatedRun, toFields } from './present.ts'
import { readExamplesWithRuns } from './read-examples-with-runs.ts'

const DEFAULT_LIMIT = 10

export interface RunsPageOptions {
  /** The public link through which they are read; attachment URLs expire with it. */
  readonly share?: Share
  /** Called with the ids of the sessions that do not exist, before the first batch. */
  readonly onMissing?: (sessionIds: readonly string[]) => void
}

/**
 * Yields a page of examples with their runs, as JSON texts, in batches. Sessions that do not exist are left out.
 *
 * @throws ApiError NOT_FOUND for an unknown dataset, or when no session exists; INVALID_REQUEST for a session over another
 *   dataset
 */
export async function* readRunsPage(
  deps: RunViewDeps,
  tenantId: string,
  datasetId: string,
  given: ExperimentRunsQuery,
  { share, onMissing }: RunsPageOptions = {},
): AsyncGenerator<string[]> {
  const { experiments, missingIds } = await findExperiments(deps, tenantId, datasetId, given.session_ids, given.filters)
  if (missingIds.length > 0) onMissing?.(missingIds)
  const query = { ...given, session_ids: experiments.map(({ id }) => id) }
  const page = await findPage(deps, tenantId, datasetId, toExampleSelection(query), {
    offset: query.offset ?? 0,
    limit: query.limit ?? DEFAULT_LIMIT,
  })
  yield* presentPage(deps, tenantId, page, query, share)
}

/** Yields examples with their runs, as JSON texts, in batches. */
async function* presentPage(
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

function toSort(by: string, order: 'ASC' | 'DESC' | null | undefined): NonNullable<ExampleSelection['sort']> {
  return { key: by.slice('feedback.'.length), isDescending: order !== 'ASC' }
}

/**
 * A page of examples with their runs, in the format of generated clients. All pages use the dataset version of the first
 * page, so that no example is missed or shown twice while examples change. Sessions that do not exist are left out.
 *
 * @param origin  origin of this server, the start of URLs
 * @throws ApiError NOT_FOUND for an unknown dataset, or when no session exists; INVALID_REQUEST for a foreign cursor
 */
export async function readRunsV2(
  deps: RunViewDeps,
  tenantId: string,
  datasetId: string,
  query: ExperimentRunsV2Query,
  origin: string,
): Promise<RawJson> {
  const { experiment_ids, filters, example_ids, comparative_experiment_id, sort, page_size } = query
  const { experiments, missingIds } = await findExperiments(deps, tenantId, datasetId, experiment_ids, filters)
  const sessionIds = experiments.map(({ id }) => id)
  const position = query.cursor
    ? decodeCursor(query.cursor, toExampleCursor)
    : await firstPage(deps, tenantId, datasetId)
  const wanted = {
    sessionIds,
    filters,
    exampleIds: example_ids,
    comparativeExperimentId: comparative_experiment_id,
    sort: sort ? toSort(sort.by, sort.order) : undefined,
    asOf: position.version,
  }
  const page = await findPage(deps, tenantId, datasetId, wanted, { offset: position.offset, limit: page_size + 1 })
  const selects = toRunSelects(query.selects)
  const runsWanted = { sessionIds, fields: toRunFields(selects), comparativeExperimentId: comparative_experiment_id }
  const shown = { ...page, found: page.found.slice(0, page_size) }
  const items: string[] = []
  for await (const some of readExamplesWithRuns(deps, tenantId, shown, runsWanted)) {
    items.push(...some.map((one) => presentExampleRuns(one, ({ view }) => presentSelectedRun(view, selects, origin))))
  }
  const isLast = page.found.length <= page_size
  const next = isLast ? null : printCursor({ ...position, offset: position.offset + page_size })
  const rest = printRest({ next_cursor: next, ...(missingIds.length > 0 && { missing_experiment_ids: missingIds }) })
  return new RawJson(`{"items":[${items.join(',')}],${rest}`)
}

/** The members of an object as JSON text, to close an object that was begun. */
const printRest = (members: object) => JSON.stringify(members).slice(1)

interface ExampleCursor {
  /** Version of the dataset; undefined for a dataset without versions. */
  readonly version: string | undefined
  readonly offset: number
}

async function firstPage(deps: RunViewDeps, tenantId: string, datasetId: string): Promise<ExampleCursor> {
  const { latest_version } = await getDataset(deps, tenantId, datasetId)
  return { version: latest_version?.toISOString(), offset: 0 }
}

function printCursor({ version, offset }: ExampleCursor): string {
  return encodeCursor([version ?? null, offset])
}

function toExampleCursor([version, offset]: readonly unknown[]): ExampleCursor | undefined {
  const time = version === null ? undefined : parseTime(version)
  if (version !== null && time === undefined) return undefined
  return typeof offset === 'number' && Number.isSafeInteger(offset) && offset >= 0
    ? { version: time, offset }
    : undefined
}
