import { printedTime, sql, times, uuid, uuids } from '../../storage/analytics/sql.ts'
import { columns, type RowOf, text } from '../../storage/rows.ts'
import type { Share } from '../attachments/index.ts'
import { type ExampleRow, type FoundExamples, loadExamples } from '../datasets/examples/index.ts'
import { type RunFeedback, readRunFeedback } from '../feedback/index.ts'
import { type RunView, type RunViewDeps, readRunViews } from '../runs/index.ts'
import { matchesRoots } from './read-scores.ts'

export interface RatedView {
  readonly view: RunView
  /** JSON text of the feedback records. */
  readonly feedbacks: readonly string[]
}

export interface ExampleRuns {
  readonly example: ExampleRow
  readonly runs: readonly RatedView[]
}

export interface RunSelection {
  readonly sessionIds: readonly string[]
  /** Wire fields of runs. */
  readonly fields: ReadonlySet<string>
  /** Feedback of this comparison is included. */
  readonly comparativeExperimentId?: string | null | undefined
  /** Only these runs. */
  readonly runIds?: ReadonlySet<string> | undefined
  /** The public link through which they are read; attachment URLs expire with it. */
  readonly share?: Share | undefined
}

/** Runs in memory at the same time, with payloads and without. */
const RUNS_AT_ONCE = { whole: 200, preview: 2000 }

/**
 * Yields the examples of a page with their root runs, in order, in batches. The runs are first found through narrow
 * columns; then their payloads are read.
 */
export async function* readExamplesWithRuns(
  deps: RunViewDeps,
  tenantId: string,
  page: FoundExamples,
  wanted: RunSelection,
): AsyncGenerator<ExampleRuns[]> {
  for await (const examples of loadExamples(deps, tenantId, page)) {
    const keys = await findRuns(deps, tenantId, wanted, examples)
    const atOnce = wanted.fields.has('inputs') || wanted.fields.has('outputs') ? 'whole' : 'preview'
    for (const some of split(examples, keys, RUNS_AT_ONCE[atOnce])) {
      const ofSome = some.flatMap((example) => keys.get(example.id) ?? [])
      const runs = await readRuns(deps, tenantId, wanted, ofSome)
      yield some.map((example) => ({ example, runs: runs.get(example.id) ?? [] }))
    }
  }
}

const RUN_KEY = columns({ id: text, session_id: text, start_time: text, reference_example_id: text })

type RunKey = RowOf<typeof RUN_KEY>

async function findRuns(
  { analytics }: RunViewDeps,
  tenantId: string,
  { sessionIds, runIds }: RunSelection,
  examples: readonly ExampleRow[],
): Promise<Map<string, RunKey[]>> {
  const ids = examples.map((example) => example.id)
  const rows = await analytics.query(
    sql`
    select id, session_id, start_time, reference_example_id
    from runs final
    where ${matchesRoots(tenantId, sessionIds, ids)}`,
    RUN_KEY,
  )
  return groupByExample(
    runIds === undefined ? rows : rows.filter((row) => runIds.has(row.id)),
    (row) => row.reference_example_id,
  )
}

/** Splits examples into batches of a limited number of runs. */
function split(
  examples: readonly ExampleRow[],
  keys: ReadonlyMap<string, readonly RunKey[]>,
  atOnce: number,
): ExampleRow[][] {
  const batches: ExampleRow[][] = []
  let batch: ExampleRow[] = []
  let runs = 0
  for (const example of examples) {
    const count = keys.get(example.id)?.length ?? 0
    if (batch.length === 0 || runs + count > atOnce) {
      batch = []
      batches.push(batch)
      runs = 0
    }
    batch.push(example)
    runs += count
  }
  return batches
}

async function readRuns(
  deps: RunViewDeps,
  tenantId: string,
  { sessionIds, fields, comparativeExperimentId, share }: RunSelection,
  keys: readonly RunKey[],
): Promise<Map<string, RatedView[]>> {
  if (keys.length === 0) return new Map()
  const sessions = uuids(keys.map((key) => key.session_id))
  const starts = times(keys.map((key) => printedTime(key.start_time)))
  const where = sql`tenant_id = ${uuid(tenantId)}
      and (session_id, start_time, id) in arrayZip(${sessions}, ${starts}, ${uuids(keys.map((key) => key.id))})`
  // Feedback figures are computed from the records, which are read anyway. Runs are grouped by their example.
  const needed = new Set([...fields, 'reference_example_id'])
  needed.delete('feedback_stats')
  const { views } = await readRunViews(deps, tenantId, where, needed, { all: 'asc' }, share)
  const feedback = fields.has('feedback_stats')
    ? await readRunFeedback(
        deps,
        tenantId,
        views.map((view) => view.row),
        comparativeExperimentId,
      )
    : new Map<string, RunFeedback>()
  const rated = views.map((view) => {
    const found = feedback.get(view.row.id)
    return { view: { ...view, feedback: found?.stats }, feedbacks: found?.records ?? [] }
  })
  const positions = new Map(sessionIds.map((id, at) => [id, at]))
  const getPosition = ({ view }: RatedView) => positions.get(view.row.session_id) ?? 0
  // The runs are already sorted by start time, and this sort is stable.
  const inOrder = rated.sort((one, other) => getPosition(one) - getPosition(other))
  return groupByExample(inOrder, ({ view }) => view.row.reference_example_id)
}

function groupByExample<Row>(
  rows: readonly Row[],
  getExampleId: (row: Row) => string | null | undefined,
): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const example = getExampleId(row)
    if (example == null) continue
    const group = groups.get(example)
    if (group === undefined) groups.set(example, [row])
    else group.push(row)
  }
  return groups
}
