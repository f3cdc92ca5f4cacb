import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setImmediate } from 'node:timers/promises'
import { ApiError, type CsvReader, Run, type RunExportFormat } from '@touchstone/contract'
import type { SchemaElement } from 'hyparquet'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import type { Deps } from '../../deps.ts'
import { csvLine } from '../../http/csv.ts'
import { splitMembers } from '../../json/cut-json.ts'
import type { JobRow } from '../../storage/relational/tables/lifecycle.ts'
import { getSigningSecret, readToken, signToken } from '../attachments/index.ts'
import { presentField, presentRun, type RunView } from '../runs/index.ts'
import { type Action, readNextRuns } from './action.ts'
import { selectJobIds } from './store.ts'

/** Payloads of a page are held in memory at once. */
const PAGE = 100

/** Appends the next runs to a file. Parquet cannot be appended to, so it is written from the JSON lines at the end. */
export const exportRuns: Action = async (deps, job, request) => {
  const fields = toExportFields(request.select)
  const { views, next } = await readNextRuns(deps, job, request, PAGE, new Set(fields))
  const lines = exportPath(deps, job.id, request.format === 'csv' ? 'csv' : 'jsonl')
  const before = job.bytes ?? 0
  const head = request.format === 'csv' && before === 0 ? csvLine(fields, request.csvReader) : ''
  const text = views.map((view) =>
    request.format === 'csv' ? printCsv(view, fields, request.csvReader) : `${printLine(view, fields)}\n`,
  )
  const bytes = await appendDurably(lines, before, head + text.join(''))
  const result = { done: views.length, failures: [], next }
  if (request.format !== 'parquet' || next !== undefined) return { ...result, bytes }
  const parquet = exportPath(deps, job.id, 'parquet')
  await writeParquet(lines, parquet, fields)
  return { ...result, bytes: await getFileSize(parquet) }
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

function toCell(json: string): string {
  if (json === 'null') return ''
  return json.startsWith('"') ? (JSON.parse(json) as string) : json
}

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

const INTEGER_FIELDS: ReadonlySet<string> = new Set(['prompt_tokens', 'completion_tokens', 'total_tokens'])

/** Converts JSON lines to a Parquet file: counts as INT64, everything else as text, payloads as JSON text. */
async function writeParquet(from: string, to: string, fields: readonly (keyof Run)[]): Promise<void> {
  const partial = `${to}.part`
  const writer = new ParquetWriter({ writer: fileWriter(partial), schema: toSchema(fields), createdBy: 'Touchstone' })
  let columns = emptyColumns(fields)
  let rows = 0
  let characters = 0
  const flush = async () => {
    const columnData = fields.map((name, at) => ({ name, data: columns[at] ?? [], type: toType(name) }))
    if (rows > 0) await writer.write({ columnData, rowGroupSize: rows })
    columns = emptyColumns(fields)
    rows = 0
    characters = 0
    await setImmediate()
  }
  for await (const line of createInterface({ input: createReadStream(from), crlfDelay: Number.POSITIVE_INFINITY })) {
    const members = splitMembers(line)
    fields.forEach((field, at) => {
      columns[at]?.push(toValue(field, members.get(field) ?? 'null'))
    })
    rows++
    characters += line.length
    if (rows === GROUP_ROWS || characters > GROUP_CHARACTERS) await flush()
  }
  await flush()
  await writer.finish()
  const file = await open(partial, 'r')
  await file.sync().finally(() => file.close())
  await rename(partial, to)
  await rm(from, { force: true })
}

const emptyColumns = (fields: readonly string[]): unknown[][] => fields.map(() => [])
const toType = (field: string) => (INTEGER_FIELDS.has(field) ? ('INT64' as const) : ('STRING' as const))

function toValue(field: string, json: string): string | bigint | null {
  if (json === 'null') return null
  if (INTEGER_FIELDS.has(field)) return BigInt(json)
  return json.startsWith('"') ? (JSON.parse(json) as string) : json
}

function toSchema(fields: readonly string[]): SchemaElement[] {
  const columns = fields.map((name): SchemaElement => {
    const common = { name, repetition_type: 'OPTIONAL' as const }
    return INTEGER_FIELDS.has(name)
      ? { ...common, type: 'INT64' }
      : { ...common, type: 'BYTE_ARRAY', converted_type: 'UTF8' }
  })
  return [{ name: 'runs', num_children: fields.length }, ...columns]
}

const LIFETIME_MS = 60 * 60 * 1000

const MEDIA_TYPES: Record<RunExportFormat, string> = {
  jsonl: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
}

/** Path of an export: beside the blobs, named by its job. */
function exportPath({ config }: Pick<Deps, 'config'>, jobId: string, format: RunExportFormat): string {
  return join(config.dataDir, 'exports', `${jobId}.${format}`)
}

/**
 * Appends to a file whose first `bytes` are durable; anything behind them is left from a crash and is removed.
 *
 * @returns the number of durable bytes
 */
async function appendDurably(path: string, bytes: number, text: string): Promise<number> {
  await mkdir(join(path, '..'), { recursive: true })
  const file = await open(path, 'a')
  try {
    if ((await file.stat()).size !== bytes) await truncate(path, bytes)
    await file.appendFile(text)
    await file.datasync()
    return (await file.stat()).size
  } finally {
    await file.close()
  }
}

export async function getFileSize(path: string): Promise<number> {
  return (await stat(path)).size
}

export async function removeExport(deps: Pick<Deps, 'config'>, jobId: string): Promise<void> {
  for (const format of Object.keys(MEDIA_TYPES) as RunExportFormat[]) {
    await rm(exportPath(deps, jobId, format), { force: true })
  }
}

/** A signed path that allows its holder to download an export for an hour. */
export async function signDownload(deps: Pick<Deps, 'relational' | 'clock'>, job: JobRow, format: RunExportFormat) {
  const day = job.created_at.slice(0, 10)
  const fields = [job.id, format, `runs-${day}.${format}`]
  const token = signToken('export', fields, deps.clock() + LIFETIME_MS, await getSigningSecret(deps))
  return `/api/v1/jobs/downloads/${token}`
}

interface Download {
  readonly path: string
  readonly name: string
  readonly mimeType: string
}

/** The download of a signed path; undefined when it is forged or has expired. */
export async function readDownload(
  deps: Pick<Deps, 'relational' | 'clock' | 'config'>,
  token: string,
): Promise<Download | undefined> {
  const fields = readToken('export', token, await getSigningSecret(deps), deps.clock())
  if (fields === undefined) return undefined
  const [jobId, format, name] = fields as [string, RunExportFormat, string]
  return { path: exportPath(deps, jobId, format), name, mimeType: MEDIA_TYPES[format] }
}

/** Removes all exported files of a workspace. */
export async function removeTenantExports(deps: Pick<Deps, 'relational' | 'config'>, tenantId: string): Promise<void> {
  for (const id of await selectJobIds(deps.relational.db, tenantId)) await removeExport(deps, id)
}
