import type { CsvReader } from '@touchstone/contract'
import { csvLine } from '../../../http/csv-line.ts'
import { splitMembers } from '../../../json/cut-json.ts'
import { type ExampleRow, withSplits } from '../examples/index.ts'

export type Pages = AsyncIterable<readonly ExampleRow[]>

/** Columns that are there whatever the examples hold. */
const RESERVED = ['id', 'metadata']

interface Column {
  readonly title: string
  readonly side: 'inputs' | 'outputs'
  readonly key: string
}

/**
 * A CSV file: `id`, the keys of inputs, those of outputs, `metadata` as JSON. Strings stand as they are, other values as
 * JSON. Uploaded again it gives the same examples, unless it was written for a spreadsheet.
 *
 * @param open  begins a new pass over the same examples: the header needs all keys before the first row
 */
export async function* csvOf(open: () => Pages, reader: CsvReader | undefined): AsyncGenerator<string> {
  const columns = await columnsOf(open())
  yield csvLine(['id', ...columns.map(({ title }) => title), 'metadata'], reader)
  for await (const rows of open()) {
    yield rows.map((row) => csvLine(cellsOf(row, columns), reader)).join('')
  }
}

async function columnsOf(pages: Pages): Promise<Column[]> {
  const keys = { inputs: new Set<string>(), outputs: new Set<string>() }
  for await (const rows of pages) {
    for (const { inputs, outputs } of rows) {
      for (const key of splitMembers(inputs).keys()) keys.inputs.add(key)
      if (outputs !== null) for (const key of splitMembers(outputs).keys()) keys.outputs.add(key)
    }
  }
  const taken = new Set(RESERVED)
  return (['inputs', 'outputs'] as const).flatMap((side) =>
    Array.from(keys[side], (key): Column => {
      let title = taken.has(key) ? `${side}.${key}` : key
      while (taken.has(title)) title = `${side}.${title}`
      taken.add(title)
      return { title, side, key }
    }),
  )
}

function cellsOf(row: ExampleRow, columns: readonly Column[]): string[] {
  const sides = {
    inputs: splitMembers(row.inputs),
    outputs: row.outputs === null ? new Map<string, string>() : splitMembers(row.outputs),
  }
  const cells = columns.map(({ side, key }) => cellOf(sides[side].get(key)))
  return [row.id, ...cells, withSplits(row.metadata, row.splits)]
}

function cellOf(text: string | undefined): string {
  if (text === undefined) return ''
  return text.startsWith('"') ? (JSON.parse(text) as string) : text
}
