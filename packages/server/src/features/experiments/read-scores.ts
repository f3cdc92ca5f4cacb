import type { Deps } from '../../deps.ts'
import { type Fragment, join, literal, sql, texts, uint, uuid, uuids } from '../../storage/analytics/sql.ts'
import { columns, list, nullable, number, text } from '../../storage/rows.ts'

/** A selection of scores on root runs of experiments with an example. */
export interface ScoreSelection {
  readonly sessionIds: readonly string[]
  readonly exampleIds?: readonly string[] | null | undefined
  /** Scores of this comparison instead of scores without a comparison. */
  readonly comparativeExperimentId?: string | null | undefined
  /** Also scores without a comparison. */
  readonly withOrdinary?: boolean
}

/** Scores of one experiment, an element for each example with all its repetitions. */
export interface ExampleScores {
  /** Number of scores of each example. */
  readonly counts: Float64Array
  /** Mean score of each example; NaN when it is too large for a float. */
  readonly means: Float64Array
  /** Sum of squared deviations from the mean, of each example. */
  readonly squares: Float64Array
}

/** Scores of one key. An index means the same example in all experiments. Examples without scores are absent. */
export interface KeyScores {
  readonly key: string
  readonly experiments: readonly ExampleScores[]
}

/** Keys read in one query: each may have tens of thousands of numbers per experiment. */
const KEYS_AT_ONCE = 8

/** Yields the scores of each key by experiment, in the given order. A key without scores has empty arrays. */
export async function* readScores(
  deps: Pick<Deps, 'analytics'>,
  tenantId: string,
  wanted: ScoreSelection,
  keys: readonly string[],
): AsyncGenerator<KeyScores> {
  for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
    const some = keys.slice(at, at + KEYS_AT_ONCE)
    const rows = await deps.analytics.query(selectScoreArrays(tenantId, wanted, some), SCORE_ARRAYS)
    const arrays = new Map(rows.map((row) => [row.key_number, row.arrays]))
    // Parsed key by key, because a key of many experiments takes some milliseconds.
    for (const [index, key] of some.entries()) {
      yield { key, experiments: toExampleScores(arrays.get(index + 1), wanted.sessionIds.length) }
    }
  }
}

/** Keys with scores, in alphabetical order. */
export async function listScoredKeys(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  wanted: ScoreSelection,
  limit: number,
): Promise<string[]> {
  const rows = await analytics.query(
    sql`
    select distinct key
    from run_feedback
    where ${matchesScores(tenantId, wanted)}
    order by key
    limit ${uint(limit)}`,
    columns({ key: text }),
  )
  return rows.map((row) => row.key)
}

/** The score of one example in one experiment, for one key. */
export interface ExampleScore {
  readonly example_id: string
  /** Index in `sessionIds`. */
  readonly session: number
  readonly mean: number
}

/** Mean score of each example in each experiment. */
export async function readMeans(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  wanted: ScoreSelection,
  key: string,
): Promise<ExampleScore[]> {
  const [row] = await analytics.query(
    sql`
    select groupArray(example) as examples, groupArray(experiment) as experiments, groupArray(mean) as means
    from (${selectMeans(tenantId, wanted, key)})`,
    columns({ examples: list(text), experiments: list(number), means: list(nullable(number)) }),
  )
  if (row === undefined) return []
  return row.examples.map((example_id, index) => ({
    example_id,
    session: (row.experiments[index] ?? 0) - 1,
    mean: row.means[index] ?? Number.NaN,
  }))
}

/** The mean over all experiments of the mean scores of each example, by example id. */
export async function readOverallMeans(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  wanted: ScoreSelection,
  key: string,
): Promise<Map<string, number>> {
  const [row] = await analytics.query(
    sql`
    select groupArray(example) as examples, groupArray(overall) as means
    from (
      select example, avg(mean) as overall
      from (${selectMeans(tenantId, wanted, key)})
      group by example
    )`,
    columns({ examples: list(text), means: list(nullable(number)) }),
  )
  return new Map(row?.examples.map((id, at) => [id, row.means[at] ?? Number.NaN]))
}

