import type { Changes } from './changes.ts'
import type { Sql } from './sql.ts'

/** A column store that speaks ClickHouse SQL. */
export interface Analytics {
  /** Runs one SELECT; 64-bit integers and decimals come back as strings, so that no digit is lost. */
  query<Row>(statement: Sql): Promise<Row[]>
  /** The same as JSON text, one entry per row, for answers that pass rows on without looking into them. */
  queryTexts(statement: Sql): Promise<string[]>
  /**
   * Appends rows as one block, durable and readable once the promise settles.
   *
   * @param rows  JSON text of each row, one per entry (JSONEachRow)
   */
  insert(table: string, rows: readonly string[]): Promise<void>
  /** Runs one statement that answers nothing: migrations and deletes. */
  command(statement: Sql): Promise<void>
  /** What was written since when; absent where others than this process write, too. */
  readonly changes?: Changes
  /** Copies of the engine's files; absent where the data lives on a server of its own. */
  readonly snapshots?: AnalyticsSnapshots
  close(): Promise<void>
}

/** What the embedded engine offers to backups. */
export interface AnalyticsSnapshots {
  /** The folder of the engine. */
  readonly directory: string
  /**
   * Freezes every table: hard links to its current files below `shadow/<name>`, which stay whatever the engine does next.
   * Waits for inserts that are running. Later inserts and commands wait until `whileWritesWait` has settled.
   *
   * @param name  letters, digits, `_`; a folder of this name must not exist yet
   */
  freeze<Result>(name: string, whileWritesWait: () => Promise<Result>): Promise<Result>
}
