import type { ExampleCreate } from '@touchstone/sdk'
import { UsageError } from '../../flags.ts'
import { csvRecords } from './csv-records.ts'

/** Which columns of a row become what. */
export interface Columns {
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  readonly metadata: readonly string[]
}

export interface RowOptions {
  readonly isCsv: boolean
  /** Absent: each line of JSON is an example as it is. */
  readonly columns: Columns | undefined
  /** Of rows that name none. */
  readonly split: string | undefined
}

/**
 * The examples of a file, one after the other.
 *
 * @throws UsageError naming the line that is none, or the columns that are not there
 */
export async function* readRows(chunks: AsyncIterable<string>, options: RowOptions): AsyncGenerator<ExampleCreate> {
  const { columns, split } = options
  for await (const { line, row } of options.isCsv ? csvRows(chunks) : jsonRows(chunks)) {
    const example = columns === undefined ? asExample(row, line) : fromColumns(row, columns, line)
    yield split === undefined || example.split != null ? example : { ...example, split }
  }
}

interface Row {
  /** From 1, where it starts. */
  line: number
  row: Record<string, unknown>
}

async function* csvRows(chunks: AsyncIterable<string>): AsyncGenerator<Row> {
  let head: readonly string[] | undefined
  for await (const { line, cells } of csvRecords(chunks)) {
    if (head === undefined) head = cells
    else if (cells.length !== head.length) {
      throw new UsageError(`Line ${line} has ${cells.length} cells, the first line has ${head.length}.`)
    } else {
      const names = head
      yield { line, row: Object.fromEntries(cells.map((cell, at) => [names[at]!, cell])) }
    }
  }
}

async function* jsonRows(chunks: AsyncIterable<string>): AsyncGenerator<Row> {
  let line = 0
  for await (const text of linesOf(chunks)) {
    line++
    if (text.trim() !== '') yield { line, row: objectIn(text, line) }
  }
}

async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    yield* lines
  }
  yield rest
}

function objectIn(text: string, line: number): Record<string, unknown> {
  const value = parsed(text.replace(/^\uFEFF/, ''))
  if (!isObject(value)) throw new UsageError(`Line ${line} is not a JSON object.`)
  const lost = lostInteger(text)
  if (lost !== undefined) throw new UsageError(`Line ${line}: ${lost} has more digits than this keeps; make it a text.`)
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An integer that would be stored as another one: nobody's data is changed in silence. */
function lostInteger(text: string): string | undefined {
  if (!/\d{16}/.test(text)) return undefined
  const numbers = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').match(/(?<![\d.eE+-])-?\d+(?![\d.eE])/g) ?? []
  return numbers.find((number) => !Number.isSafeInteger(Number(number)))
}

function asExample(row: Record<string, unknown>, line: number): ExampleCreate {
  const { id, inputs, outputs, metadata, split, created_at } = row
  if (!isObject(inputs))
    throw new UsageError(`Line ${line} has no object "inputs"; --inputs says which members they are.`)
  return { id, inputs, outputs, metadata, split, created_at } as ExampleCreate
}

function fromColumns(row: Record<string, unknown>, columns: Columns, line: number): ExampleCreate {
  const pick = (names: readonly string[]) => {
    const missing = names.find((name) => !Object.hasOwn(row, name))
    if (missing !== undefined) throw new UsageError(`Line ${line} has no column "${missing}".`)
    return Object.fromEntries(names.map((name) => [name, row[name]]))
  }
  const some = (names: readonly string[]) => (names.length > 0 ? pick(names) : undefined)
  return { inputs: pick(columns.inputs), outputs: some(columns.outputs), metadata: some(columns.metadata) }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
