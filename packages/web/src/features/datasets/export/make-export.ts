import { csvLine } from '@touchstone/contract/csv-line'
import { findChatProblem } from './check-chat.ts'
import { type ExportedRow, isInSplit, readLines, readRow } from './export-rows.ts'
import { CsvColumns, printRow } from './to-csv.ts'

export type ExportFormat = 'csv' | 'jsonl' | 'openai' | 'openai_ft'

export interface Misfit {
  /** Position in the export, from 1. */
  readonly row: number
  readonly id: string
  readonly reason: string
}

export interface MadeExport {
  readonly parts: readonly string[]
  readonly count: number
  /** Examples that the format cannot express; they are left out. */
  readonly misfits: readonly Misfit[]
}

export interface ExportStreams {
  /** The examples as lines of JSON. */
  readonly rows: ReadableStream<Uint8Array>
  /** For formats of OpenAI: a line per example, in the same order. */
  readonly chats?: ReadableStream<Uint8Array> | undefined
}

export interface ExportOptions {
  readonly format: ExportFormat
  /** Only examples of this split. */
  readonly split: string | undefined
  readonly onProgress?: ((rows: number) => void) | undefined
}

/** Writes a file from the streams of the server. Gives the page time between groups of rows. */
export async function makeExport({ rows, chats }: ExportStreams, options: ExportOptions): Promise<MadeExport> {
  if (options.format === 'openai' || options.format === 'openai_ft') {
    if (chats === undefined) throw new Error('The conversations are missing.')
    return makeChats(rows, chats, options.format, options)
  }
  return options.format === 'csv' ? makeCsv(rows, options) : makeLines(rows, options)
}

async function makeLines(stream: ExportStreams['rows'], options: ExportOptions): Promise<MadeExport> {
  const parts: string[] = []
  let count = 0
  for await (const rows of readGroups(stream, options)) {
    count += rows.length
    parts.push(rows.map(({ line }) => `${line}\n`).join(''))
  }
  return { parts, count, misfits: [] }
}

async function makeCsv(stream: ExportStreams['rows'], options: ExportOptions): Promise<MadeExport> {
  const columns = new CsvColumns()
  const groups: string[][] = []
  let count = 0
  for await (const rows of readGroups(stream, options)) {
    for (const row of rows) columns.add(row)
    groups.push(rows.map(({ line }) => line))
    count += rows.length
  }
  const list = columns.list()
  const parts = [csvLine(list.map(({ title }) => title))]
  for (const lines of groups) {
    await pause()
    parts.push(lines.map((line) => printRow(list, readRow(line))).join(''))
  }
  return { parts, count, misfits: [] }
}

async function makeChats(
  stream: ExportStreams['rows'],
  chats: ReadableStream<Uint8Array>,
  format: 'openai' | 'openai_ft',
  options: ExportOptions,
): Promise<MadeExport> {
  const parts: string[] = []
  const misfits: Misfit[] = []
  const lines = readSingly(chats)
  let [count, position] = [0, 0]
  for await (const rows of readGroups(stream, { ...options, split: undefined })) {
    for (const row of rows) {
      const { value: line } = await lines.next()
      if (line === undefined) throw new Error('The dataset changed while it was exported. Export again.')
      if (!isInSplit(row, options.split)) continue
      position += 1
      const reason = findChatProblem(format, JSON.parse(line), row)
      if (reason !== undefined) misfits.push({ row: position, id: row.id, reason })
      else {
        parts.push(`${line}\n`)
        count += 1
      }
    }
  }
  return { parts, count, misfits }
}

/** Rows that are parsed before the page may do other work. */
const GROUP = 500

async function* readGroups(
  stream: ExportStreams['rows'],
  { split, onProgress }: ExportOptions,
): AsyncGenerator<ExportedRow[]> {
  let seen = 0
  for await (const lines of readLines(stream)) {
    for (let from = 0; from < lines.length; from += GROUP) {
      const rows = lines.slice(from, from + GROUP).map(readRow)
      seen += rows.length
      onProgress?.(seen)
      yield rows.filter((row) => isInSplit(row, split))
      await pause()
    }
  }
}

async function* readSingly(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  for await (const lines of readLines(stream)) yield* lines
  return undefined
}

const pause = () => new Promise((resolve) => setTimeout(resolve))
