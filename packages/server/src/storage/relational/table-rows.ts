import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from, to } from 'pg-copy-streams'
import { readRowFile, type WriteOptions, writeRowFile } from '../row-files.ts'
import { toConnectionOptions } from './open-pool.ts'

/** A connection that copies whole tables to and from files, in the text format of PostgreSQL's COPY. */
export interface TableRows {
  /** Runs one statement. @returns its rows */
  run<Row>(statement: string): Promise<Row[]>
  /** Runs several statements. */
  runScript(statements: string): Promise<void>
  /**
   * Writes all rows of a table to a new file.
   *
   * @returns the number of rows
   */
  write(table: TableColumns, path: string, options?: WriteOptions): Promise<number>
  /** Appends the rows of a file to a table. */
  read(table: TableColumns, path: string): Promise<void>
  /** Ends the connection, also in the middle of a statement. */
  close(): Promise<void>
}

export interface TableColumns {
  /** With its schema, quoted. */
  readonly name: string
  /** In the order of the file, quoted. */
  readonly columns: readonly string[]
}

/** @throws Error when PostgreSQL cannot be connected to */
export async function openPostgresRows(url: string): Promise<TableRows> {
  const client = new pg.Client(toConnectionOptions(url))
  client.on('error', () => {}) // the running statement fails with it
  await client.connect()
  await client.query(`set timezone = 'UTC'`) // the URL may have options of its own
  return {
    run: async (statement) => (await client.query(statement)).rows,
    runScript: async (statements) => void (await client.query(statements)),
    write: ({ name, columns }, path, options) =>
      writeRowFile(client.query(to(`copy (select ${columns} from ${name}) to stdout`)), path, options),
    read: ({ name, columns }, path) =>
      pipeline(readRowFile(path), client.query(from(`copy ${name} (${columns}) from stdin`))),
    close: () => client.end(),
  }
}
