import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import type { StoreMemory } from './store-memory.ts'
import type { TableRows } from './table-rows.ts'
import type { WriteLocks } from './write-locks.ts'

/** PostgreSQL through Drizzle; only the connection differs between the engines. */
export type Database = PgDatabase<PgQueryResultHKT, Record<string, never>>

/** The PostgreSQL database for everything that people edit. */
export interface Relational {
  readonly engine: 'pglite' | 'postgres'
  readonly db: Database
  /** The folder of the embedded engine; absent for a server, and in memory. */
  readonly directory?: string
  readonly memory: StoreMemory
  /** Locks for all processes that use the database; absent when there can be only one. */
  readonly locks?: WriteLocks
  /** Runs `work` in one transaction, which is rolled back when `work` throws. Inside, use only `tx`. */
  transaction<Result>(work: (tx: Database) => Promise<Result>): Promise<Result>
  /**
   * Runs several statements of a library at once, without values and outside of a transaction.
   *
   * @returns the rows of the last statement
   */
  runScript(text: string): Promise<unknown[]>
  /** Opens a connection for copies of whole tables; its caller closes it. */
  openRows(): Promise<TableRows>
  close(): Promise<void>
}

/**
 * The same store inside a transaction: everything that gets it takes part in the transaction, also code that would open a
 * transaction of its own. Constants read inside are not remembered: the transaction may be rolled back.
 */
export function withTransaction(relational: Relational, tx: Database): Relational {
  const memory = { ...relational.memory, constants: new Map() }
  return { ...relational, db: tx, memory, transaction: (work) => work(tx) }
}
