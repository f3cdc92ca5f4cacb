import { chmod } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { ClickHouseClient } from '@clickhouse/client'
import { countRows, readRowFile, writeRowFile } from '../row-files.ts'
import { columns, text as string } from '../rows.ts'
import type { Analytics, WholeTables } from './port.ts'
import { text as bound, literal, sql } from './sql.ts'

const FORMAT = 'TabSeparatedWithNames'

/** A column that the table lacks is an error; by default its values are dropped. */
const NO_UNKNOWN_COLUMNS = { input_format_skip_unknown_fields: 0 } as const

/** The first line has the names of the columns. */
const withoutNames = (lines: number) => lines - 1

/** Copies tables of a server over HTTP. */
export function createWholeTables(client: ClickHouseClient): WholeTables {
  return {
    async write(table, path, options) {
      const { stream } = await client.exec({ query: `select * from ${table} format ${FORMAT}` })
      return { written: writeRowFile(stream.compose(refuseExceptions(table)), path, options).then(withoutNames) }
    },
    async read(table, path) {
      const { stream } = await client.exec({
        query: `insert into ${table} format ${FORMAT}`,
        values: readRowFile(path),
        clickhouse_settings: {
          async_insert: 0,
          // Blocks of an earlier, interrupted restore may be equal.
          insert_deduplicate: 0,
          max_partitions_per_insert_block: '0',
          ...NO_UNKNOWN_COLUMNS,
        },
      })
      // The server may fail after it has begun to answer; an insert has no other text to send.
      const problem = (await text(stream)).trim()
      if (problem !== '') throw new Error(`ClickHouse did not store the table ${table}: ${problem.slice(0, 500)}`)
    },
  }
}

const CARRIAGE_RETURN = 13

/**
 * Fails when the server sends an exception after some of the rows. It begins with `__exception__` and a carriage return, which
 * is escaped in rows.
 */
function refuseExceptions(table: string): Transform {
  let message: Buffer[] | undefined
  return new Transform({
    transform(chunk: Buffer, _, done) {
      if (message !== undefined) message.push(chunk)
      else if (chunk.includes(CARRIAGE_RETURN)) message = [chunk]
      done(null, message === undefined ? chunk : undefined)
    },
    flush(done) {
      const sent = message && Buffer.concat(message)
      if (sent === undefined) return done()
      const reason = sent.subarray(sent.indexOf(CARRIAGE_RETURN)).toString().trim()
      done(new Error(`ClickHouse sent a part of the table ${table}: ${reason.slice(0, 500)}`))
    },
  })
}

/** Copies tables of the embedded engine, which reads and writes the files itself. */
export function createEmbeddedTables(analytics: Pick<Analytics, 'command' | 'query'>): WholeTables {
  return {
    async write(table, path) {
      await analytics.command(literal(`insert into function file(${quote(path)}, '${FORMAT}') select * from ${table}`))
      await chmod(path, 0o600)
      return { written: countRows(path).then(withoutNames) }
    },
    async read(table, path) {
      const stored = await analytics.query(
        sql`
          select name, type from system.columns
          where database = currentDatabase() and table = ${bound(table)} and default_kind in ('', 'DEFAULT')`,
        columns({ name: string, type: string }),
      )
      const names = stored.map(({ name }) => name).join(', ')
      const structure = stored.map(({ name, type }) => `${name} ${type}`).join(', ')
      await analytics.command(
        literal(
          `insert into ${table} (${names}) select ${names} from file(${quote(path)}, '${FORMAT}', ${quote(structure)})
           settings ${Object.entries(NO_UNKNOWN_COLUMNS).map(([name, value]) => `${name} = ${value}`)}`,
        ),
      )
    },
  }
}

const quote = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
