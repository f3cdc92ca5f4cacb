import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'

/** PostgreSQL through Drizzle; only the connection differs between the engines. */
export type Database = PgDatabase<PgQueryResultHKT, Record<string, never>>

/** A PostgreSQL that keeps what people edit. */
export interface Relational {
  readonly engine: 'pglite' | 'postgres'
  readonly db: Database
  /** The folder of the embedded engine; absent for a server, and in memory. */
  readonly directory?: string
  /** Runs `work` in one transaction: all of it holds, or, when it throws, none. Inside, use only `tx`. */
  transaction<Result>(work: (tx: Database) => Promise<Result>): Promise<Result>
  /**
   * Runs statements that a library brings, several at once, without values; inside no transaction but their own.
   *
   * @returns the rows of the last
   */
  runScript(text: string): Promise<unknown[]>
  close(): Promise<void>
}

/**
 * The store as seen from inside a transaction: whatever is handed it takes part in that transaction, also what would
 * open one of its own.
 */
export function withTransaction(relational: Relational, tx: Database): Relational {
  return { ...relational, db: tx, transaction: (work) => work(tx) }
}
