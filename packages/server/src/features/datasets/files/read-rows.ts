import { ApiError, MAX_UPLOADED_ROWS } from '@touchstone/contract'
import { printObject } from '../../../json/write-object.ts'
import { TimeSlices } from '../../../time-slices.ts'
import { type Column, type FileForm, readColumns, type Side, throwMissingColumns } from './file-form.ts'
import { type CellRow, RowProblems, readCsv, readJsonl } from './parse-file.ts'

/** A row of a file as the parts of an example, in JSON text. */
export interface FileRow {
  /** Where it begins in the file; the first line is 1. */
  readonly line: number
  readonly inputs: string
  readonly outputs: string | null
  readonly metadata: string | null
}

/**
 * The rows of an uploaded file. Cells of CSV are strings; values of JSON lines stay what they are.
 *
 * @throws ApiError INVALID_REQUEST naming every line that cannot be read, or a column that is not there
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

/** A line as the export writes it. */
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
