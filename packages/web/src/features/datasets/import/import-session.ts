import { nameCsvColumns } from '@touchstone/contract/csv-columns'
import { csvLine } from '@touchstone/contract/csv-line'
import { parseExactJson, printJson } from '@touchstone/formats/exact-json'
import { asRecord, type JsonRecord } from '@touchstone/formats/guards'
import { uuid7 } from '@touchstone/sdk/api'
import { type CheckExample, type DatasetSchemas, openCheck } from './check-schema.ts'
import { detectOptions, type FileOptions, HEAD_BYTES } from './detect-file.ts'
import { type ColumnSample, type KnownKeys, type Mapping, PROBLEM_COLUMN, suggestMapping } from './mapping.ts'
import { type MultipartBody, type NewExample, printUpload, type UploadTarget } from './multipart-body.ts'
import { type RowSource, readRows, type SourceRow } from './read-rows.ts'
import { type Header, type ImportedExample, toExample } from './to-example.ts'

/** A column of the file, with a value to recognize it. */
export interface FileColumn {
  readonly column: string
  readonly sample: string
}

/** What the start of a file shows. */
export interface FilePreview {
  readonly options: FileOptions
  readonly columns: readonly FileColumn[]
  readonly mapping: Mapping
}

export interface BadRow {
  readonly number: number
  readonly source: RowSource
  readonly problems: readonly string[]
}

export interface CheckReport {
  readonly good: number
  readonly bad: number
  /** The first bad rows. */
  readonly badRows: readonly BadRow[]
  /** Examples that the first good rows make, printed as JSON. */
  readonly samples: readonly string[]
}

export interface Progress {
  readonly rows: number
}

/** One request of an import. */
export interface UploadPart {
  readonly body: MultipartBody
  readonly ids: readonly string[]
}

/** Rows that show the columns and their kinds. */
const PREVIEW_ROWS = 1_000
const SAMPLE_VALUES = 20
/** Bad rows that are kept with their content. More are counted, and never imported. */
export const KEPT_BAD_ROWS = 20_000
/** Bad rows of a report. */
export const LISTED_BAD_ROWS = 1_000
const SAMPLES = 3
/** Examples and characters of one request. */
const PART_EXAMPLES = 1_000
const PART_CHARACTERS = 4 * 1024 * 1024
/** Characters of one example: the server takes 20 MB of JSON. */
const MAX_EXAMPLE = 20 * 1024 * 1024

/** The import of one file: detects, checks and sends its rows. Runs in a worker. */
export class ImportSession {
  private options: FileOptions | undefined
  private header: Header | undefined
  private check: CheckExample = () => []
  private readonly bad = new Map<number, BadRow | undefined>()
  private readonly fixes = new Map<number, RowSource>()
  /** Rows that are stored; another upload does not send them again. */
  private readonly stored = new Set<number>()
  private parts: AsyncGenerator<NewExample[]> | undefined
  private rowOfId = new Map<string, SourceRow>()
  private part: NewExample[] = []
  private target: UploadTarget | undefined
  private run = 0

  constructor(
    private readonly file: File,
    private readonly onProgress: (progress: Progress) => void = () => undefined,
  ) {}

  /** @param options  as chosen by the user; absent: detected */
  async preview(known: KnownKeys, options?: FileOptions): Promise<FilePreview> {
    const head = new Uint8Array(await this.file.slice(0, HEAD_BYTES).arrayBuffer())
    this.options = options ?? detectOptions(this.file.name, head)
    this.fixes.clear()
    const rows: SourceRow[] = []
    for await (const some of readRows(this.file, this.options)) {
      rows.push(...some.slice(0, PREVIEW_ROWS + 1 - rows.length))
      if (rows.length > PREVIEW_ROWS) break
    }
    const isCsv = this.options.format === 'csv'
    const titles = isCsv ? nameCsvColumns([rows[0]?.source ?? []].flat()) : []
    this.header = isCsv ? new Map(titles.map((title, index) => [title, index])) : undefined
    const samples = isCsv ? sampleCells(titles, rows.slice(1)) : sampleObjects(rows)
    const columns = samples.map(({ column, values }) => ({ column, sample: printValue(values[0]) }))
    return { options: this.options, columns, mapping: suggestMapping(samples, this.options.format, known) }
  }

