/** A table that exists while a restore fills the database of a PostgreSQL server. */
export const RESTORE_MARK = 'touchstone_restoring'

/** What is needed of a connection. */
export interface Queries {
  run<Row>(statement: string): Promise<Row[]>
}

export interface RestoreMark {
  /** The backup that is restored. */
  readonly backup: string
  /** Whether its rows are in the database. */
  readonly isFilled: boolean
}

export async function readRestoreMark(connection: Queries): Promise<RestoreMark | undefined> {
  const exists = await connection.run(
    `select 1 from pg_tables where schemaname = current_schema() and tablename = '${RESTORE_MARK}'`,
  )
  if (exists.length === 0) return undefined
  const [mark] = await connection.run<RestoreMark>(`select backup, is_filled as "isFilled" from ${RESTORE_MARK}`)
  return mark
}

/** @param backup  hexadecimal */
export async function setRestoreMark(connection: Queries, backup: string): Promise<void> {
  await connection.run(`create table ${RESTORE_MARK} as select '${backup}'::text as backup, false as is_filled`)
}

/** Call it in the transaction that fills the database. */
export async function markAsFilled(connection: Queries): Promise<void> {
  await connection.run(`update ${RESTORE_MARK} set is_filled = true`)
}

export async function removeRestoreMark(connection: Queries): Promise<void> {
  await connection.run(`drop table if exists ${RESTORE_MARK}`)
}