function selectMeans(tenantId: string, wanted: ScoreSelection, key: string): Fragment {
  return sql`
      select example, toUInt32(experiment) as experiment, avg(score) as mean
      from (${selectScores(tenantId, wanted, [key])})
      group by example, experiment`
}

const SCORE_ARRAYS = columns({
  /** Position of the key in the list, from 1. */
  key_number: number,
  /** JSON text: the arrays of counts, means and squares of each experiment, all in the same order of examples. */
  arrays: text,
})

/** One row per key with scores. */
function selectScoreArrays(tenantId: string, wanted: ScoreSelection, keys: readonly string[]): Fragment {
  const numbers = wanted.sessionIds.map((_, index) => index + 1)
  const figures = numbers.map(
    (number) => `toFloat64(countIf(experiment = ${number})) as n${number},
        if(n${number} = 0, 0, avgIf(score, experiment = ${number})) as m${number},
        if(n${number} < 2, 0, varPopStableIf(score, experiment = ${number}) * n${number}) as s${number}`,
  )
  const arrays = numbers.map((number) => `groupArray(n${number}), groupArray(m${number}), groupArray(s${number})`)
  return sql`
    select key_number, toJSONString([${literal(arrays.join(', '))}]) as arrays
    from (
      select toUInt32(indexOf(${texts(keys)}, key)) as key_number, example, ${literal(figures.join(', '))}
      from (${selectScores(tenantId, wanted, keys)})
      group by key_number, example
    )
    group by key_number`
}

/** A row for each score: `key`, `score`, `example`, and `experiment`, its number from 1. */
function selectScores(tenantId: string, wanted: ScoreSelection, keys: readonly string[]): Fragment {
  const { sessionIds, exampleIds } = wanted
  return sql`
        select key, score, example, experiment
        from (
          select key, run_id, assumeNotNull(score) as score
          from run_feedback final
          where ${matchesScores(tenantId, wanted)} and key in ${texts(keys)}
        ) as feedback
        inner join (
          select id, assumeNotNull(reference_example_id) as example, indexOf(${uuids(sessionIds)}, session_id) as experiment
          from runs final
          where ${matchesRoots(tenantId, sessionIds, exampleIds)}
        ) as roots on roots.id = feedback.run_id`
}

function matchesScores(tenantId: string, wanted: ScoreSelection): Fragment {
  const { sessionIds, exampleIds, comparativeExperimentId, withOrdinary } = wanted
  return join([
    sql`tenant_id = ${uuid(tenantId)}`,
    sql`run_id in (select id from runs final where ${matchesRoots(tenantId, sessionIds, exampleIds)})`,
    literal('score is not null'),
    withOrdinary
      ? sql`(comparative_experiment_id is null or ${matchesComparison(comparativeExperimentId)})`
      : matchesComparison(comparativeExperimentId),
  ])
}

function toExampleScores(text: string | undefined, experiments: number): ExampleScores[] {
  const arrays = text === undefined ? [] : (JSON.parse(text) as (number | null)[][])
  const toFloats = (values: readonly (number | null)[] = []) =>
    Float64Array.from(values, (value) => value ?? Number.NaN)
  return Array.from({ length: experiments }, (_, index) => ({
    counts: toFloats(arrays[3 * index]),
    means: toFloats(arrays[3 * index + 1]),
    squares: toFloats(arrays[3 * index + 2]),
  }))
}

/** Conditions on `runs`: root runs of experiments with an example. Narrow columns only, 9 ms for 60,000 runs. */
export function matchesRoots(
  tenantId: string,
  sessionIds: readonly string[],
  exampleIds?: readonly string[] | null | undefined,
): Fragment {
  const conditions = [
    sql`tenant_id = ${uuid(tenantId)}`,
    sql`session_id in ${uuids(sessionIds)}`,
    literal('parent_run_id is null'),
    exampleIds ? sql`reference_example_id in ${uuids(exampleIds)}` : literal('reference_example_id is not null'),
  ]
  return join(conditions, '\n      and ')
}

/** Conditions on `run_feedback`: feedback of a comparison, or feedback without a comparison. */
export function matchesComparison(comparativeExperimentId: string | null | undefined): Fragment {
  return comparativeExperimentId
    ? sql`comparative_experiment_id = ${uuid(comparativeExperimentId)}`
    : literal('comparative_experiment_id is null')
}