  /** Checks every row. A new check ends the one before, which then never answers. */
  async checkRows(mapping: Mapping, schemas: DatasetSchemas): Promise<CheckReport | undefined> {
    this.run += 1
    const run = this.run
    this.check = openCheck(schemas)
    this.bad.clear()
    let good = 0
    let kept = 0
    const samples: string[] = []
    for await (const rows of this.rows()) {
      if (run !== this.run) return undefined
      for (const row of rows) {
        if (this.stored.has(row.number)) continue
        const result = this.convert(row, mapping)
        if ('ok' in result) {
          good += 1
          if (samples.length < SAMPLES) samples.push(printSample(result.ok))
        } else {
          kept += 1
          this.bad.set(row.number, kept > KEPT_BAD_ROWS ? undefined : { ...row, problems: result.problems })
        }
      }
      this.onProgress({ rows: good + this.bad.size })
    }
    return { good, bad: this.bad.size, badRows: this.listBadRows(), samples }
  }

  /** Replaces a bad row. @returns what is still wrong; empty when the row is good now */
  async fixRow(number: number, source: RowSource, mapping: Mapping): Promise<readonly string[]> {
    const result = this.convert({ number, source }, mapping)
    if ('ok' in result) {
      this.bad.delete(number)
      this.fixes.set(number, source)
      return []
    }
    this.bad.set(number, { number, source, problems: result.problems })
    return result.problems
  }

  async printBadRows(): Promise<string> {
    const rows = [...this.bad.values()].filter((row) => row !== undefined)
    if (this.header !== undefined) {
      const cells = rows.map(({ source, problems }) => [...[source].flat(), problems.join('; ')])
      return [[...this.header.keys(), PROBLEM_COLUMN], ...cells].map((line) => csvLine(line)).join('')
    }
    return rows.map(({ source, problems }) => `${printBadObject(String(source), problems.join('; '))}\n`).join('')
  }

  /** Starts to send the good rows; `nextPart` gives the requests. */
  async startUpload(mapping: Mapping, target: UploadTarget): Promise<void> {
    this.target = target
    this.parts = this.makeParts(mapping)
  }

  /** @returns undefined after the last one */
  async nextPart(): Promise<UploadPart | undefined> {
    const next = await this.parts?.next()
    this.part = next?.done === false ? next.value : []
    return this.printPart()
  }

  /** Notes that the last part is stored. */
  async confirmPart(): Promise<void> {
    for (const { id } of this.part) {
      const row = this.rowOfId.get(id)
      if (row !== undefined) this.stored.add(row.number)
    }
  }

  /** Notes that everything stored was removed again. */
  async forgetStored(): Promise<void> {
    this.stored.clear()
  }

  /** Takes rows that the server refused out of the request, and adds them to the bad rows. */
  async refuse(problems: Readonly<Record<string, string>>): Promise<UploadPart | undefined> {
    for (const [id, problem] of Object.entries(problems)) {
      const row = this.rowOfId.get(id)
      if (row !== undefined) this.bad.set(row.number, { ...row, problems: [problem] })
    }
    this.part = this.part.filter(({ id }) => !Object.hasOwn(problems, id))
    return this.printPart()
  }

  async listBad(): Promise<{ bad: number; badRows: readonly BadRow[] }> {
    return { bad: this.bad.size, badRows: this.listBadRows() }
  }

  private printPart(): UploadPart | undefined {
    if (this.part.length === 0 || this.target === undefined) return undefined
    return { body: printUpload(this.part, this.target), ids: this.part.map(({ id }) => id) }
  }

