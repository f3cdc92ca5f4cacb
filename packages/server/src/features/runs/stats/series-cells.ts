import type { Bucket, RunSeriesQuery } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { type Fragment, literal, sql, texts, uuid } from '../../../storage/analytics/sql.ts'
import { columns, count, nullable, number, text } from '../../../storage/rows.ts'
import { whereRuns } from '../index.ts'
import { selectBucketStart } from './buckets.ts'
import { selectMatchedRuns, toGroups } from './matched-runs.ts'
import { NO_USAGE, type UsagePlan } from './usage-below.ts'

/** Flags of a row with the sums of a line, or of all lines. Its other keys have no meaning. */
export const SUMMED = { is_line: count, is_all: count }

/** A row of figures: those of a bucket, of a line, or of all lines. */
interface CellRow {
  readonly is_line: number
  readonly is_all: number
  /** Rank of the group from 1; 0 combines the groups that are not shown. */
  readonly slot: number
  /** Start of the bucket in seconds since 1970. */
  readonly at: number
}

/** Identifies the figures of a bucket, a line or all lines across queries. */
export function toCell({ is_all, is_line, slot, at }: CellRow): string {
  if (is_all) return 'all'
  return is_line ? `${slot}` : `${slot}/${at}`
}

/** One row per run and group, with the key of the group and the bucket. */
export function selectGroupedRuns(tenantId: string, query: RunSeriesQuery, bucket: Bucket, plan: UsagePlan): Fragment {
  const groups = query.group_by ? toGroups(query.group_by) : undefined
  return splitByGroup(selectMatchedRuns(tenantId, query, { groups, plan }), query, bucket)
}

/** Rows with `began` and `groups`, once per group. */
function splitByGroup(matched: Fragment, { group_by, time_zone }: RunSeriesQuery, bucket: Bucket): Fragment {
  const at = selectBucketStart('began', bucket, time_zone)
  if (!group_by) return sql`select *, '' as key, ${at} as at from (${matched})`
  return sql`
    select *, if(of_group is null, '', concat('=', assumeNotNull(of_group))) as key, ${at} as at
    from (select *, arrayJoin(groups) as of_group from (${matched}))`
}

export type Means = Record<string, { n: number; avg: number | null }>
/** Key of a group → its slot. */
type Slots = ReadonlyMap<string, number>

const GROUP_CELL = { ...SUMMED, shown_key: text, at: number }

const toGroupCell = (row: Omit<CellRow, 'slot'> & { readonly shown_key: string }, slots: Slots) =>
  toCell({ ...row, slot: slots.get(row.shown_key) ?? 0 })

/** Means of feedback by cell. */
export async function selectMeans(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  query: RunSeriesQuery,
  bucket: Bucket,
  slots: Slots,
): Promise<Map<string, Means>> {
  const shown = texts([...slots.keys()])
  const rows = await analytics.query(
    sql`
    select grouping(at) as is_line, grouping(shown_key) as is_all,
      if(has(${shown}, key), key, 'rest') as shown_key, at, feedback_key, count(score) as n,
      if(count(score) = 0, null, avg(score)) as mean
    from (${selectGroupedRuns(tenantId, query, bucket, NO_USAGE)}) as grouped
    inner join (
      select run_id, run_feedback.key as feedback_key, score
      from run_feedback final
      where tenant_id = ${uuid(tenantId)} and run_feedback.key in ${texts(query.feedback_keys ?? [])}
    ) as given using (run_id)
    group by grouping sets ((feedback_key, shown_key, at), (feedback_key, shown_key), (feedback_key))`,
    columns({ ...GROUP_CELL, feedback_key: text, n: count, mean: nullable(number) }),
  )
  const means = new Map<string, Means>()
  for (const row of rows) {
    const cell = toGroupCell(row, slots)
    means.set(cell, { ...means.get(cell), [row.feedback_key]: { n: row.n, avg: row.mean } })
  }
  return means
}

/** Null is what the query does not count. */
export interface Distinct {
  threads: number | null
  users: number | null
}

/** What the query counts of the distinct values that were found. */
export function toDistinct({ distinct }: RunSeriesQuery, found: { threads: number; users: number }): Distinct {
  return {
    threads: distinct?.includes('threads') ? found.threads : null,
    users: distinct?.includes('users') ? found.users : null,
  }
}

/** The user of a run: the first of these keys of its metadata that has a text or a number. A text begins with `"`. */
const USER = ['user_id', 'user']
  .map((key) => `metadata.value[indexOf(metadata.key, '${key}')]`)
  .map((value) => `if(${value} like '"_%' or match(${value}, '^-?[0-9]'), ${value}, null)`)
  .join(', ')

/** SQL of the user of a run, null without one. */
export const USER_OF_RUN = `coalesce(${USER})`

/** Numbers of different threads and users by cell. The same one in two buckets or groups counts once in their sum. */
export async function selectDistinct(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  query: RunSeriesQuery,
  bucket: Bucket,
  slots: Slots,
): Promise<Map<string, Distinct>> {
  const shown = texts([...slots.keys()])
  const groups = query.group_by ? toGroups(query.group_by) : literal('[]')
  const matched = sql`
    select start_time as began, ${groups} as groups, nullIf(thread_id, '') as thread, ${literal(USER_OF_RUN)} as user
    from runs final
    where ${whereRuns(tenantId, query)}`
  const rows = await analytics.query(
    sql`
    select grouping(at) as is_line, grouping(shown_key) as is_all,
      if(has(${shown}, key), key, 'rest') as shown_key, at, uniqExact(thread) as threads, uniqExact(user) as users
    from (${splitByGroup(matched, query, bucket)})
    group by shown_key, at with rollup`,
    columns({ ...GROUP_CELL, threads: count, users: count }),
  )
  return new Map(rows.map((row) => [toGroupCell(row, slots), toDistinct(query, row)]))
}
