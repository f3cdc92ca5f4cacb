import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { type CsvError, parse } from 'csv-parse'
import { type BadRows, MAX_ROW_BYTES, TOO_LONG } from './bad-rows.ts'
import type { Column } from './columns.ts'
import { type Cells, refuseMissing } from './read-rows.ts'

/** Bytes that are read before others get their turn. */
const CHUNK = 128 * 1024

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
  let isTooLong = false
  const name = (error: CsvError | undefined): undefined => {
    const line = typeof error?.lines === 'number' ? error.lines : 0
    if (error?.code !== 'CSV_MAX_RECORD_SIZE') bad.add(line, error?.message ?? 'cannot be read')
    else if (!isTooLong) bad.add(line, `${TOO_LONG}; is a quote not closed?`)
    // The parser says so again for every chunk of it.
    isTooLong ||= error?.code === 'CSV_MAX_RECORD_SIZE'
  }
  const parser = Readable.from(chunksOf(bytes)).pipe(
    parse({
      bom: true,
      info: true,
      max_record_size: MAX_ROW_BYTES, // a quote that is never closed would take the rest of the file
      relax_column_count: true, // the row is named below, with what it lacks
      skip_empty_lines: true,
      skip_records_with_error: true,
      on_skip: name,
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

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK) {
    await setImmediate() // streams hand on without a pause
    yield bytes.subarray(at, at + CHUNK)
  }
}
