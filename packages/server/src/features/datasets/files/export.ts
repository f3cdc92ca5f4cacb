import type { CsvReader, ExportFormat } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { findDataset, resolveVersion } from '../index.ts'
import { evalsOf, fineTuningOf } from './export-chats.ts'
import { csvOf, type Pages } from './export-csv.ts'
import { jsonlOf } from './export-jsonl.ts'
import { streamExamples } from './stream-examples.ts'

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
    write(open: () => Pages, reader: CsvReader | undefined): AsyncGenerator<string>
  }
> = {
  csv: { type: 'text/csv; charset=utf-8', ending: '.csv', write: csvOf },
  jsonl: { type: JSONL, ending: '.jsonl', write: (open) => jsonlOf(open()) },
  openai: { type: JSONL, ending: '.openai.jsonl', write: (open) => evalsOf(open()) },
  openai_ft: { type: JSONL, ending: '.openai_ft.jsonl', write: (open) => fineTuningOf(open()) },
}

export interface ExportWanted {
  readonly format: ExportFormat
  readonly asOf: string | undefined
  /** Of CSV. */
  readonly reader: CsvReader | undefined
}

/**
 * The examples of a version as a file, written while it is read. What came together stays in its order; what came last
 * stands first, as in lists.
 *
 * @throws ApiError NOT_FOUND for an unknown dataset or tag
 */
export async function exportDataset(
  deps: Pick<Deps, 'relational'>,
  tenantId: string,
  datasetId: string,
  { format, asOf, reader }: ExportWanted,
): Promise<ExportedFile> {
  const dataset = await findDataset(deps, tenantId, datasetId)
  const version = await resolveVersion(deps, dataset, asOf)
  const { type, ending, write } = FORMATS[format]
  const open = () =>
    version === undefined
      ? nothing()
      : streamExamples(deps, tenantId, { dataset: datasetId, as_of: version.toISOString(), order: 'recently_created' })
  return { contentType: type, fileName: dataset.name + ending, pieces: write(open, reader) }
}

async function* nothing(): AsyncGenerator<never[]> {}
