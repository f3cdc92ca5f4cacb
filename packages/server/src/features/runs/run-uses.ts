import { parseTime } from '@touchstone/contract'
import { type SQL, sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { isAnyOf } from '../../storage/relational/columns.ts'
import { toRows } from '../../storage/relational/migrate.ts'
import { columns, nullable, oneOf, type RowOf, text } from '../../storage/rows.ts'

/** References to runs from datasets, queues and shares. */
export interface RunUses {
  /** Runs that an example was made from. */
  readonly inDatasets: ReadonlySet<string>
  /** Run → when it was last added to a queue that still contains it, in the contract's printed form. */
  readonly lastQueued: ReadonlyMap<string, string>
  /** Run → its share token. */
  readonly shareTokens: ReadonlyMap<string, string>
  /** Example → its dataset. */
  readonly datasets: ReadonlyMap<string, string>
}

const USE = columns({ what: oneOf('example', 'queue', 'share', 'dataset'), id: text, value: nullable(text) })

type Use = RowOf<typeof USE>

/**
 * Finds which runs are in datasets or queues or shared, and the datasets of the examples that they were run on.
 *
 * @param exampleIds  the examples that the runs refer to
 */
export async function selectRunUses(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  runIds: readonly string[],
  exampleIds: readonly string[],
): Promise<RunUses> {
  const among = (column: SQL, ids = runIds) => sql`tenant_id = ${tenantId} and ${isAnyOf(column, ids)}`
  const selects = [
    sql`select 'example' as what, source_run_id as id, null as value
      from example_states where ${among(sql`source_run_id`)} and until = 'infinity'`,
    sql`select 'queue', run_id, max(added_at)::text
      from annotation_queue_items where ${among(sql`run_id`)} group by run_id`,
    sql`select 'share', run_id, share_token::text from run_shares where ${among(sql`run_id`)}`,
    ...(exampleIds.length > 0
      ? [sql`select 'dataset', id, dataset_id::text from examples where ${among(sql`id`, exampleIds)}`]
      : []),
  ]
  // One statement for all: each statement costs the embedded engine as much as all of these lookups.
  const uses = toRows(await relational.db.execute(sql.join(selects, sql` union all `)), USE)
  const selectUses = (what: Use['what']) =>
    new Map(uses.filter((use) => use.what === what).map(({ id, value }) => [id, value ?? '']))
  return {
    inDatasets: new Set(selectUses('example').keys()),
    lastQueued: new Map([...selectUses('queue')].map(([id, at]) => [id, printTimestamp(at)])),
    shareTokens: selectUses('share'),
    datasets: selectUses('dataset'),
  }
}

/** A timestamp that PostgreSQL printed as text, in the contract's printed form. */
function printTimestamp(at: string): string {
  return parseTime(at.replace(/\+00$/, 'Z')) ?? at
}
