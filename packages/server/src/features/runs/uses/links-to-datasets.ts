import { sql as relationalSql, type SQL } from 'drizzle-orm'
import { type LookupValue, lookup } from '../../../storage/analytics/lookup.ts'
import { type Fragment, sql } from '../../../storage/analytics/sql.ts'
import { isAnyOf } from '../../../storage/relational/columns-of-rows.ts'
import { toRows } from '../../../storage/relational/migrate.ts'
import type { Relational } from '../../../storage/relational/port.ts'

/** Ids of the runs that examples were made from. */
export function runsInDatasets(tenantId: string): LookupValue {
  return ids(relationalSql`
    select distinct source_run_id as id from example_states
    where tenant_id = ${tenantId} and until = 'infinity' and source_run_id is not null`)
}

/** Ids of all examples that the datasets ever had: a run on one that was deleted since is still a run on the dataset. */
export function examplesOfDatasets(tenantId: string, datasetIds: readonly string[]): LookupValue {
  return ids(relationalSql`
    select id from examples where tenant_id = ${tenantId} and ${isAnyOf(relationalSql`dataset_id`, datasetIds)}`)
}

/**
 * Ids of examples that runs refer to and no dataset has: the dataset was deleted, or the id was made up.
 *
 * @param scope  condition on `runs` that says whose
 */
export function danglingExamples(tenantId: string, scope: Fragment): LookupValue {
  return lookup('Array(UUID)', async ({ analytics, relational }) => {
    const named = await analytics.query<{ id: string }>(sql`
      select distinct reference_example_id as id from runs where ${scope} and reference_example_id is not null`)
    const found = await select(
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

function ids(statement: SQL): LookupValue {
  return lookup('Array(UUID)', ({ relational }) => select(relational, statement))
}

async function select({ db }: Relational, statement: SQL): Promise<string[]> {
  return toRows<{ id: string }>(await db.execute(statement)).map(({ id }) => id)
}
