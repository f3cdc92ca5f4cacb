import { setImmediate } from 'node:timers/promises'
import { type CsvReader, csvHeader, csvLine, type ExportFormat } from '@touchstone/contract'
import { splitMembers } from '@touchstone/formats/cut-json'
import type { Deps } from '../../../deps.ts'
import { type ExampleQuery, type ExampleRow, findExamples, loadExamples, withSplits } from '../examples/index.ts'
import { getDataset, resolveVersion } from '../index.ts'
import { writeEvals, writeFineTuning } from './export-chats.ts'

export interface ExportedFile {
  readonly contentType: string
  readonly fileName: string
  readonly pieces: AsyncGenerator<string>
}

const JSONL = 'application/jsonl; charset=utf-8'
const FORMATS: Record<
  ExportFormat,
  {
    readonly type: string
    readonly ending: string
    write(open: () => ExamplePages, reader: CsvReader | undefined): AsyncGenerator<string>
  }
> = {
  csv: { type: 'text/csv; charset=utf-8', ending: '.csv', write: writeCsv },
  jsonl: { type: JSONL, ending: '.jsonl', write: (open) => writeJsonl(open()) },
  openai: { type: JSONL, ending: '.openai.jsonl', write: (open) => writeEvals(open()) },
  openai_ft: { type: JSONL, ending: '.openai_ft.jsonl', write: (open) => writeFineTuning(open()) },
}

export interface ExportOptions {
  readonly format: ExportFormat
  readonly asOf: string | undefined
  /** Reader of a CSV file. */
  readonly reader: CsvReader | undefined
}

/**
 * The examples of a version as a file, written while it is read. Starts with the newest request, in the order within
 * each request, like lists.
 *
 * @throws ApiError NOT_FOUND for an unknown dataset or tag
 */
export async function exportDataset(
  deps: Pick<Deps, 'relational'>,
  tenantId: string,
  datasetId: string,
  { format, asOf, reader }: ExportOptions,
): Promise<ExportedFile> {
  const dataset = await getDataset(deps, tenantId, datasetId)
  const version = await resolveVersion(deps, dataset, asOf)
  const { type, ending, write } = FORMATS[format]
  const open = () =>
    version === undefined
      ? noPages()
      : streamExamples(deps, tenantId, { dataset: datasetId, as_of: version.toISOString(), order: 'recently_created' })
  return { contentType: type, fileName: dataset.name + ending, pieces: write(open, reader) }
}

async function* noPages(): AsyncGenerator<never[]> {}

const STREAM_PAGE = 1_000

/**
 * All examples of a query, in chunks, because a dataset may be larger than memory. The query has a fixed version, so
 * the pages are consistent.
 *
 * @param most  maximum number of examples
 */
export async function* streamExamples(
  deps: Pick<Deps, 'relational'>,
  tenantId: string,
  query: ExampleQuery & { readonly as_of: string },
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<ExampleRow[]> {
  for (let offset = 0; offset < most; offset += STREAM_PAGE) {
    const limit = Math.min(STREAM_PAGE, most - offset)
    await setImmediate() // the embedded store answers without a pause, so this lets other requests run
    const page = await findExamples(deps, tenantId, { ...query, offset, limit })
    yield* loadExamples(deps, tenantId, page)
    if (page.found.length < limit) return
  }
}

export type ExamplePages = AsyncIterable<readonly ExampleRow[]>

/** Columns of every file. */
const RESERVED_TITLES = ['id', 'metadata']

interface CsvColumn {
  readonly title: string
  readonly side: 'inputs' | 'outputs'
  readonly key: string
}

/**
 * A CSV file: `id`, the keys of inputs, those of outputs, `metadata` as JSON. Strings are written verbatim, other
 * values as
 * JSON. Uploading it gives the same examples, unless it was written for a spreadsheet.
 *
 * @param open  starts a new pass over the same examples: the header needs all keys before the first row
 */
async function* writeCsv(open: () => ExamplePages, reader: CsvReader | undefined): AsyncGenerator<string> {
  const columns = await readCsvColumns(open())
  yield csvHeader(['id', ...columns.map(({ title }) => title), 'metadata'], reader)
  for await (const rows of open()) {
    yield rows.map((row) => csvLine(toCells(row, columns), reader)).join('')
  }
}

async function readCsvColumns(pages: ExamplePages): Promise<CsvColumn[]> {
  const keys = { inputs: new Set<string>(), outputs: new Set<string>() }
  for await (const rows of pages) {
    for (const { inputs, outputs } of rows) {
      for (const key of splitMembers(inputs).keys()) keys.inputs.add(key)
      if (outputs !== null) for (const key of splitMembers(outputs).keys()) keys.outputs.add(key)
    }
  }
  const taken = new Set(RESERVED_TITLES)
  return (['inputs', 'outputs'] as const).flatMap((side) =>
    Array.from(keys[side], (key): CsvColumn => {
      let title = taken.has(key) ? `${side}.${key}` : key
      while (taken.has(title)) title = `${side}.${title}`
      taken.add(title)
      return { title, side, key }
    }),
  )
}

function toCells(row: ExampleRow, columns: readonly CsvColumn[]): string[] {
  const sides = {
    inputs: splitMembers(row.inputs),
    outputs: row.outputs === null ? new Map<string, string>() : splitMembers(row.outputs),
  }
  const cells = columns.map(({ side, key }) => toCell(sides[side].get(key)))
  return [row.id, ...cells, withSplits(row.metadata, row.splits)]
}

function toCell(text: string | undefined): string {
  if (text === undefined) return ''
  return text.startsWith('"') ? (JSON.parse(text) as string) : text
}

/** Lines of JSON with raw payloads. */
async function* writeJsonl(pages: ExamplePages): AsyncGenerator<string> {
  for await (const rows of pages) yield rows.map(toJsonLine).join('')
}

function toJsonLine(row: ExampleRow): string {
  const metadata = withSplits(row.metadata, row.splits)
  const times = `"created_at":"${row.created_at}","modified_at":"${row.as_of.toISOString()}"`
  return `{"id":"${row.id}","inputs":${toOneLine(row.inputs)},"outputs":${toOneLine(row.outputs ?? 'null')},"metadata":${toOneLine(metadata)},${times}}\n`
}

/** JSON may contain line breaks between its tokens; inside strings they are escaped. */
const toOneLine = (text: string) => text.replaceAll(/[\n\r]+/g, ' ')
