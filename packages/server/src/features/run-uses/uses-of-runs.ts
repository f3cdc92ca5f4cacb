import { parseTime } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { isAnyOf } from '../../storage/relational/columns-of-rows.ts'
import { rowsOf } from '../../storage/relational/migrate.ts'

/** What others keep about some runs. */
export interface RunUses {
  /** Runs that some dataset has an example of. */
  readonly inDatasets: ReadonlySet<string>
  /** Run → when it was last put into a queue that still holds it, in the contract's printed form. */
  readonly lastQueued: ReadonlyMap<string, string>
  /** Example → its dataset. */
  readonly datasets: ReadonlyMap<string, string>
}

interface Use {
  readonly what: 'example' | 'queue' | 'dataset'
  readonly id: string
  readonly value: string | null
}

/**
 * Which of the runs stand in datasets and queues, and whose the examples are that they were run on.
 *
 * @param exampleIds  that the runs refer to
 */
export async function usesOfRuns(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  runIds: readonly string[],
  exampleIds: readonly string[],
): Promise<RunUses> {
  // One question: each would cost the embedded engine as much as all of them.
  const result = await relational.db.execute(sql`
    select distinct 'example' as what, source_run_id as id, null as value
    from example_states
    where tenant_id = ${tenantId} and until = 'infinity' and ${isAnyOf(sql`source_run_id`, runIds)}
    union all
    select 'queue', run_id, max(added_at)::text
    from annotation_queue_items
    where tenant_id = ${tenantId} and ${isAnyOf(sql`run_id`, runIds)}
    group by run_id
    union all
    select 'dataset', id, dataset_id::text
    from examples
    where tenant_id = ${tenantId} and ${isAnyOf(sql`id`, exampleIds)}`)
  const uses = rowsOf<Use>(result)
  const valuesOf = (what: Use['what']) => uses.filter((use) => use.what === what)
  return {
    inDatasets: new Set(valuesOf('example').map(({ id }) => id)),
    lastQueued: new Map(valuesOf('queue').map(({ id, value }) => [id, parseTime(value!.replace(/\+00$/, 'Z'))!])),
    datasets: new Map(valuesOf('dataset').map(({ id, value }) => [id, value!])),
  }
}
