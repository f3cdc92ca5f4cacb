import type { Changes } from './changes.ts'
import type { Sql } from './sql.ts'

/** A column store that speaks ClickHouse SQL. */
export interface Analytics {
  /** Runs one SELECT; 64-bit integers and decimals come back as strings, so that no digit is lost. */
  query<Row>(statement: Sql): Promise<Row[]>
  /** The same as JSON text, one entry per row, for answers that pass rows on without looking into them. */
  queryTexts(statement: Sql): Promise<string[]>
  /**
   * Runs one SELECT that somebody else wrote, with names and types of its columns. It may change nothing, and gets no time
   * limit but that of its settings. Integers and decimals are numbers, times ISO 8601, floats that are not finite texts.
   *
   * @param settings  of the engine, for this statement alone; values are SQL
   */
  queryTable(statement: Sql, settings: EngineSettings): Promise<Table>
  /**
   * Appends rows as one block, durable and readable once the promise settles.
   */
  insert(table: string, rows: readonly InsertRow[]): Promise<void>
  /** Runs one statement that answers nothing: migrations and deletes. */
  command(statement: Sql): Promise<void>
  /** What was written since when; absent where others than this process write, too. */
  readonly changes?: Changes
  /** Copies of the engine's files; absent where the data lives on a server of its own. */
  readonly snapshots?: AnalyticsSnapshots
  close(): Promise<void>
}

/** A row to append. */
export interface InsertRow {
  /** JSON text of the row (JSONEachRow). */
  readonly json: string
  /** Of a row of `runs`; caches read it. A row of `runs` without a key may belong to any project and day. */
  readonly key?: RunRowKey
}

/** The beginning of the sort key of a row of `runs`. */
export interface RunRowKey {
  readonly tenant_id: string
  readonly session_id: string
  /** In the column's form, `YYYY-MM-DD hh:mm:ss.ffffff`. */
  readonly start_time: string
}

/** Name → value as SQL. */
export type EngineSettings = Readonly<Record<string, string | number>>

export interface Table {
  readonly names: readonly string[]
  /** As the engine spells them: `Nullable(Float64)`. */
  readonly types: readonly string[]
  /** JSON text of each row, an array. */
  readonly rows: readonly string[]
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
