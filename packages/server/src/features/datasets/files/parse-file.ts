import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import {
  ApiError,
  CSV_HEAD_CHARACTERS,
  detectCsvDelimiter,
  type FieldProblem,
  findCsvColumns,
  MAX_UPLOADED_ROWS,
} from '@touchstone/contract'
import { isObjectText, splitMembers } from '@touchstone/formats/cut-json'
import { repairNumbers } from '@touchstone/formats/repair-numbers'
import { JsonProblem, JsonTooComplex } from '@touchstone/formats/scan-json'
import { printObject } from '@touchstone/formats/write-object'
import { type CsvError, parse } from 'csv-parse'
import { scanJson } from '../../../json/in-slices.ts'
import { TimeSlices } from '../../../time-slices.ts'
import { type Column, type FileForm, readColumns, type Side, throwMissingColumns } from './file-form.ts'

/** Cells of one row: column → JSON text. A column that the row lacks is absent. */
export interface CellRow {
  /** Line of the file where the row starts; the first line is 1. */
  readonly line: number
  readonly cells: ReadonlyMap<string, string>
}

/** Size limit of one row. */
const MAX_ROW_BYTES = 20 * 1024 * 1024
const TOO_LONG = `is longer than ${MAX_ROW_BYTES / 1024 / 1024} MiB`

/** Lines that are reported; a file that has more of them is not read to its end. */
const MAX_PROBLEMS = 1_000

/** The lines of a file that cannot be read, with reasons. */
export class RowProblems {
  private readonly found: FieldProblem[] = []

  get isFull(): boolean {
    return this.found.length >= MAX_PROBLEMS
  }

  add(line: number, message: string, where: readonly (string | number)[] = []): void {
    if (this.isFull) return
    this.found.push({ loc: ['file', line, ...where], msg: message, type: 'value_error' })
  }

  /** @throws ApiError INVALID_REQUEST with the lines */
  throwIfAny(): void {
    if (this.found.length === 0) return
    const named = this.found.slice(0, 3).map(({ loc, msg }) => {
      return `line ${loc.slice(1, 2)}: ${[...loc.slice(2), ''].join('.').replace(/\.$/, ' ')}${msg}`
    })
    const more = this.found.length > 3 ? ` (and ${this.isFull ? 'at least ' : ''}${this.found.length - 3} more)` : ''
    throw new ApiError('INVALID_REQUEST', `Nothing was stored. ${named.join('; ')}${more}`, { problems: this.found })
  }
}

/** Bytes that are parsed before other requests run. */
const CHUNK_BYTES = 128 * 1024

interface Parsed {
  readonly record: readonly string[]
  /** `lines`: lines up to the end of the record. */
  readonly info: { readonly lines: number }
}

/**
 * Rows of a CSV file with a header. Every cell is a string, also an empty cell.
 *
 * @param columns  required columns; others are ignored
 * @param problems  receives the rows that cannot be read
 */
export async function* readCsv(
  bytes: Buffer,
  columns: readonly Column[],
  problems: RowProblems,
): AsyncGenerator<CellRow> {
  let isTooLong = false
  const addProblem = (error: CsvError | undefined): undefined => {
    const line = typeof error?.lines === 'number' ? error.lines : 0
    if (error?.code !== 'CSV_MAX_RECORD_SIZE') problems.add(line, error?.message ?? 'cannot be read')
    else if (!isTooLong) problems.add(line, `${TOO_LONG}; is a quote not closed?`)
    // The parser repeats this for every chunk of the record.
    isTooLong ||= error?.code === 'CSV_MAX_RECORD_SIZE'
  }
  const wanted = [...new Set(columns.map(({ name }) => name))]
  const delimiter = detectCsvDelimiter(bytes.toString('utf8', 0, CSV_HEAD_CHARACTERS), wanted)
  const parser = Readable.from(toChunks(bytes, problems)).pipe(
    parse({
      bom: true,
      delimiter,
      info: true,
      max_record_size: MAX_ROW_BYTES, // an unclosed quote would consume the rest of the file
      relax_column_count: true, // checked below, with a better message
      skip_empty_lines: true,
      skip_records_with_error: true,
      on_skip: addProblem,
    }),
  )
  let positions: ReadonlyMap<string, number> | undefined
  let width = 0
  let line = 1
  for await (const { record, info } of parser as AsyncIterable<Parsed>) {
    const begin = line
    line = info.lines + 1
    if (positions === undefined) {
      positions = findColumns(record, wanted, delimiter)
      width = record.length
    } else if (record.length !== width) {
      problems.add(begin, `has ${record.length} cells, the header ${width}`)
    } else {
      yield { line: begin, cells: new Map(Array.from(positions, ([name, at]) => [name, JSON.stringify(record[at])])) }
    }
  }
  problems.throwIfAny()
  if (positions === undefined) throwMissingColumns(columns)
}

/** As many as the usual programs for tables have. */
const MAX_COLUMNS = 16_384

/** @throws ApiError INVALID_REQUEST for a column that is missing, or that the header names twice */
function findColumns(
  header: readonly string[],
  wanted: readonly string[],
  delimiter: string,
): ReadonlyMap<string, number> {
  if (header.length > MAX_COLUMNS) {
    throw new ApiError('INVALID_REQUEST', `The file has ${header.length} columns, at most ${MAX_COLUMNS} are read.`)
  }
  const found = findCsvColumns(header, wanted, delimiter)
  if ('problem' in found) throw new ApiError('INVALID_REQUEST', found.problem)
  return found.ok
}

async function* toChunks(bytes: Buffer, problems: RowProblems): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length && !problems.isFull; at += CHUNK_BYTES) {
    await setImmediate() // streams never pause on their own
    yield bytes.subarray(at, at + CHUNK_BYTES)
  }
}

