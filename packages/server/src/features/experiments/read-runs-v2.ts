import { ApiError, type ExperimentRunsV2Query, parseTime } from '@touchstone/contract'
import { RawJson } from '../../http/raw-json.ts'
import { getDataset } from '../datasets/index.ts'
import type { RunViewDeps } from '../runs/index.ts'
import { presentSelectedRun, toRunFields, toRunSelects } from '../runs/selection/index.ts'
import { findPage, getExperiments } from './find-page.ts'
import { presentExampleRuns } from './present.ts'
import { readExamplesWithRuns } from './read-examples-with-runs.ts'
import { getSessionIds, toSort } from './read-runs-page.ts'

/**
 * A page of examples with their runs as generated clients want it. All pages after the first are of its version of the
 * dataset, so that none is missed or shown twice while examples change.
 *
 * @param origin  where users reach this server; URLs start with it
 * @throws ApiError NOT_FOUND for an unknown dataset or session, INVALID_REQUEST for a foreign cursor
 */
export async function readRunsV2(
  deps: RunViewDeps,
  tenantId: string,
  datasetId: string,
  query: ExperimentRunsV2Query,
  origin: string,
): Promise<RawJson> {
  const { experiment_ids: sessionIds, filters, example_ids, comparative_experiment_id, sort, page_size } = query
  await getExperiments(deps, tenantId, datasetId, getSessionIds({ session_ids: sessionIds, filters }))
  const at = query.cursor ? parseCursor(query.cursor) : await firstPage(deps, tenantId, datasetId)
  const wanted = {
    sessionIds,
    filters,
    exampleIds: example_ids,
    comparativeExperimentId: comparative_experiment_id,
    sort: sort ? toSort(sort.by, sort.order) : undefined,
    asOf: at.version,
  }
  const page = await findPage(deps, tenantId, datasetId, wanted, { offset: at.offset, limit: page_size + 1 })
  const selects = toRunSelects(query.selects)
  const runsWanted = { sessionIds, fields: toRunFields(selects), comparativeExperimentId: comparative_experiment_id }
  const shown = { ...page, found: page.found.slice(0, page_size) }
  const items: string[] = []
  for await (const some of readExamplesWithRuns(deps, tenantId, shown, runsWanted)) {
    items.push(...some.map((one) => presentExampleRuns(one, ({ view }) => presentSelectedRun(view, selects, origin))))
  }
  const isLast = page.found.length <= page_size
  const next = isLast ? null : printCursor({ ...at, offset: at.offset + page_size })
  return new RawJson(`{"items":[${items.join(',')}],"next_cursor":${JSON.stringify(next)}}`)
}

interface ExampleCursor {
  /** Version of the dataset; absent while it has none. */
  readonly version: string | undefined
  readonly offset: number
}

async function firstPage(deps: RunViewDeps, tenantId: string, datasetId: string): Promise<ExampleCursor> {
  const { latest_version } = await getDataset(deps, tenantId, datasetId)
  return { version: latest_version?.toISOString(), offset: 0 }
}

function printCursor({ version, offset }: ExampleCursor): string {
  return Buffer.from(JSON.stringify([version ?? null, offset])).toString('base64url')
}

function parseCursor(text: string): ExampleCursor {
  try {
    const [version, offset] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown[]
    const time = version === null ? undefined : parseTime(version)
    const isOurs = Number.isSafeInteger(offset) && (offset as number) >= 0 && (version === null || time !== undefined)
    if (isOurs) return { version: time, offset: offset as number }
  } catch {
    // Not ours: told below, like every other text that is no cursor.
  }
  throw new ApiError('INVALID_REQUEST', 'cursor is not one that this server gave out; start again without it')
}
