import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { ApiError, type CsvReader, csvHeader, csvLine, microsOf, Run, type RunExportFormat } from '@touchstone/contract'
import { splitMembers } from '@touchstone/formats/cut-json'
import type { SchemaElement } from 'hyparquet'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import type { Deps } from '../../deps.ts'
import { readDecimal } from '../../storage/analytics/sql.ts'
import type { Database } from '../../storage/relational/port.ts'
import type { JobRow } from '../../storage/relational/tables/lifecycle.ts'
import { getSigningSecret, readToken, signToken } from '../attachments/index.ts'
import { presentField, presentRun, type RunView } from '../runs/index.ts'
import { type Action, type ActionDeps, readNextRuns } from './action.ts'
import { addParts, PART_BYTES, readParts, removeParts, selectParts, storeFile, storePart } from './export-file.ts'
import type { JobRequest } from './start-job.ts'

/** Payloads of a page are held in memory at once. */
const PAGE = 100

/** Pages of one part at most, so that its job shows progress. */
const MAX_PAGES = 20

/** Adds the next runs to a file. Parquet cannot be appended to, so it is made of the JSON lines at the end. */
export const exportRuns: Action = async (deps, job, request) => {
  const fields = toExportFields(request.select)
  const before = job.bytes ?? 0
  const head = request.format === 'csv' && before === 0 ? csvHeader(fields, request.csvReader) : ''
  const { lines, done, next } = await readPart(deps, job, request, fields)
  const text = Buffer.from(head + lines.join(''))
  const parts = text.length === 0 ? [] : [await storePart(deps, text)]
  const result = { done, failures: [], next }
  if (request.format !== 'parquet' || next !== undefined) {
    return { ...result, bytes: before + text.length, note: (tx) => addParts(tx, job.id, before, parts) }
  }
  const all = [...(await selectParts(deps.relational.db, job.id)), ...parts]
  const parquet = await storeFile(deps, (path) => writeParquet(readParts(deps, all), path, fields))
  const note = async (tx: Database) => {
    await removeParts(tx, job.id)
    await addParts(tx, job.id, 0, parquet)
  }
  return { ...result, bytes: parquet.reduce((sum, { bytes }) => sum + bytes, 0), note }
}

/** The lines of the next runs, as many as make a part. */
async function readPart(deps: ActionDeps, job: JobRow, request: JobRequest, fields: readonly (keyof Run)[]) {
  const lines: string[] = []
  let characters = 0
  let next: string | undefined
  for (let page = 0; page < MAX_PAGES && characters < PART_BYTES; page++) {
    const found = await readNextRuns(deps, { ...job, cursor: next ?? job.cursor }, request, PAGE, new Set(fields))
    next = found.next
    for (const view of found.views) {
      const line = request.format === 'csv' ? printCsv(view, fields, request.csvReader) : `${printLine(view, fields)}\n`
      characters += line.length
      lines.push(line)
    }
    if (next === undefined) break
  }
  return { lines, done: lines.length, next }
}

function printLine(view: RunView, fields: readonly (keyof Run)[]): string {
  return presentRun(view, new Set(fields), [])
}

/** Strings verbatim, null as empty text, other values as JSON. */
function printCsv(view: RunView, fields: readonly (keyof Run)[], reader: CsvReader | null | undefined): string {
  return csvLine(
    fields.map((field) => toCell(presentField(view, field))),
    reader,
  )
}

const toCell = (json: string) => (json === 'null' ? '' : readText(json))

/** Default fields of an export: those that remain valid outside this server. */
const DEFAULT_FIELDS = [
  'id',
  'trace_id',
  'parent_run_id',
  'session_id',
  'name',
  'run_type',
  'status',
  'start_time',
  'end_time',
  'first_token_time',
  'error',
  'inputs',
  'outputs',
  'extra',
  'tags',
  'reference_example_id',
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'prompt_cost',
  'completion_cost',
  'total_cost',
  'reported_cost',
  'unpriced_fees',
  'feedback_stats',
  'dotted_order',
] as const satisfies readonly (keyof Run)[]

function toExportFields(select: readonly string[] | null): readonly (keyof Run)[] {
  return select === null ? DEFAULT_FIELDS : ([...new Set(select)] as (keyof Run)[])
}

/** @throws ApiError INVALID_REQUEST naming the first field that runs do not have */
export function assertKnownFields(select: readonly string[] | null): void {
  const unknown = select?.find((field) => !Object.hasOwn(Run.shape, field))
  if (unknown !== undefined) throw new ApiError('INVALID_REQUEST', `Runs have no field ${JSON.stringify(unknown)}.`)
}

