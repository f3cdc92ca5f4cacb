import { setImmediate } from 'node:timers/promises'
import {
  ApiError,
  type CellRuns,
  type CellScores,
  type ExperimentCells,
  type ExperimentCellsQuery,
  MAX_CELLS,
  RUN_STATUSES,
  RunConditions,
} from '@touchstone/contract'
import { sql as relationalSql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { microsBetween } from '../../storage/analytics/durations.ts'
import { literal, printedTime, sql, texts, uint, uuid } from '../../storage/analytics/sql.ts'
import { columns, count, list, nullable, number, oneOf, text } from '../../storage/rows.ts'
import { exampleStates, isInNewestVersion } from '../datasets/examples/index.ts'
import { getDataset } from '../datasets/index.ts'
import { selectKeysWithLowerBetter } from '../feedback/index.ts'
import { selectProjectsById } from '../projects/index.ts'
import { selectMatchedRuns } from '../runs/stats/index.ts'
import { selectOrderedIds } from './find-page.ts'
import { matchesComparison, matchesRoots } from './read-scores.ts'

type CellDeps = Pick<Deps, 'analytics' | 'relational'>

/**
 * Reads the runs and scores of experiments in columns. Experiments that do not exist, or are over another dataset, are
 * listed in the answer.
 *
 * @throws ApiError NOT_FOUND for an unknown dataset, INVALID_REQUEST for more than `MAX_CELLS` runs
 */
export async function readCells(
  deps: CellDeps,
  tenantId: string,
  datasetId: string,
  { session_ids, comparative_experiment_id }: ExperimentCellsQuery,
): Promise<ExperimentCells> {
  const [, projects] = await Promise.all([
    getDataset(deps, tenantId, datasetId),
    selectProjectsById(deps, tenantId, session_ids),
  ])
  const experiments = session_ids.flatMap((id) => {
    const project = projects.get(id)
    return project?.reference_dataset_id === datasetId ? [project] : []
  })
  const sessionIds = experiments.map(({ id }) => id)
  // Requested together, so that the engine answers one question while the answer to another is parsed here.
  const [runs, feedback, order, splits] = await Promise.all([
    readRuns(deps, tenantId, sessionIds),
    readFeedback(deps, tenantId, sessionIds, comparative_experiment_id),
    selectOrderedIds(deps, tenantId, datasetId, {}),
    selectSplitsById(deps, tenantId, datasetId),
  ])
  const examples = listExamples(runs, order)
  const errors = new Numbering()
  const cells: ExperimentCells['experiments'] = []
  for (const { id, name } of experiments) {
    await setImmediate() // lets other requests run
    const ofExperiment = toRuns(runs.get(id), examples.positions, errors)
    cells.push({ id, name, runs: ofExperiment, feedback: toScores(feedback.keys, ofExperiment) })
  }
  return {
    example_ids: examples.ids,
    deleted_count: examples.deletedCount,
    splits: examples.ids.map((id) => splits.get(id) ?? []),
    experiments: cells,
    errors: errors.names,
    keys: feedback.keys.map(({ key, isLowerBetter, labels }) => ({
      key,
      is_lower_score_better: isLowerBetter,
      labels: labels.names,
    })),
    omitted_keys: feedback.omitted,
    missing_session_ids: session_ids.filter((id) => !sessionIds.includes(id)),
  }
}

/** Gives each distinct text a number from 0. */
class Numbering {
  readonly names: string[] = []
  readonly #numbers = new Map<string, number>()

  getNumber(name: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    this.#numbers.set(name, this.names.length)
    return this.names.push(name) - 1
  }
}

/** Columns over the runs of one experiment, nearly ordered by start: the engine may mix up its blocks. */
const RUN_COLUMNS = columns({
  session_id: text,
  ids: list(text),
  examples: list(text),
  starts: list(text),
  statuses: list(oneOf(...RUN_STATUSES)),
  errors: list(text),
  latencies: list(nullable(number)),
  tokens: list(nullable(number)),
  costs: list(nullable(number)),
  reported: list(nullable(number)),
})
type RunColumns = ReturnType<typeof RUN_COLUMNS>

/** The root runs of experiments by experiment id. Values are nan where they are absent, which is printed as null. */
async function readRuns(
  { analytics }: CellDeps,
  tenantId: string,
  sessionIds: readonly string[],
): Promise<Map<string, RunColumns>> {
  if (sessionIds.length === 0) return new Map()
  const roots = RunConditions.parse({ session: sessionIds, is_root: true })
  const groups = literal(
    `[toNullable(toString(session_id)), toString(reference_example_id), substringUTF8(error_line, 1, 200)]`,
  )
  const rows = await analytics.query(
    sql`
    select session_id, groupArray(run_id) as ids, groupArray(example) as examples, groupArray(began) as starts,
      groupArray(outcome) as statuses, groupArray(error_line) as errors, groupArray(latency) as latencies,
      groupArray(tokens) as tokens, groupArray(cost) as costs,
      groupArray(reported_cost) as reported
    from (
      select assumeNotNull(groups[1]) as session_id, run_id, assumeNotNull(groups[2]) as example, began, outcome,
        assumeNotNull(groups[3]) as error_line,
        ifNull(${literal(microsBetween('began', 'ended'))} / 1000, nan) as latency,
        ifNull(toFloat64(used_total_tokens), nan) as tokens,
        ifNull(toFloat64(used_total_cost), nan) as cost,
        ifNull(toFloat64(used_reported_cost), nan) as reported_cost
      from (${selectMatchedRuns(tenantId, roots, { groups })})
      where groups[2] is not null
      order by began, run_id
      limit ${uint(MAX_CELLS + 1)}
    )
    group by session_id`,
    RUN_COLUMNS,
  )
  const total = rows.reduce((sum, { ids }) => sum + ids.length, 0)
  if (total > MAX_CELLS) {
    throw new ApiError('INVALID_REQUEST', `The experiments have more than ${MAX_CELLS} runs; request fewer at once.`)
  }
  return new Map(rows.map((row) => [row.session_id, row]))
}

interface Examples {
  readonly ids: string[]
  readonly deletedCount: number
  readonly positions: ReadonlyMap<string, number>
}

/** The examples with runs: those of the dataset in its order, then deleted ones by id. */
function listExamples(runs: ReadonlyMap<string, RunColumns>, order: readonly string[]): Examples {
  const withRuns = new Set([...runs.values()].flatMap(({ examples }) => examples))
  const ids = order.filter((id) => withRuns.delete(id))
  const deleted = [...withRuns].sort()
  const all = [...ids, ...deleted]
  return { ids: all, deletedCount: deleted.length, positions: new Map(all.map((id, at) => [id, at])) }
}

/** The splits of the examples of the newest version. Grouped, because a row per example takes five times as long. */
async function selectSplitsById(
  { relational }: CellDeps,
  tenantId: string,
  datasetId: string,
): Promise<Map<string, string[]>> {
  const { example_id, splits } = exampleStates
  const rows = await relational.db
    .select({ splits, ids: relationalSql<string>`string_agg(${example_id}::text, ',')` })
    .from(exampleStates)
    .where(isInNewestVersion(tenantId, datasetId))
    .groupBy(splits)
  return new Map(rows.flatMap((row) => row.ids.split(',').map((id): [string, string[]] => [id, [...row.splits]])))
}

function toRuns(found: RunColumns | undefined, positions: Examples['positions'], errors: Numbering): CellRuns {
  const runs: CellRuns = {
    id: [],
    example: [],
    repetition: [],
    status: [],
    error: [],
    start_time: [],
    latency_ms: [],
    total_tokens: [],
    total_cost: [],
    reported_cost: [],
  }
  if (found === undefined) return runs
  const repetitions = new Map<number, number>()
  for (const at of sortByStart(found)) {
    const example = positions.get(found.examples[at] ?? '') ?? 0
    const repetition = repetitions.get(example) ?? 0
    repetitions.set(example, repetition + 1)
    const status = found.statuses[at] ?? 'pending'
    runs.id.push(found.ids[at] ?? '')
    runs.example.push(example)
    runs.repetition.push(repetition)
    runs.status.push(status)
    runs.error.push(status === 'error' ? errors.getNumber(found.errors[at] || 'Error without a message') : null)
    runs.start_time.push(printedTime(found.starts[at] ?? ''))
    runs.latency_ms.push(found.latencies[at] ?? null)
    runs.total_tokens.push(found.tokens[at] ?? null)
    runs.total_cost.push(found.costs[at] ?? null)
    runs.reported_cost.push(found.reported[at] ?? null)
  }
  return runs
}

/** All times are printed in the same width, so text order is time order. Fast, because they are nearly in order. */
function sortByStart({ starts, ids }: RunColumns): number[] {
  const compare = (one = '', other = '') => (one < other ? -1 : one > other ? 1 : 0)
  return ids.map((_, at) => at).sort((a, b) => compare(starts[a], starts[b]) || compare(ids[a], ids[b]))
}

const MAX_KEYS = 100
/** Runs with scores, summed over the keys: more would not fit into the memory of a small server. */
const MAX_SCORED_RUNS = 1_000_000
const MAX_LABELS = 50
const MAX_LABEL = 100

/** Columns over the runs with feedback of one key. */
const FEEDBACK_COLUMNS = columns({
  key: text,
  runs: list(text),
  scores: list(nullable(number)),
  counts: list(count),
  labels: list(text),
  failed: list(number),
})

interface KeyFeedback {
  readonly key: string
  readonly isLowerBetter: boolean
  readonly labels: Numbering
  /** By run id. */
  readonly records: ReadonlyMap<string, RunFeedback>
}

interface RunFeedback {
  readonly score: number | null
  readonly count: number
  readonly label: string
  readonly hasFailed: boolean
}

async function readFeedback(
  deps: CellDeps,
  tenantId: string,
  sessionIds: readonly string[],
  comparativeExperimentId: string | null | undefined,
): Promise<{ keys: KeyFeedback[]; omitted: string[] }> {
  if (sessionIds.length === 0) return { keys: [], omitted: [] }
  const comparison = comparativeExperimentId
    ? sql`(comparative_experiment_id is null or ${matchesComparison(comparativeExperimentId)})`
    : matchesComparison(null)
  const where = sql`tenant_id = ${uuid(tenantId)}
        and run_id in (select id from runs final where ${matchesRoots(tenantId, sessionIds)})
        and ${comparison} and (score is not null or label != '' or error = 1)`
  const found = await deps.analytics.query(
    sql`
    select key, uniqExact(run_id) as run_count from run_feedback final
    where ${where} group by key order by key limit ${uint(10 * MAX_KEYS)}`,
    columns({ key: text, run_count: count }),
  )
  const keys = chooseKeys(found)
  const [rows, lowerBetter] = await Promise.all([
    deps.analytics.query(
      sql`
      select key, groupArray(run_id) as runs, groupArray(ifNull(score_mean, nan)) as scores,
        groupArray(toUInt32(score_count)) as counts, groupArray(last_label) as labels, groupArray(has_failed) as failed
      from (
        select key, run_id, avg(score) as score_mean, count(score) as score_count,
          substringUTF8(argMaxIf(label, created_at, label != ''), 1, ${uint(MAX_LABEL + 1)}) as last_label,
          max(error) as has_failed
        from run_feedback final
        where ${where} and key in ${texts(keys)}
        group by key, run_id
      )
      group by key
      order by key`,
      FEEDBACK_COLUMNS,
    ),
    selectKeysWithLowerBetter(deps, tenantId, keys),
  ])
  const read: KeyFeedback[] = []
  for (const row of rows) {
    await setImmediate() // lets other requests run
    read.push(toKeyFeedback(row, lowerBetter.has(row.key)))
  }
  return { keys: read, omitted: found.map(({ key }) => key).filter((key) => !keys.includes(key)) }
}

/** The first keys whose scores fit into the answer. */
function chooseKeys(found: readonly { readonly key: string; readonly run_count: number }[]): string[] {
  let runs = 0
  return found.slice(0, MAX_KEYS).flatMap(({ key, run_count }) => {
    if (runs + run_count > MAX_SCORED_RUNS) return []
    runs += run_count
    return key
  })
}

function toKeyFeedback(row: ReturnType<typeof FEEDBACK_COLUMNS>, isLowerBetter: boolean): KeyFeedback {
  const distinct = new Set(row.labels)
  distinct.delete('')
  const areCategories = distinct.size <= MAX_LABELS && [...distinct].every((label) => label.length <= MAX_LABEL)
  const labels = new Numbering()
  if (areCategories) for (const label of [...distinct].sort()) labels.getNumber(label)
  const records = new Map(
    row.runs.map((id, at): [string, RunFeedback] => [
      id,
      {
        score: row.scores[at] ?? null,
        count: row.counts[at] ?? 0,
        label: areCategories ? (row.labels[at] ?? '') : '',
        hasFailed: row.failed[at] === 1,
      },
    ]),
  )
  return { key: row.key, isLowerBetter, labels, records }
}

/** The feedback on the runs of one experiment; keys without any are absent. */
function toScores(keys: readonly KeyFeedback[], { id: ids }: CellRuns): CellScores[] {
  return keys.flatMap(({ key, labels, records }) => {
    const found = ids.map((id) => records.get(id))
    if (found.every((one) => one === undefined)) return []
    const hasSeveral = found.some((one) => (one?.count ?? 0) > 1)
    return {
      key,
      scores: found.map((one) => one?.score ?? null),
      counts: hasSeveral ? found.map((one) => one?.count ?? 0) : null,
      labels: labels.names.length === 0 ? null : found.map((one) => (one?.label ? labels.getNumber(one.label) : null)),
      failed: found.flatMap((one, at) => (one?.hasFailed ? [at] : [])),
    }
  })
}
