import { type CsvReader, csvHeader, csvLine, type ExperimentRunsQuery } from '@touchstone/contract'
import { printedTime, sql, uint, uuid } from '../../storage/analytics/sql.ts'
import { columns, text } from '../../storage/rows.ts'
import { withSplits } from '../datasets/examples/index.ts'
import type { RunView, RunViewDeps } from '../runs/index.ts'
import { toLatencySeconds } from '../runs/selection/index.ts'
import { findExperiments, findPage } from './find-page.ts'
import { toFields } from './present.ts'
import { type ExampleRuns, readExamplesWithRuns } from './read-examples-with-runs.ts'
import { matchesComparison, matchesRoots } from './read-scores.ts'
import { type RunsPageOptions, toExampleSelection } from './run-pages.ts'

const COLUMNS = [
  'example_id',
  'inputs',
  'reference_outputs',
  'metadata',
  'experiment',
  'session_id',
  'repetition',
  'run_id',
  'status',
  'error',
  'outputs',
  'start_time',
  'latency_seconds',
  'total_tokens',
  'total_cost',
  'reported_cost',
]

const MAX_KEYS = 1000

/**
 * A CSV file with a row for each run and a row for each example without runs. JSON is printed as it was received. A column
 * `feedback.{key}` has the mean score of the key on the run, or its most frequent label. Sessions that do not exist are
 * left out.
 *
 * @throws ApiError NOT_FOUND for an unknown dataset, or when no session exists; INVALID_REQUEST for a session over another
 *   dataset
 */
export async function* writeRunsCsv(
  deps: RunViewDeps,
  tenantId: string,
  datasetId: string,
  given: ExperimentRunsQuery,
  { reader, onMissing }: Pick<RunsPageOptions, 'onMissing'> & { readonly reader?: CsvReader | undefined } = {},
): AsyncGenerator<string> {
  const { experiments, missingIds } = await findExperiments(deps, tenantId, datasetId, given.session_ids, given.filters)
  if (missingIds.length > 0) onMissing?.(missingIds)
  const sessionIds = experiments.map(({ id }) => id)
  const query = { ...given, session_ids: sessionIds }
  const comparativeExperimentId = given.comparative_experiment_id
  const names = new Map(experiments.map(({ id, name }) => [id, name]))
  const page = await findPage(deps, tenantId, datasetId, toExampleSelection(query), {
    offset: query.offset ?? 0,
    limit: query.limit ?? undefined,
  })
  const keys = await listKeys(deps, tenantId, query)
  yield csvHeader([...COLUMNS, ...keys.map((key) => `feedback.${key}`)], reader)
  const wanted = { sessionIds, fields: toFields(false), comparativeExperimentId }
  for await (const some of readExamplesWithRuns(deps, tenantId, page, wanted)) {
    yield some.flatMap((one) => toCsvRows(one, names, keys).map((cells) => csvLine(cells, reader))).join('')
  }
}

async function listKeys({ analytics }: RunViewDeps, tenantId: string, query: ExperimentRunsQuery): Promise<string[]> {
  const { session_ids, example_ids, comparative_experiment_id } = query
  const rows = await analytics.query(
    sql`
    select distinct key
    from run_feedback final
    where tenant_id = ${uuid(tenantId)}
      and run_id in (select id from runs final where ${matchesRoots(tenantId, session_ids, example_ids)})
      and (comparative_experiment_id is null or ${matchesComparison(comparative_experiment_id)})
    order by key
    limit ${uint(MAX_KEYS)}`,
    columns({ key: text }),
  )
  return rows.map((row) => row.key)
}

function toCsvRows(
  { example, runs }: ExampleRuns,
  names: ReadonlyMap<string, string>,
  keys: readonly string[],
): string[][] {
  const metadata = withSplits(example.metadata, example.splits)
  const head = [example.id, example.inputs, example.outputs ?? '', metadata]
  if (runs.length === 0) return [[...head, ...Array<string>(COLUMNS.length - head.length + keys.length).fill('')]]
  const repetitions = new Map<string, number>()
  return runs.map(({ view }) => {
    const { row, totals } = view
    const repetition = (repetitions.get(row.session_id) ?? 0) + 1
    repetitions.set(row.session_id, repetition)
    return [
      ...head,
      names.get(row.session_id) ?? '',
      row.session_id,
      String(repetition),
      row.id,
      row.status,
      row.error ?? '',
      row.outputs ?? '',
      printedTime(row.start_time),
      row.end_time ? toLatencySeconds(view) : '',
      String(totals?.total_tokens ?? 0),
      totals?.total_cost ?? '',
      totals?.reported_cost ?? '',
      ...keys.map((key) => toFeedbackCell(view, key)),
    ]
  })
}

function toFeedbackCell({ feedback }: RunView, key: string): string {
  const stats = feedback !== undefined && Object.hasOwn(feedback, key) ? feedback[key] : undefined
  if (stats === undefined) return ''
  const { avg, values } = stats
  return avg === null ? (Object.keys(values ?? {})[0] ?? '') : String(avg)
}
