import { parseExactJson, printJson } from '@touchstone/formats/exact-json'
import { isRecord, member } from '@touchstone/formats/guards'
import Papa from 'papaparse'
import { detectLineBreak, type FileOptions } from './detect-file.ts'

/** A row as the file has it: the cells of CSV, or the JSON text of an object. */
export type RowSource = readonly string[] | string

/** Line breaks inside quotes do not count, so rows have the numbers that a spreadsheet shows. */
export interface SourceRow {
  /** Counted from 1; the header of CSV is row 1. */
  readonly number: number
  readonly source: RowSource
  /** Why the row cannot be read. */
  readonly problem?: string | undefined
}

/** Characters of the longest row. An unclosed quote would otherwise consume the rest of the file. */
const MAX_ROW = 20 * 1024 * 1024

/** The rows of a file, read as a stream. The first row of CSV is its header. */
export async function* readRows(file: Blob, options: FileOptions): AsyncGenerator<SourceRow[]> {
  if (options.format === 'csv') yield* readCsv(file, options)
  else if (options.format === 'jsonl') yield* readLines(file, options)
  else yield readList(await readWhole(file, options))
}

async function* readCsv(file: Blob, { encoding, delimiter }: FileOptions): AsyncGenerator<SourceRow[]> {
  let rest = ''
  let number = 0
  let parser: Papa.Parser | undefined
  const parse = (text: string, isLast: boolean): SourceRow[] => {
    parser ??= new Papa.Parser({ delimiter, newline: detectLineBreak(text), fastMode: false })
    const result: Papa.ParseResult<string[]> = parser.parse(text, 0, !isLast)
    rest = isLast ? '' : text.slice(result.meta.cursor)
    const problems = new Map(result.errors.map((error) => [error.row, describeCsvError(error)]))
    return result.data.flatMap((source, index) => {
      number += 1
      const isEmpty = source.length === 1 && source[0] === ''
      return isEmpty ? [] : [{ number, source, problem: problems.get(index) }]
    })
  }
  for await (const text of readText(file, encoding)) {
    rest += text
    yield parse(rest, false)
    if (rest.length > MAX_ROW) {
      yield [
        { number: number + 1, source: [rest.slice(0, 200)], problem: 'is longer than 20 MB; is a quote not closed?' },
      ]
      return
    }
  }
  if (rest !== '') yield parse(rest, true)
}

function describeCsvError({ code }: Papa.ParseError): string {
  if (code === 'MissingQuotes') return 'has a quote that is not closed'
  if (code === 'InvalidQuotes') return 'has text after a closing quote'
  return 'cannot be read'
}

async function* readLines(file: Blob, { encoding }: FileOptions): AsyncGenerator<SourceRow[]> {
  let rest = ''
  let number = 0
  const toRows = (lines: readonly string[]): SourceRow[] =>
    lines.flatMap((line) => {
      number += 1
      return line.trim() === '' ? [] : [{ number, source: line }]
    })
  for await (const text of readText(file, encoding)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    yield toRows(lines)
  }
  yield toRows([rest])
}

/** Keys under which a JSON file may keep its list of rows. */
const LIST_KEYS = ['examples', 'data', 'rows', 'items']

function readList(text: string): SourceRow[] {
  const value = parseExactJson(text)
  const list = Array.isArray(value) ? value : findList(value)
  return list.map((item, index) => ({ number: index + 1, source: printJson(item) }))
}

function findList(value: unknown): unknown[] {
  if (!isRecord(value)) throw new Error('The file has neither a list of objects nor an object.')
  for (const key of LIST_KEYS) {
    const list = member(value, key)
    if (Array.isArray(list)) return list
  }
  return [value]
}

async function readWhole(file: Blob, { encoding }: FileOptions): Promise<string> {
  let all = ''
  for await (const text of readText(file, encoding)) all += text
  return all
}

/** Text of a file in pieces; characters are never cut. */
async function* readText(file: Blob, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  const reader = file.stream().getReader()
  for (;;) {
    const { done, value } = await reader.read()
    const text = done ? decoder.decode() : decoder.decode(value, { stream: true })
    if (text !== '') yield text
    if (done) return
  }
}