/** Bytes of a line above which it is parsed in slices, so that other requests run in between. */
const LONG_LINE_BYTES = 256 * 1024

/** Objects of a file with one JSON object per line; values keep their JSON text. Skips blank lines. */
export async function* readJsonl(bytes: Buffer, problems: RowProblems): AsyncGenerator<CellRow> {
  let line = 0
  const slices = new TimeSlices()
  for (let at = 0; at < bytes.length && !problems.isFull; ) {
    // The reader pauses after rows, and a file may have none.
    if (slices.isUsedUp()) await slices.yieldToEventLoop()
    const newline = bytes.indexOf(0x0a, at)
    const end = newline === -1 ? bytes.length : newline
    const hasByteOrderMark = line === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
    const range = bytes.subarray(hasByteOrderMark ? 3 : at, end)
    at = end + 1
    line++
    if (range.length === 0) continue
    const cells = await parseLine(range, line, problems)
    if (cells !== undefined) yield { line, cells }
  }
}

async function parseLine(bytes: Buffer, line: number, problems: RowProblems): Promise<Map<string, string> | undefined> {
  const isLong = bytes.length > LONG_LINE_BYTES
  const text = isLong ? '' : bytes.toString('utf8')
  if (!isLong && text.trim() === '') return undefined
  if (bytes.length > MAX_ROW_BYTES) {
    problems.add(line, TOO_LONG)
    return undefined
  }
  try {
    const members = isLong ? await scanMembers(bytes) : parseMembers(text)
    if (members === undefined) problems.add(line, 'is not a JSON object')
    return members
  } catch (error) {
    if (error instanceof SyntaxError) problems.add(line, `is not JSON: ${error.message}`)
    else if (error instanceof JsonProblem) problems.add(line, `is not JSON at byte ${error.position}`)
    else if (error instanceof JsonTooComplex) problems.add(line, `cannot be read: ${error.message}`)
    else throw error
    return undefined
  }
}

/** NaN and Infinity, which Python prints, are null. @throws SyntaxError for invalid JSON */
function parseMembers(text: string): Map<string, string> | undefined {
  const valid = toValidJson(text)
  return isObjectText(valid) ? splitMembers(valid) : undefined
}

function toValidJson(text: string): string {
  try {
    JSON.parse(text)
    return text
  } catch (error) {
    const repaired = repairNumbers(text)
    if (repaired === undefined || !isJson(repaired.text)) throw error
    return repaired.text
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

async function scanMembers(bytes: Buffer): Promise<Map<string, string> | undefined> {
  const { kind, members } = await scanJson(bytes)
  if (kind !== 'object') return undefined
  return new Map(members.map(({ key, start, end }) => [key, bytes.toString('utf8', start, end)]))
}

/** A row of a file as the parts of an example, in JSON text. */
export interface FileRow {
  /** Line of the file where it starts; the first line is 1. */
  readonly line: number
  readonly inputs: string
  readonly outputs: string | null
  readonly metadata: string | null
}

/**
 * The rows of an uploaded file. Cells of CSV are strings; values of JSON lines keep their JSON text.
 *
 * @throws ApiError INVALID_REQUEST with every invalid line, or a missing column
 */
export async function readRows(form: FileForm): Promise<FileRow[]> {
  const columns = readColumns(form)
  const problems = new RowProblems()
  const cells = form.file.isJsonl
    ? readJsonl(form.file.bytes, problems)
    : readCsv(form.file.bytes, columns ?? [], problems)
  const rows: FileRow[] = []
  const slices = new TimeSlices()
  const present = new Set<string>()
  for await (const row of cells) {
    if (rows.length === MAX_UPLOADED_ROWS) {
      throw new ApiError('INVALID_REQUEST', `The file has more than ${MAX_UPLOADED_ROWS} rows; send it in parts.`)
    }
    if (slices.isUsedUp()) await slices.yieldToEventLoop()
    for (const name of row.cells.keys()) present.add(name)
    const read = columns === undefined ? toWholeExample(row, problems) : toMappedRow(row, columns)
    if (read !== undefined) rows.push(read)
  }
  problems.throwIfAny()
  const missing = columns?.filter(({ name }) => !present.has(name)) ?? []
  if (missing.length > 0 && (rows.length > 0 || !form.file.isJsonl)) throwMissingColumns(missing)
  return rows
}

function toMappedRow({ line, cells }: CellRow, columns: readonly Column[]): FileRow {
  const sides: Record<Side, Map<string, string>> = { inputs: new Map(), outputs: new Map(), metadata: new Map() }
  for (const { name, side, key } of columns) {
    const text = cells.get(name)
    if (text !== undefined) sides[side].set(key, text)
  }
  const used = new Set(columns.map(({ side }) => side))
  const print = (side: Side) => (used.has(side) ? printObject(sides[side]) : null)
  return { line, inputs: printObject(sides.inputs), outputs: print('outputs'), metadata: print('metadata') }
}

/** A line in the form of the export. */
function toWholeExample({ line, cells }: CellRow, problems: RowProblems): FileRow | undefined {
  const part = (side: Side) => {
    const text = cells.get(side) ?? 'null'
    if (text === 'null') return null
    if (text.startsWith('{')) return text
    problems.add(line, 'must be an object', [side])
    return null
  }
  const [inputs, outputs, metadata] = [part('inputs'), part('outputs'), part('metadata')]
  if (inputs !== null) return { line, inputs, outputs, metadata }
  if (!cells.has('inputs') || cells.get('inputs') === 'null')
    problems.add(line, 'has no inputs, and no input_keys are named')
  return undefined
}
