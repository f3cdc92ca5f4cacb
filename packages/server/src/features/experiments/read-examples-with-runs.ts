import { printedTime, sql, times, uuid, uuids } from '../../storage/analytics/sql.ts'
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
  /** Feedback of this comparison counts too. */
  readonly comparativeExperimentId?: string | null | undefined
  /** Only these runs of them. */
  readonly runIds?: ReadonlySet<string> | undefined
  /** The public link through which they are read; URLs of attachments end with it. */
  readonly share?: Share | undefined
}

/** Runs that are held at once, with their payloads and without. */
const RUNS_AT_ONCE = { whole: 200, preview: 2000 }

/**
 * The examples of a page with their root runs, in its order, some at a time. First it is found which runs there are, from
 * narrow columns; payloads are read of those runs only.
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

interface RunKey {
  readonly id: string
  readonly session_id: string
  readonly start_time: string
  readonly reference_example_id: string
}

async function findRuns(
  { analytics }: RunViewDeps,
  tenantId: string,
  { sessionIds, runIds }: RunSelection,
  examples: readonly ExampleRow[],
): Promise<Map<string, RunKey[]>> {
  const ids = examples.map((example) => example.id)
  const rows = await analytics.query<RunKey>(sql`
    select id, session_id, start_time, reference_example_id
    from runs final
    where ${matchesRoots(tenantId, sessionIds, ids)}`)
  return byExample(
    runIds === undefined ? rows : rows.filter((row) => runIds.has(row.id)),
    (row) => row.reference_example_id,
  )
}

/** Examples in stretches that have not too many runs together. */
function split(
  examples: readonly ExampleRow[],
  keys: ReadonlyMap<string, readonly RunKey[]>,
  atOnce: number,
): ExampleRow[][] {
  const stretches: ExampleRow[][] = []
  let held = Number.POSITIVE_INFINITY
  for (const example of examples) {
    const count = keys.get(example.id)?.length ?? 0
    if (held + count > atOnce) {
      stretches.push([])
      held = 0
    }
    stretches.at(-1)!.push(example)
    held += count
  }
  return stretches
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
  // The figures of feedback are made from the records, which are read anyway; the example tells a run's place.
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
    const thought = feedback.get(view.row.id)
    return { view: { ...view, feedback: thought?.stats }, feedbacks: thought?.records ?? [] }
  })
  const place = new Map(sessionIds.map((id, at) => [id, at]))
  // Sorted by start already, and the sort is stable.
  const inOrder = rated.sort(
    (one, other) => place.get(one.view.row.session_id)! - place.get(other.view.row.session_id)!,
  )
  return byExample(inOrder, ({ view }) => view.row.reference_example_id!)
}

function byExample<Row>(rows: readonly Row[], exampleOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const example = exampleOf(row)
    const group = groups.get(example)
    if (group === undefined) groups.set(example, [row])
    else group.push(row)
  }
  return groups
}
