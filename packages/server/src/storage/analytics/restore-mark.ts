import { COUNT_ROW } from '../rows.ts'
import type { Analytics } from './port.ts'
import { literal, sql } from './sql.ts'

/** A table that exists while a restore fills the database of a ClickHouse server, which has no transactions. */
const MARK = 'touchstone_restoring'

type Store = Pick<Analytics, 'query' | 'command'>

export const setRestoreMark = (analytics: Store): Promise<void> =>
  analytics.command(literal(`create table if not exists ${MARK} (n UInt8) engine = MergeTree order by n`))

export const removeRestoreMark = (analytics: Store): Promise<void> =>
  analytics.command(literal(`drop table if exists ${MARK} sync`))

/** Whether a restore into the database is running or was interrupted. */
export async function hasRestoreMark(analytics: Store): Promise<boolean> {
  const found = await analytics.query(
    sql`select count() as n from system.tables where database = currentDatabase() and name = ${literal(`'${MARK}'`)}`,
    COUNT_ROW,
  )
  return found[0]?.n === 1
}

/** @throws Error when a restore into the database is running or was interrupted */
export async function assertNotRestoring(analytics: Store): Promise<void> {
  if (!(await hasRestoreMark(analytics))) return
  throw new Error(
    'A restore into the ClickHouse database is running or was interrupted, so its data is not complete. Run `touchstone backup restore` again.',
  )
}
