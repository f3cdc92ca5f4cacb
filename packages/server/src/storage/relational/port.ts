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
