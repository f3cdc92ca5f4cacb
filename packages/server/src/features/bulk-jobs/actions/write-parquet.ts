import { createReadStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { setImmediate } from 'node:timers/promises'
import type { Run } from '@touchstone/contract'
import type { SchemaElement } from 'hyparquet'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import { splitMembers } from '../../../json/cut-json.ts'

/** Rows, and characters, of a group: what is held in memory while it is encoded. */
const GROUP_ROWS = 5_000
const GROUP_CHARACTERS = 32_000_000

const WHOLE: ReadonlySet<string> = new Set(['prompt_tokens', 'completion_tokens', 'total_tokens'])

/** Turns lines of JSON into a Parquet file: counts as INT64, all else as text, payloads as the JSON text they were. */
export async function writeParquet(from: string, to: string, fields: readonly (keyof Run)[]): Promise<void> {
  const aside = `${to}.part`
  const writer = new ParquetWriter({ writer: fileWriter(aside), schema: schemaOf(fields), createdBy: 'Touchstone' })
  let columns = emptyColumns(fields)
  let rows = 0
  let characters = 0
  const flush = async () => {
    const columnData = fields.map((name, at) => ({ name, data: columns[at]!, type: typeOf(name) }))
    if (rows > 0) await writer.write({ columnData, rowGroupSize: rows })
    columns = emptyColumns(fields)
    rows = 0
    characters = 0
    await setImmediate()
  }
  for await (const line of createInterface({ input: createReadStream(from), crlfDelay: Number.POSITIVE_INFINITY })) {
    const members = splitMembers(line)
    fields.forEach((field, at) => {
      columns[at]!.push(cellOf(field, members.get(field) ?? 'null'))
    })
    rows++
    characters += line.length
    if (rows === GROUP_ROWS || characters > GROUP_CHARACTERS) await flush()
  }
  await flush()
  await writer.finish()
  const file = await open(aside, 'r')
  await file.sync().finally(() => file.close())
  await rename(aside, to)
  await rm(from, { force: true })
}

const emptyColumns = (fields: readonly string[]): unknown[][] => fields.map(() => [])
const typeOf = (field: string) => (WHOLE.has(field) ? ('INT64' as const) : ('STRING' as const))

function cellOf(field: string, json: string): string | bigint | null {
  if (json === 'null') return null
  if (WHOLE.has(field)) return BigInt(json)
  return json.startsWith('"') ? (JSON.parse(json) as string) : json
}

function schemaOf(fields: readonly string[]): SchemaElement[] {
  const columns = fields.map((name): SchemaElement => {
    const common = { name, repetition_type: 'OPTIONAL' as const }
    return WHOLE.has(name) ? { ...common, type: 'INT64' } : { ...common, type: 'BYTE_ARRAY', converted_type: 'UTF8' }
  })
  return [{ name: 'runs', num_children: fields.length }, ...columns]
}