  private async *makeParts(mapping: Mapping): AsyncGenerator<NewExample[]> {
    let part: NewExample[] = []
    let characters = 0
    this.rowOfId = new Map()
    for await (const rows of this.rows()) {
      for (const row of rows) {
        const isLeftOut = this.bad.has(row.number) || this.stored.has(row.number)
        const result = isLeftOut ? undefined : this.convert(row, mapping)
        if (result === undefined || !('ok' in result)) continue
        const length = sizeOf(row.source)
        if (part.length === PART_EXAMPLES || (part.length > 0 && characters + length > PART_CHARACTERS)) {
          yield part
          part = []
          characters = 0
          this.rowOfId = new Map()
        }
        const id = uuid7()
        this.rowOfId.set(id, row)
        part.push({ id, example: result.ok })
        characters += length
      }
    }
    if (part.length > 0) yield part
  }

  /** The rows of the file without the header, with what the user fixed. */
  private async *rows(): AsyncGenerator<SourceRow[]> {
    if (this.options === undefined) throw new Error('The file has not been opened.')
    let isHeader = this.header !== undefined
    for await (const rows of readRows(this.file, this.options)) {
      const some = isHeader ? rows.slice(1) : rows
      if (rows.length > 0) isHeader = false
      yield some.map((row) => {
        const source = this.fixes.get(row.number)
        return source === undefined ? row : { number: row.number, source }
      })
    }
  }

  private convert(row: SourceRow, mapping: Mapping) {
    if (row.problem !== undefined) return { problems: [row.problem] }
    const result = toExample(row.source, mapping, this.header)
    if (!('ok' in result)) return result
    if (sizeOf(row.source) > MAX_EXAMPLE) return { problems: ['is larger than 20 MB'] }
    const problems = this.check(result.ok)
    return problems.length === 0 ? result : { problems }
  }

  private listBadRows(): BadRow[] {
    const rows = [...this.bad.values()].slice(0, LISTED_BAD_ROWS)
    return rows.flatMap((row) => row ?? [])
  }
}

/** Titles of columns; a repeated or empty title gets the number of its column. */
function sampleCells(header: readonly string[], rows: readonly SourceRow[]): ColumnSample[] {
  const cells = rows.flatMap(({ source }) =>
    typeof source !== 'string' && source.length === header.length ? [source] : [],
  )
  return header.map((column, index) => ({
    column,
    values: cells.flatMap((row) => row[index] || []).slice(0, PREVIEW_ROWS),
  }))
}

function sampleObjects(rows: readonly SourceRow[]): ColumnSample[] {
  const values = new Map<string, unknown[]>()
  for (const { source } of rows) {
    for (const [key, value] of Object.entries(parseObject(String(source)))) {
      const known = values.get(key) ?? []
      if (known.length < SAMPLE_VALUES && value !== null) known.push(value)
      values.set(key, known)
    }
  }
  return [...values].map(([key, found]) => ({ column: key, values: found }))
}

function parseObject(text: string): JsonRecord {
  try {
    return asRecord(parseExactJson(text)) ?? {}
  } catch {
    return {}
  }
}

function printValue(value: unknown): string {
  const text = typeof value === 'string' ? value : value === undefined ? '' : printJson(value)
  return text.slice(0, 200)
}

function printSample({ inputs, outputs, metadata, splits }: ImportedExample): string {
  return printJson({ inputs, outputs, metadata, split: splits }, { indent: 2 }).slice(0, 4_000)
}

function printBadObject(source: string, problem: string): string {
  const row = parseObject(source)
  if (Object.keys(row).length === 0) return printJson({ [PROBLEM_COLUMN]: problem, row: source })
  return printJson({ ...row, [PROBLEM_COLUMN]: problem })
}

function sizeOf(source: RowSource): number {
  return typeof source === 'string' ? source.length : source.reduce((sum, cell) => sum + cell.length, 0)
}
