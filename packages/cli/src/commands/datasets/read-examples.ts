import { pipeline, Readable } from 'node:stream'
import { CSV_HEAD_CHARACTERS, detectCsvDelimiter, findCsvColumns } from '@touchstone/contract'
import { isRecord, type JsonRecord } from '@touchstone/formats/guards'
import { replaceNumbers } from '@touchstone/formats/lex-json'
import { repairNumbers } from '@touchstone/formats/repair-numbers'
import type { ExampleCreate } from '@touchstone/sdk'
import { CsvError, parse } from 'csv-parse'
import { UsageError } from '../../exit-codes.ts'

/** Maps columns of a row to the parts of an example. */
export interface ColumnMapping {
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  readonly metadata: readonly string[]
}

export interface ReadOptions {
  readonly isCsv: boolean
  /** Absent: each line of JSON is a complete example. */
  readonly columns: ColumnMapping | undefined
  /** Split of rows without a split of their own. */
  readonly split: string | undefined
  /** Called for a line with NaN or Infinity, which JSON does not have: they become null. */
  readonly onRepaired?: (line: number, fields: readonly string[]) => void
}

/**
 * Reads the examples of a file one by one.
 *
 * @throws UsageError that names the invalid line or the missing column
 */
export async function* readExamples(
  chunks: AsyncIterable<string>,
  options: ReadOptions,
): AsyncGenerator<ExampleCreate> {
  const { columns, split } = options
  const wanted = columns === undefined ? [] : Object.values(columns).flat()
  for await (const { line, row } of options.isCsv ? readCsvRows(chunks, wanted) : readJsonRows(chunks, options)) {
    const example = columns === undefined ? toExample(row, line) : mapColumns(row, columns, line)
    yield split === undefined || example.split != null ? example : { ...example, split }
  }
}

interface Row {
  /** Line number of its start, from 1. */
  line: number
  row: JsonRecord
}

async function* readCsvRows(chunks: AsyncIterable<string>, wanted: readonly string[]): AsyncGenerator<Row> {
  const { head, all } = await peek(chunks, CSV_HEAD_CHARACTERS)
  const delimiter = detectCsvDelimiter(head, wanted)
  let header: readonly string[] | undefined
  let positions: ReadonlyMap<string, number> = new Map()
  for await (const { line, cells } of readCsvRecords(all, delimiter)) {
    if (header === undefined) {
      header = cells
      const found = findCsvColumns(header, wanted, delimiter)
      if ('problem' in found) throw new UsageError(found.problem)
      positions = found.ok
      continue
    }
    if (cells.length !== header.length) {
      throw new UsageError(`Line ${line} has ${cells.length} cells, the first line has ${header.length}.`)
    }
    yield { line, row: Object.fromEntries(Array.from(positions, ([name, index]) => [name, cells[index]])) }
  }
}

/** Reads the start of a text; `all` is the whole text, also that start. */
async function peek(chunks: AsyncIterable<string>, characters: number) {
  const source = chunks[Symbol.asyncIterator]()
  const read: string[] = []
  let head = ''
  for (let next = await source.next(); !next.done; next = await source.next()) {
    read.push(next.value)
    head += next.value
    if (head.length >= characters) break
  }
  async function* all(): AsyncGenerator<string> {
    yield* read
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value
  }
  return { head, all: all() }
}

export interface CsvRecord {
  /** Line number of its start, from 1. */
  line: number
  cells: string[]
}

interface ParsedRecord {
  readonly record: readonly { text: string; isQuoted: boolean }[]
  readonly raw: string
}

/**
 * Reads CSV records (RFC 4180): quoted cells may contain delimiters, doubled quotes and line breaks. A quote inside an unquoted
 * cell is ordinary text. Empty lines are skipped.
 *
 * @throws UsageError when a quoted cell is not closed, or text follows its closing quote
 */
