import type { VersionDiff } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { toRows } from '../../../storage/relational/migrate.ts'
import type { DatasetRow } from '../index.ts'

/**
 * Which examples two versions do not share. What changed in between began or ended there, so the examples that stayed
 * are never looked at.
 */
export async function diffVersions(
  { relational }: Pick<Deps, 'relational'>,
  { id, tenant_id }: DatasetRow,
  from: Date,
  to: Date,
): Promise<VersionDiff> {
  const isForward = from <= to
  const [older, newer] = (isForward ? [from, to] : [to, from]).map((date) => sql`${date.toISOString()}::timestamptz`)
  const result = await relational.db.execute(sql`
    select example_id,
      bool_or(as_of <= ${older!} and until > ${older!}) as was,
      bool_or(as_of <= ${newer!} and until > ${newer!}) as is_now
    from example_states
    where dataset_id = ${id} and tenant_id = ${tenant_id}
      and (as_of > ${older!} and as_of <= ${newer!} or until > ${older!} and until <= ${newer!})
    group by example_id
    order by example_id`)
  const rows = toRows<{ example_id: string; was: boolean; is_now: boolean }>(result)
  const idsOf = (was: boolean, isNow: boolean) =>
    rows.filter((row) => row.was === was && row.is_now === isNow).map((row) => row.example_id)
  const [appeared, vanished] = [idsOf(false, true), idsOf(true, false)]
  return {
    examples_modified: idsOf(true, true),
    examples_added: isForward ? appeared : vanished,
    examples_removed: isForward ? vanished : appeared,
  }
}
