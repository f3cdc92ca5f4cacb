import type { FilterScalar } from '@touchstone/contract'
import { sql as relationalSql, type SQL } from 'drizzle-orm'
import { any, FALSE, type Fragment, join, not, sql, TRUE, uuid } from '../../../storage/analytics/sql.ts'
import { type LookupValue, lookup } from '../../../storage/analytics/wrappers.ts'
import { isAnyOf } from '../../../storage/relational/columns.ts'
import { toRows } from '../../../storage/relational/migrate.ts'
import type { Relational } from '../../../storage/relational/port.ts'
import { ID_ROW } from '../../../storage/rows.ts'
import { type Clause, type FilterContext, toScopeCondition } from './context.ts'
import { column, compareScalar } from './scalars.ts'

/** Compiles a positive clause on a field that is stored outside the row of the run. */
type Compare = (clause: Clause, context: FilterContext) => Fragment

const RELATED_FIELDS: ReadonlyMap<string, Compare> = new Map([
  ['attachments', withLists(compareAttachments)],
  ['in_dataset', withLists(compareInDataset)],
  ['reference_dataset_id', withLists(compareDataset)],
])

/** @returns `undefined` when the field is not stored in related rows */
export function findRelatedField(field: string): Compare | undefined {
  return RELATED_FIELDS.get(field)
}

/** A list matches null, or one of its other values; the other values are compared at once. */
function withLists(compare: Compare): Compare {
  return ({ op, value }, context) => {
    if (op !== 'in') return compare({ op, value }, context)
    const list = value as readonly FilterScalar[]
    const values = list.filter((item) => item !== null)
    const conditions = values.length < list.length ? [compare({ op: 'eq', value: null }, context)] : []
    if (values.length > 0) conditions.push(compare({ op: 'in', value: values }, context))
    return any(conditions)
  }
}

/** Whether one attachment has a name that satisfies the clause. */
function compareAttachments({ op, value }: Clause, { tenantId }: FilterContext): Fragment {
  const owner = sql`tenant_id = ${uuid(tenantId)}`
  if (value === null) return sql`id not in (select run_id from run_attachments final where ${owner})`
  const nameMatches = compareScalar(column('name', 'text', 'never'), { op: op === 'has' ? 'eq' : op, value })
  return sql`id in (select run_id from run_attachments final where ${join([owner, nameMatches])})`
}

function compareInDataset({ value }: Clause, { tenantId }: FilterContext): Fragment {
  if (value === null) return FALSE
  const isIn = sql`id in ${lookUpSourceRuns(tenantId)}`
  const wanted = new Set([value].flat())
  if (wanted.size > 1) return TRUE
  return wanted.has(true) ? isIn : not(isIn)
}

function compareDataset({ value }: Clause, context: FilterContext): Fragment {
  const { tenantId } = context
  if (value !== null) return isExampleIn(sql`${lookUpExamples(tenantId, [value].flat().map(String))}`)
  return any([
    sql`reference_example_id is null`,
    isExampleIn(sql`${lookUpDanglingExamples(tenantId, toScopeCondition(context))}`),
  ])
}

const isExampleIn = (examples: Fragment) => sql`ifNull(reference_example_id in ${examples}, false)`

/** Ids of the runs that examples were made from. */
function lookUpSourceRuns(tenantId: string): LookupValue {
  return lookUpIds(relationalSql`
    select distinct source_run_id as id from example_states
    where tenant_id = ${tenantId} and until = 'infinity' and source_run_id is not null`)
}

/** Ids of all examples that the datasets ever had: a run on a deleted example still belongs to the dataset. */
function lookUpExamples(tenantId: string, datasetIds: readonly string[]): LookupValue {
  return lookUpIds(relationalSql`
    select id from examples where tenant_id = ${tenantId} and ${isAnyOf(relationalSql`dataset_id`, datasetIds)}`)
}

/**
 * Ids of examples that runs refer to and no dataset has: the dataset was deleted, or the id never existed.
 *
 * @param scope  condition on the rows of `runs`
 */
function lookUpDanglingExamples(tenantId: string, scope: Fragment): LookupValue {
  return lookup('Array(UUID)', async ({ analytics, relational }) => {
    const named = await analytics.query(
      sql`
      select distinct reference_example_id as id from runs where ${scope} and reference_example_id is not null`,
      ID_ROW,
    )
    const found = await selectIds(
      relational,
      relationalSql`select id from examples
        where tenant_id = ${tenantId} and ${isAnyOf(
          relationalSql`id`,
          named.map(({ id }) => id),
        )}`,
    )
    const there = new Set(found)
    return named.map(({ id }) => id).filter((id) => !there.has(id))
  })
}

function lookUpIds(statement: SQL): LookupValue {
  return lookup('Array(UUID)', ({ relational }) => selectIds(relational, statement))
}

async function selectIds({ db }: Relational, statement: SQL): Promise<string[]> {
  return toRows(await db.execute(statement), ID_ROW).map(({ id }) => id)
}
