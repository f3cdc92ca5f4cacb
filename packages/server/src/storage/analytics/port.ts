import type { WriteOptions } from '../row-files.ts'
import type { RowDecoder } from '../rows.ts'
import type { Changes } from './changes.ts'
import type { Sql } from './sql.ts'

/** A column store with ClickHouse SQL. */
export interface Analytics {
  /**
   * Runs one SELECT; 64-bit integers and decimals are strings, so that no digit is lost.
   *
   * @param row  decodes a row, see `columns`
   * @throws TypeError when a column has another type than `row` expects
   */
  query<Row>(statement: Sql, row: RowDecoder<Row>): Promise<Row[]>
  /** Like `query`, as JSON text, one entry per row, for answers that pass rows on unparsed. */
  queryTexts(statement: Sql): Promise<string[]>
  /**
   * Runs one SELECT of a user and returns the names and types of its columns. It cannot change data, and is stopped from
   * outside of the engine when it takes longer than its limit. The embedded engine runs it in a process of its own, in
   * which other tables than those of `limits` do not exist. Integers and decimals are numbers, times ISO 8601, floats that are not finite are texts.
   *
   * @param settings  of the engine, for this statement only; values are SQL
   */
  queryTable(statement: Sql, settings: EngineSettings, limits: StatementLimits): Promise<Table>
  /**
   * Appends rows as one block, durable and readable once the promise settles.
   *
   * @throws StoreFailure of kind `row` when the engine cannot read one of the rows
   */
  insert(table: string, rows: readonly InsertRow[]): Promise<void>
  /** Runs one statement without an answer: migrations and deletes. */
  command(statement: Sql): Promise<void>
  /**
   * Waits until everything of a workspace that was acknowledged can be read. Selects and commands wait by themselves;
   * what answers without them, such as a cache that looks at `changes`, calls this first. Absent where an
   * acknowledgement waits for the store.
   */
  settled?(tenantId: string): Promise<void>
  /** When rows were written; absent where other processes write too. */
  readonly changes?: Changes
  /** Copies of the engine's files; absent where the data is on a separate server. */
  readonly snapshots?: AnalyticsSnapshots
  readonly tables: WholeTables
  close(): Promise<void>
}

/** A row to append. */
export interface InsertRow {
  /** JSON text of the row (JSONEachRow). */
  readonly json: string
  /** Key of a row of `runs`, for caches. A row of `runs` without a key may belong to any project and day. */
  readonly key?: RunRowKey
}

/** The beginning of the sort key of a row of `runs`. */
export interface RunRowKey {
  readonly tenant_id: string
  readonly session_id: string
  /** In the column's form, `YYYY-MM-DD hh:mm:ss.ffffff`. */
  readonly start_time: string
}

export interface StatementLimits {
  /** Time limit; the statement is stopped shortly after it. */
  readonly seconds: number
  /** Names of the tables that it reads. */
  readonly tables: readonly string[]
}

/** Name → value as SQL. */
export type EngineSettings = Readonly<Record<string, string | number>>

export interface Table {
  readonly names: readonly string[]
  /** As the engine prints them: `Nullable(Float64)`. */
  readonly types: readonly string[]
  /** JSON text of each row, an array. */
  readonly rows: readonly string[]
}

/** Copies of whole tables in files of rows (`row-files.ts`). The first line has the names of the columns. */
export interface WholeTables {
  /**
   * Begins to write all rows of a table, superseded versions included, to a new file. Resolves when it is certain which
   * rows; `written` returns their number when they are in the file.
   */
  write(table: string, path: string, options?: WriteOptions): Promise<{ readonly written: Promise<number> }>
  /** Appends the rows of a file to a table, and to the tables that follow it. */
  read(table: string, path: string): Promise<void>
}

/** Snapshots of the embedded engine for backups. */
export interface AnalyticsSnapshots {
  /** The folder of the engine. */
  readonly directory: string
  /**
   * Freezes every table: hard links to its current files below `shadow/<name>`, which the engine does not change.
   * Waits for inserts that are running. Later inserts and commands wait until `whileWritesWait` has settled.
   *
   * @param name  letters, digits, `_`; a folder of this name must not exist yet
   */
  freeze<Result>(name: string, whileWritesWait: () => Promise<Result>): Promise<Result>
}
