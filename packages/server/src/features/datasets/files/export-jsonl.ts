import { type ExampleRow, withSplits } from '../examples/index.ts'
import type { Pages } from './export-csv.ts'

/** Lines of JSON with the payloads as they came. */
export async function* jsonlOf(pages: Pages): AsyncGenerator<string> {
  for await (const rows of pages) yield rows.map(lineOf).join('')
}

function lineOf(row: ExampleRow): string {
  const metadata = withSplits(row.metadata, row.splits)
  const times = `"created_at":"${row.created_at}","modified_at":"${row.as_of.toISOString()}"`
  return `{"id":"${row.id}","inputs":${flat(row.inputs)},"outputs":${flat(row.outputs ?? 'null')},"metadata":${flat(metadata)},${times}}\n`
}

/** JSON may come with line breaks between its tokens; inside strings they are escaped. */
const flat = (text: string) => text.replaceAll(/[\n\r]+/g, ' ')