export async function* readCsvRecords(chunks: AsyncIterable<string>, delimiter = ','): AsyncGenerator<CsvRecord> {
  const parser = parse({
    bom: true,
    delimiter,
    cast: (text, { quoting }) => ({ text, isQuoted: quoting }),
    info: true,
    raw: true,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  })
  // Errors of the source destroy the parser, so the loop below throws them.
  pipeline(Readable.from(chunks), parser, () => {})
  let line = 1
  try {
    for await (const { record, raw } of parser as AsyncIterable<ParsedRecord>) {
      const [emptyLines = ''] = /^[\r\n]*/.exec(raw) ?? []
      const start = line + countLineBreaks(emptyLines)
      if (hasTextAfterQuote(record, raw)) throw new UsageError(`Line ${start}: text follows a closing quote.`)
      yield { line: start, cells: record.map(({ text }) => text) }
      line += countLineBreaks(raw)
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const isUnclosed = error.code === 'CSV_QUOTE_NOT_CLOSED'
    const message = isUnclosed ? `A quote that opens after line ${line - 1} is never closed.` : error.message
    throw new UsageError(message, { cause: error })
  }
}

/** `relax_quotes` also accepts `"a"b` and keeps its quotes, so such a record has fewer quotes than its cells need. */
function hasTextAfterQuote(record: ParsedRecord['record'], raw: string): boolean {
  const needed = record.map(({ text, isQuoted }) => (isQuoted ? 2 + 2 * countQuotes(text) : countQuotes(text)))
  return countQuotes(raw) < needed.reduce((sum, count) => sum + count, 0)
}

function countQuotes(text: string): number {
  return text.split('"').length - 1
}

function countLineBreaks(text: string): number {
  return text.match(/\r\n?|\n/g)?.length ?? 0
}

async function* readJsonRows(chunks: AsyncIterable<string>, options: ReadOptions): AsyncGenerator<Row> {
  let line = 0
  for await (const text of splitLines(chunks)) {
    line++
    if (text.trim() !== '') yield { line, row: parseRow(text, line, options) }
  }
}

async function* splitLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  yield rest
}

function parseRow(given: string, line: number, { onRepaired }: ReadOptions): JsonRecord {
  const text = given.replace(/^\uFEFF/, '')
  const parsed = parseJson(text)
  const repaired = parsed === undefined ? repairNumbers(text) : undefined
  const value = repaired === undefined ? parsed : parseJson(repaired.text)
  if (repaired !== undefined && isRecord(value)) onRepaired?.(line, repaired.fields)
  if (!isRecord(value)) throw new UsageError(`Line ${line} is not a JSON object.`)
  const number = findUnsafeInteger(text)
  if (number !== undefined) {
    throw new UsageError(`Line ${line}: ${number} has more digits than can be stored exactly; make it a string.`)
  }
  return value
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Finds an integer that would be stored as a different one, because data must not change silently. */
function findUnsafeInteger(text: string): string | undefined {
  if (!/\d{16}/.test(text)) return undefined
  const numbers: string[] = []
  replaceNumbers(text, (number) => {
    numbers.push(number)
    return number
  })
  return numbers.find((number) => /^-?\d+$/.test(number) && !Number.isSafeInteger(Number(number)))
}

function toExample(row: JsonRecord, line: number): ExampleCreate {
  const { id, inputs, outputs, metadata, split, created_at } = row
  if (!isRecord(inputs)) {
    throw new UsageError(`Line ${line} has no object "inputs"; use --inputs to name the members that become inputs.`)
  }
  return { id, inputs, outputs, metadata, split, created_at } as ExampleCreate
}

function mapColumns(row: JsonRecord, columns: ColumnMapping, line: number): ExampleCreate {
  const pick = (names: readonly string[]) => {
    const missing = names.find((name) => !Object.hasOwn(row, name))
    if (missing !== undefined) throw new UsageError(`Line ${line} has no column "${missing}".`)
    return Object.fromEntries(names.map((name) => [name, row[name]]))
  }
  const pickOptional = (names: readonly string[]) => (names.length > 0 ? pick(names) : undefined)
  return {
    inputs: pick(columns.inputs),
    outputs: pickOptional(columns.outputs),
    metadata: pickOptional(columns.metadata),
  }
}