/** Rows and characters of a row group, which is held in memory while it is encoded. */
const GROUP_ROWS = 5_000
const GROUP_CHARACTERS = 32_000_000

/** A column of a Parquet file. */
interface ParquetType {
  readonly element: Omit<SchemaElement, 'name'>
  /** @param json  the JSON text of a value that is not null */
  readonly read: (json: string) => string | bigint
}

const readText = (json: string) => (json.startsWith('"') ? (JSON.parse(json) as string) : json)

/** Payloads and other fields are JSON text. */
const TEXT: ParquetType = { element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, read: readText }
const COUNT: ParquetType = { element: { type: 'INT64' }, read: BigInt }
const TIME: ParquetType = {
  element: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  read: (json) => microsOf(readText(json)),
}
/** As in the store: all digits. */
const COST: ParquetType = {
  element: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, converted_type: 'DECIMAL', precision: 38, scale: 18 },
  read: (json) => readDecimal(readText(json)),
}

const PARQUET_TYPES: ReadonlyMap<string, ParquetType> = new Map([
  ...(['prompt_tokens', 'completion_tokens', 'total_tokens', 'unpriced_fees'] as const).map(
    (field) => [field, COUNT] as const,
  ),
  ...(['prompt_cost', 'completion_cost', 'total_cost', 'reported_cost'] as const).map(
    (field) => [field, COST] as const,
  ),
  ...(
    [
      ...(['start_time', 'end_time', 'first_token_time', 'inserted_at', 'last_queued_at'] as const),
      ...(['trace_first_received_at', 'trace_min_start_time', 'trace_max_start_time'] as const),
    ] satisfies (keyof Run)[]
  ).map((field) => [field, TIME] as const),
])

const findType = (field: string) => PARQUET_TYPES.get(field) ?? TEXT

/** Converts JSON lines to a Parquet file. */
async function writeParquet(from: Readable, to: string, fields: readonly (keyof Run)[]): Promise<void> {
  const writer = new ParquetWriter({ writer: fileWriter(to), schema: toSchema(fields), createdBy: 'Touchstone' })
  let columns = emptyColumns(fields)
  let rows = 0
  let characters = 0
  const flush = async () => {
    const columnData = fields.map((name, at) => ({ name, data: columns[at] ?? [] }))
    if (rows > 0) await writer.write({ columnData, rowGroupSize: rows })
    columns = emptyColumns(fields)
    rows = 0
    characters = 0
    await setImmediate()
  }
  for await (const line of createInterface({ input: from, crlfDelay: Number.POSITIVE_INFINITY })) {
    const members = splitMembers(line)
    fields.forEach((field, at) => {
      const json = members.get(field) ?? 'null'
      columns[at]?.push(json === 'null' ? null : findType(field).read(json))
    })
    rows++
    characters += line.length
    if (rows === GROUP_ROWS || characters > GROUP_CHARACTERS) await flush()
  }
  await flush()
  await writer.finish()
}

const emptyColumns = (fields: readonly string[]): unknown[][] => fields.map(() => [])

function toSchema(fields: readonly string[]): SchemaElement[] {
  const columns = fields.map(
    (name): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...findType(name).element }),
  )
  return [{ name: 'runs', num_children: fields.length }, ...columns]
}

const LIFETIME_MS = 60 * 60 * 1000

const MEDIA_TYPES: Record<RunExportFormat, string> = {
  jsonl: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
}

/** A signed path that allows its holder to download an export for an hour. */
export async function signDownload(deps: Pick<Deps, 'relational' | 'clock'>, job: JobRow, format: RunExportFormat) {
  const day = job.created_at.slice(0, 10)
  const fields = [job.id, format, `runs-${day}.${format}`]
  const token = signToken('export', fields, deps.clock() + LIFETIME_MS, await getSigningSecret(deps))
  return `/api/v1/jobs/downloads/${token}`
}

interface Download {
  readonly jobId: string
  readonly name: string
  readonly mimeType: string
}

/** The download of a signed path; undefined when it is forged or has expired. */
export async function readDownload(
  deps: Pick<Deps, 'relational' | 'clock'>,
  token: string,
): Promise<Download | undefined> {
  const fields = readToken('export', token, await getSigningSecret(deps), deps.clock())
  if (fields === undefined) return undefined
  const [jobId, format, name] = fields as [string, RunExportFormat, string]
  return { jobId, name, mimeType: MEDIA_TYPES[format] }
}
