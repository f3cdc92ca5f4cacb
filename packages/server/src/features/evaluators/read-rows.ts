import { ApiError, RunConditions } from '@touchstone/contract'
import { and, eq } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { type Fragment, sql, text, uint, uuid, uuids } from '../../storage/analytics/sql.ts'
import { projects } from '../../storage/relational/tables/projects.ts'
import { columns, list, nullable, number, text as string } from '../../storage/rows.ts'
import { readExamples } from '../datasets/examples/index.ts'
import { whereRunIds, whereRuns } from '../runs/index.ts'
import type { EvaluatorRow } from './judge.ts'

export type RowDeps = Pick<Deps, 'relational' | 'analytics'>

/** A run as evaluators see it. */
export interface RunRow extends EvaluatorRow {
  readonly runId: string
  readonly exampleId: string | null
}

const RUN = columns({
  id: string,
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

/** Runs by id with the reference outputs of their examples; unknown ids are left out. */
export async function readRunRows(
  deps: RowDeps,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, RunRow>> {
  if (ids.length === 0) return new Map()
  const rows = await deps.analytics.query(
    sql`
    select id, name, run_type, inputs, outputs, error, tags, reference_example_id,
      dateDiff('microsecond', start_time, end_time) / 1000 as latency_ms,
      toFloat64(total_tokens) as total_tokens
    from runs final
    where tenant_id = ${uuid(tenantId)} and ${whereRunIds(tenantId, ids)}`,
    RUN,
  )
  const exampleIds = [...new Set(rows.flatMap(({ reference_example_id }) => reference_example_id ?? []))]
  const examples = await readReferences(deps, tenantId, exampleIds)
  return new Map(
    rows.map(({ id, inputs, outputs, reference_example_id: exampleId, ...facts }) => {
      const reference = exampleId === null ? null : (examples.get(exampleId) ?? null)
      const row: RunRow = {
        runId: id,
        exampleId,
        inputs: parse(inputs),
        outputs: parse(outputs),
        reference_outputs: parse(reference),
        run: { id, ...facts, error: facts.error || null },
      }
      return [id, row]
    }),
  )
}

async function readReferences(
  deps: RowDeps,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, string | null>> {
  if (ids.length === 0) return new Map()
  const rows = await readExamples(deps, tenantId, { id: [...ids], limit: ids.length })
  return new Map(rows.map(({ id, outputs }) => [id, outputs]))
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
