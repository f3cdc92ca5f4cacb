import type { CsvReader, Run } from '@touchstone/contract'
import { csvLine } from '../../../http/csv-line.ts'
import { presentField, presentRun, type RunView } from '../../runs/index.ts'
import { fieldsOf } from '../export-fields.ts'
import { appendDurably, exportPath, sizeOf } from '../export-file.ts'
import type { Action } from './action.ts'
import { nextRuns } from './next-runs.ts'
import { writeParquet } from './write-parquet.ts'

/** Payloads of a page are held in memory at once. */
const PAGE = 100

/** Appends the next runs to a file. Parquet, which cannot be appended to, is made of the lines at the end. */
export const exportRuns: Action = async (deps, job, wish) => {
  const fields = fieldsOf(wish.select)
  const { views, next } = await nextRuns(deps, job, wish, PAGE, new Set(fields))
  const lines = exportPath(deps, job.id, wish.format === 'csv' ? 'csv' : 'jsonl')
  const before = job.bytes ?? 0
  const head = wish.format === 'csv' && before === 0 ? csvLine(fields, wish.csvReader) : ''
  const text = views.map((view) =>
    wish.format === 'csv' ? csvOf(view, fields, wish.csvReader) : `${lineOf(view, fields)}\n`,
  )
  const bytes = await appendDurably(lines, before, head + text.join(''))
  const treated = { done: views.length, failures: [], next }
  if (wish.format !== 'parquet' || next !== undefined) return { ...treated, bytes }
  const parquet = exportPath(deps, job.id, 'parquet')
  await writeParquet(lines, parquet, fields)
  return { ...treated, bytes: await sizeOf(parquet) }
}

function lineOf(view: RunView, fields: readonly (keyof Run)[]): string {
  return presentRun(view, new Set(fields), [])
}

/** Texts as they are, nothing as nothing, all else as JSON. */
function csvOf(view: RunView, fields: readonly (keyof Run)[], reader: CsvReader | null | undefined): string {
  return csvLine(
    fields.map((field) => plain(presentField(view, field))),
    reader,
  )
}

function plain(json: string): string {
  if (json === 'null') return ''
  return json.startsWith('"') ? (JSON.parse(json) as string) : json
}
