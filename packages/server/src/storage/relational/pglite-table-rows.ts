import { Readable } from 'node:stream'
import type { PGlite } from '@electric-sql/pglite'
import { cutAtLines, readRowFile, writeRowFile } from '../row-files.ts'
import type { TableColumns, TableRows } from './table-rows.ts'

/** Pages of a table whose rows are measured at once. */
const PAGES_AT_ONCE = 64

/** The embedded engine holds what is copied at once in memory; a larger row is copied alone. */
const BYTES_AT_ONCE = 8 * 1024 * 1024

/** Copies tables through a connection of the embedded engine that nothing else uses meanwhile. */
export function createPgliteRows(client: PGlite): TableRows {
  return {
    run: async <Row>(statement: string) => (await client.query<Row>(statement)).rows,
    runScript: async (statements) => void (await client.exec(statements)),
    write: (table, path, options) => writeRowFile(Readable.from(printRows(client, table)), path, options),
    async read({ name, columns }, path) {
      for await (const rows of cutAtLines(readRowFile(path), BYTES_AT_ONCE)) {
        const blob = new Blob([new Uint8Array(rows)])
        await client.query(`copy ${name} (${columns}) from '/dev/blob'`, [], { blob })
      }
    },
    close: () => client.close(),
  }
}

/** Only for a database that no one changes meanwhile. */
async function* printRows(client: PGlite, { name, columns }: TableColumns): AsyncGenerator<Buffer> {
  const found = await client.query<{ pages: number }>(
    `select coalesce(max(pg_relation_size(relid) / current_setting('block_size')::int), 0)::int as pages
     from (select '${name}'::regclass as relid union select relid from pg_partition_tree('${name}')) as parts`,
  )
  const size = columns.map((column) => `coalesce(octet_length(${column}::text), 0)`).join(' + ')
  const pages = found.rows[0]?.pages ?? 0
  for (let page = 0; page < pages; page += PAGES_AT_ONCE) {
    const rows = await client.query<{ at: string; bytes: number }>(
      `select ctid::text as at, (${size})::int as bytes from ${name}
       where ctid >= '(${page},0)' and ctid < '(${page + PAGES_AT_ONCE},0)'`,
    )
    for (const places of groupBySize(rows.rows)) {
      const { blob } = await client.query(
        `copy (select ${columns} from ${name} where ctid = any(array[${places.map((at) => `'${at}'`)}]::tid[]))
         to '/dev/blob'`,
      )
      if (blob !== undefined) yield Buffer.from(await blob.arrayBuffer())
    }
  }
}

function groupBySize(rows: readonly { readonly at: string; readonly bytes: number }[]): string[][] {
  const groups: string[][] = []
  let group: string[] = []
  let size = Number.POSITIVE_INFINITY
  for (const { at, bytes } of rows) {
    if (size + bytes > BYTES_AT_ONCE) {
      group = []
      groups.push(group)
      size = 0
    }
    group.push(at)
    size += bytes
  }
  return groups
}
