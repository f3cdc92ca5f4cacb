import { Readable } from 'node:stream'
import { type CsvError, parse } from 'csv-parse'
import type { BadRows } from './bad-rows.ts'
import type { Column } from './columns.ts'
import { type Cells, refuseMissing } from './read-rows.ts'

/** Bytes that are read before others get their turn. */
const CHUNK = 256 * 1024

interface Parsed {
  readonly record: readonly string[]
  /** `lines`: lines up to the end of the record. */
  readonly info: { readonly lines: number }
}

/**
 * Rows of a CSV file whose first row names the columns. Every cell is a string, the empty one too.
 *
 * @param columns  those that must be there; others are left aside
 * @param bad  told of rows that cannot be read
 */
export async function* readCsv(bytes: Buffer, columns: readonly Column[], bad: BadRows): AsyncGenerator<Cells> {
  const parser = Readable.from(chunksOf(bytes)).pipe(
    parse({
      bom: true,
      info: true,
      relax_column_count: true, // the row is named below, with what it lacks
      skip_empty_lines: true,
      skip_records_with_error: true,
      on_skip: (error) => nameRow(bad, error),
    }),
  )
  let places: Map<string, number> | undefined
  let width = 0
  let line = 1
  for await (const { record, info } of parser as AsyncIterable<Parsed>) {
    const begin = line
    line = info.lines + 1
    if (places === undefined) {
      places = placesOf(record, columns)
      width = record.length
    } else if (record.length !== width) {
      bad.add(begin, `has ${record.length} cells, the header ${width}`)
    } else {
      yield { line: begin, cells: new Map(Array.from(places, ([name, at]) => [name, JSON.stringify(record[at])])) }
    }
  }
  bad.throwIfAny()
  if (places === undefined) refuseMissing(columns)
}

function placesOf(header: readonly string[], columns: readonly Column[]): Map<string, number> {
  const names = [...new Set(columns.map(({ name }) => name))]
  const missing = columns.filter(({ name }) => !header.includes(name))
  if (missing.length > 0) refuseMissing(missing)
  return new Map(names.map((name) => [name, header.indexOf(name)]))
}

function nameRow(bad: BadRows, error: CsvError | undefined): undefined {
  const lines = error?.lines
  bad.add(typeof lines === 'number' ? lines : 0, error?.message ?? 'cannot be read')
  return undefined
}

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK)
}
