import { ApiError, RunConditions } from '@touchstone/contract'
import { and, eq } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { microsBetween } from '../../storage/analytics/durations.ts'
import { type Fragment, literal, printedTime, sql, text, uint, uuid, uuids } from '../../storage/analytics/sql.ts'
import { projects } from '../../storage/relational/tables/projects.ts'
import { columns, list, nullable, number, text as string } from '../../storage/rows.ts'
import { readExamples } from '../datasets/examples/index.ts'
import { whereRunIds, whereRuns } from '../runs/index.ts'
import type { EvaluatorRow } from './judge.ts'

export type RowDeps = Pick<Deps, 'relational' | 'analytics'>

/** A run as evaluators see it: the inputs are those of its example, as in a job of the playground; without one, its own. */
export interface RunRow extends EvaluatorRow {
  readonly runId: string
  readonly exampleId: string | null
  /** Where feedback on it belongs. */
  readonly place: { readonly session_id: string; readonly start_time: string }
}

const RUN = columns({
  id: string,
  session_id: string,
  start_time: string,
  name: string,
  run_type: string,
  inputs: string,
  outputs: string,
  error: string,
  tags: list(string),
  latency_ms: nullable(number),
  total_tokens: nullable(number),
  reference_example_id: nullable(string),
})

/**
 * Runs by id with the values of their examples; unknown ids are left out.
 *
 * @param version  of the dataset from which examples are read. @default the newest
 */
export async function readRunRows(
  deps: RowDeps,
  tenantId: string,
  ids: readonly string[],
  version?: { readonly dataset: string; readonly as_of: string },
): Promise<Map<string, RunRow>> {
  if (ids.length === 0) return new Map()
  const rows = await deps.analytics.query(
    sql`
    select id, session_id, start_time, name, run_type, inputs, outputs, error, tags, reference_example_id,
      ${literal(microsBetween('start_time', 'end_time'))} / 1000 as latency_ms,
      toFloat64(total_tokens) as total_tokens
    from runs final
    where tenant_id = ${uuid(tenantId)} and ${whereRunIds(tenantId, ids)}`,
    RUN,
  )
  const exampleIds = [...new Set(rows.flatMap(({ reference_example_id }) => reference_example_id ?? []))]
  const query = { ...version, id: exampleIds, limit: exampleIds.length }
  const found = exampleIds.length === 0 ? [] : await readExamples(deps, tenantId, query)
  const examples = new Map(found.map((example) => [example.id, example]))
  return new Map(
    rows.map(({ id, session_id, start_time, inputs, outputs, reference_example_id: exampleId, ...facts }) => {
      const example = exampleId === null ? undefined : examples.get(exampleId)
      const row: RunRow = {
        runId: id,
        exampleId,
        place: { session_id, start_time: printedTime(start_time) },
        inputs: parse(example?.inputs ?? inputs),
        outputs: parse(outputs),
        reference_outputs: parse(example?.outputs ?? null),
        run: { id, ...facts, error: facts.error || null },
      }
      return [id, row]
    }),
  )
}

const parse = (json: string | null): unknown => (json === null || json === '' ? null : JSON.parse(json))

/** What people said about one run under one key. */
export interface HumanScore {
  readonly runId: string
  readonly score: number | null
  /** '' without one. */
  readonly label: string
}

const HUMAN = columns({ run_id: string, author: string, score: nullable(number), label: string })

/**
 * The scores that people gave the root runs of an experiment under a key, a row per run and person, oldest run first.
 *
 * @returns `total` counts the runs; of these, the first `limit` are returned
 * @throws ApiError NOT_FOUND for an unknown experiment
 */
export async function readHumanScores(
  deps: RowDeps,
  tenantId: string,
  { experimentId, key, limit }: { readonly experimentId: string; readonly key: string; readonly limit: number },
): Promise<{ readonly scores: readonly HumanScore[]; readonly total: number }> {
  const [experiment] = await deps.relational.db
    .select({ id: projects.id })
    .from(projects)
    .where(and(eq(projects.tenant_id, tenantId), eq(projects.id, experimentId)))
  if (experiment === undefined) throw new ApiError('NOT_FOUND', 'Experiment not found')
  const roots = RunConditions.parse({ session: [experimentId], is_root: true })
  const rated = sql`
      tenant_id = ${uuid(tenantId)} and key = ${text(key)} and source_type not in ('model', 'auto_eval')
        and comparative_experiment_id is null and (score is not null or label != '')`
  const runs = await deps.analytics.query(
    sql`
    select id
    from runs final
    where ${whereRuns(tenantId, roots)}
      and id in (select run_id from run_feedback final where ${rated})
    order by start_time, id
    limit ${uint(MAX_RUNS)}`,
    columns({ id: string }),
  )
  const ids = runs.slice(0, limit).map(({ id }) => id)
  return { total: runs.length, scores: ids.length === 0 ? [] : await readScoresOfRuns(deps, rated, ids) }
}

/** Runs that are counted. */
const MAX_RUNS = 100_000

/** The latest score of each person, by run in the given order. */
async function readScoresOfRuns(deps: RowDeps, rated: Fragment, ids: readonly string[]): Promise<HumanScore[]> {
  const rows = await deps.analytics.query(
    sql`
    select run_id, author, argMax(tuple(score), (modified_at, id)).1 as score, argMax(label, (modified_at, id)) as label
    from (
      select run_id, JSONExtractString(feedback_source, 'user_id') as author, score, label, modified_at, id
      from run_feedback final
      where ${rated} and run_id in ${uuids(ids)})
    group by run_id, author
    order by run_id, author`,
    HUMAN,
  )
  const order = new Map(ids.map((id, at) => [id, at]))
  return rows
    .map(({ run_id: runId, score, label }) => ({ runId, score, label }))
    .sort((a, b) => (order.get(a.runId) ?? 0) - (order.get(b.runId) ?? 0))
}

/** Root runs of an experiment that an evaluator may judge, and the numbers of the others. */
export interface JudgedRuns {
  /** Oldest first. */
  readonly ids: readonly string[]
  readonly judged: number
  readonly failed: number
  readonly running: number
}

/**
 * @param again  includes runs that this version has judged
 * @param limit  of the runs that are read
 */
export async function findRunsToJudge(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  given: {
    readonly experimentId: string
    readonly evaluatorId: string
    readonly version: number
    readonly again: boolean
    readonly limit: number
  },
): Promise<JudgedRuns> {
  const roots = RunConditions.parse({ session: [given.experimentId], is_root: true })
  const rows = await analytics.query(
    sql`
    select id, toUInt8(error != '') as is_failed, toUInt8(end_time is null) as is_running, toUInt8(id in (
        select run_id from run_feedback final
        where tenant_id = ${uuid(tenantId)} and source_type = 'model'
          and JSONExtractString(feedback_source, 'metadata', 'evaluator_id') = ${text(given.evaluatorId)}
          and JSONExtractInt(feedback_source, 'metadata', 'evaluator_version') = ${uint(given.version)})) as is_judged
    from runs final
    where ${whereRuns(tenantId, roots)}
    order by start_time, id
    limit ${uint(given.limit)}`,
    columns({ id: string, is_failed: number, is_running: number, is_judged: number }),
  )
  const ended = rows.filter(({ is_failed, is_running }) => is_failed === 0 && is_running === 0)
  const wanted = ended.filter(({ is_judged }) => given.again || is_judged === 0)
  const failed = rows.filter(({ is_failed }) => is_failed === 1).length
  return {
    ids: wanted.map(({ id }) => id),
    judged: ended.length - wanted.length,
    failed,
    running: rows.length - ended.length - failed,
  }
}
