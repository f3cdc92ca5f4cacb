import { ApiError, MAX_UPLOADED_ROWS } from '@touchstone/contract'
import { printObject } from '../../../json/write-object.ts'
import { TimeSlices } from '../../../time-slices.ts'
import { BadRows } from './bad-rows.ts'
import { type Column, readColumns, SIDES, type Side } from './columns.ts'
import { readCsv } from './read-csv.ts'
import type { FileForm } from './read-form.ts'
import { readJsonl } from './read-jsonl.ts'

/** A row of a file as the parts of an example, in JSON text. */
export interface FileRow {
  /** Where it begins in the file; the first line is 1. */
  readonly line: number
  readonly inputs: string
  readonly outputs: string | null
  readonly metadata: string | null
}

/** Cells of one row: column → JSON text. A column that the row lacks is absent. */
export interface Cells {
  readonly line: number
  readonly cells: ReadonlyMap<string, string>
}

/**
 * The rows of an uploaded file. Cells of CSV are strings; values of JSON lines stay what they are.
 *
 * @throws ApiError INVALID_REQUEST naming every line that cannot be read, or a column that is not there
 */
export async function readRows(form: FileForm): Promise<FileRow[]> {
  const columns = readColumns(form)
  const bad = new BadRows()
  const cells = form.file.isJsonl ? readJsonl(form.file.bytes, bad) : readCsv(form.file.bytes, columns!, bad)
  const rows: FileRow[] = []
  const slices = new TimeSlices()
  const present = new Set<string>()
  for await (const row of cells) {
    if (rows.length === MAX_UPLOADED_ROWS) {
      throw new ApiError('INVALID_REQUEST', `The file has more than ${MAX_UPLOADED_ROWS} rows; send it in parts.`)
    }
    if (slices.isUsedUp()) await slices.yieldToEventLoop()
    for (const name of row.cells.keys()) present.add(name)
    const read = columns === undefined ? wholeExample(row, bad) : fromColumns(row, columns)
    if (read !== undefined) rows.push(read)
  }
  bad.throwIfAny()
  const missing = columns?.filter(({ name }) => !present.has(name)) ?? []
  if (missing.length > 0 && (rows.length > 0 || !form.file.isJsonl)) refuseMissing(missing)
  return rows
}

export function refuseMissing(missing: readonly Column[]): never {
  const names = missing.map(({ name }) => JSON.stringify(name)).join(', ')
  throw new ApiError('INVALID_REQUEST', `The file has no column ${names}.`)
}

function fromColumns({ line, cells }: Cells, columns: readonly Column[]): FileRow {
  const sides: Record<Side, Map<string, string>> = { inputs: new Map(), outputs: new Map(), metadata: new Map() }
  for (const { name, side, key } of columns) {
    const text = cells.get(name)
    if (text !== undefined) sides[side].set(key, text)
  }
  const used = new Set(columns.map(({ side }) => side))
  const [inputs, outputs, metadata] = SIDES.map((side) => (used.has(side) ? printObject(sides[side]) : null))
  return { line, inputs: inputs!, outputs: outputs!, metadata: metadata! }
}

/** A line as the export writes it. */
function wholeExample({ line, cells }: Cells, bad: BadRows): FileRow | undefined {
  const part = (side: Side) => {
    const text = cells.get(side) ?? 'null'
    if (text === 'null') return null
    if (text.startsWith('{')) return text
    bad.add(line, 'must be an object', [side])
    return null
  }
  const [inputs, outputs, metadata] = SIDES.map(part) as [string | null, string | null, string | null]
  if (inputs !== null) return { line, inputs, outputs, metadata }
  if (!cells.has('inputs') || cells.get('inputs') === 'null')
    bad.add(line, 'has no inputs, and no input_keys are named')
  return undefined
}
