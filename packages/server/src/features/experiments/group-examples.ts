import type { GroupedRunsQuery } from '@touchstone/contract'
import { and, sql as relationalSql } from 'drizzle-orm'
import { entryText, type JsonScalar } from '../../json/flatten-json.ts'
import { type Fragment, literal, sql, text, texts, uuids } from '../../storage/analytics/sql.ts'
import { isStorable } from '../../storage/relational/columns.ts'
import { exampleStates, isInNewestVersion } from '../datasets/examples/index.ts'
import type { FindDeps } from './find-page.ts'
import { matchesRoots } from './read-scores.ts'

/** How a run finds its group: a nullable text over the columns of `runs`, null for none. */
export type GroupOf = Fragment

/** What runs are grouped by. A value is told as metadata is stored: a string with a `"` before it, other JSON as it is printed. */
export async function groupOf(
  deps: FindDeps,
  tenantId: string,
  datasetId: string,
  { group_by, metadata_key: key }: Pick<GroupedRunsQuery, 'group_by' | 'metadata_key'>,
): Promise<GroupOf> {
  if (group_by === 'run_metadata') {
    return sql`if(has(metadata.key, ${text(key)}), toNullable(metadata.value[indexOf(metadata.key, ${text(key)})]), null)`
  }
  const values = await valuesOfExamples(deps, tenantId, datasetId, key)
  if (values.size === 0) return literal("CAST(null, 'Nullable(String)')")
  const [ids, found] = [[...values.keys()], [...values.values()]]
  return sql`nullIf(transform(assumeNotNull(reference_example_id), ${uuids(ids)}, ${texts(found)}, ''), '')`
}

async function valuesOfExamples(
  { relational }: FindDeps,
  tenantId: string,
  datasetId: string,
  key: string,
): Promise<Map<string, string>> {
  if (!isStorable(key)) return new Map() // no key can be called that
  const value = relationalSql<string | null>`(${exampleStates.metadata_index} -> ${key}::text)::text`
  const rows = await relational.db
    .select({ id: exampleStates.example_id, value })
    .from(exampleStates)
    .where(and(isInNewestVersion(tenantId, datasetId), relationalSql`${value} is not null`))
  return new Map(rows.map((row) => [row.id, textOf(JSON.parse(row.value!))]))
}

/** Lists and objects are told whole. */
function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : entryText(value as JsonScalar)
}

/** A value as the wire has it. */
export function keyOfGroup(stored: string): string {
  return stored.startsWith('"') ? stored.slice(1) : stored
}

/** Text of a filter that finds the runs, or the examples, of a group. */
export function filterOfGroup({ group_by, metadata_key }: GroupedRunsQuery, stored: string): string {
  const key = JSON.stringify(metadata_key)
  const value = stored.startsWith('"') ? JSON.stringify(stored.slice(1)) : stored
  if (group_by === 'run_metadata') return `and(eq(metadata_key, ${key}), eq(metadata_value, ${value}))`
  return `has(metadata, ${JSON.stringify(`{${key}:${value}}`)})`
}

export interface GroupMembers {
  readonly exampleIds: readonly string[]
}

/** Ids of the examples of each group, by its stored value. */
export async function listMembers(
  { analytics }: FindDeps,
  tenantId: string,
  sessionIds: readonly string[],
  exampleIds: readonly string[] | undefined,
  group: GroupOf,
): Promise<Map<string, ReadonlySet<string>>> {
  const rows = await analytics.query<{ value: string; examples: string[] }>(sql`
    select assumeNotNull(found) as value, groupUniqArray(assumeNotNull(reference_example_id)) as examples
    from (
      select ${group} as found, reference_example_id
      from runs final
      where ${matchesRoots(tenantId, sessionIds, exampleIds)}
    )
    where found is not null
    group by value`)
  return new Map(rows.map((row) => [row.value, new Set(row.examples)]))
}

/** Ids of the runs of some examples, by the stored value of their group. */
export async function listRunsOfGroups(
  { analytics }: FindDeps,
  tenantId: string,
  sessionIds: readonly string[],
  exampleIds: readonly string[],
  group: GroupOf,
): Promise<Map<string, ReadonlySet<string>>> {
  const rows = await analytics.query<{ value: string; runs: string[] }>(sql`
    select assumeNotNull(found) as value, groupArray(id) as runs
    from (
      select ${group} as found, id
      from runs final
      where ${matchesRoots(tenantId, sessionIds, exampleIds)}
    )
    where found is not null
    group by value`)
  return new Map(rows.map((row) => [row.value, new Set(row.runs)]))
}
