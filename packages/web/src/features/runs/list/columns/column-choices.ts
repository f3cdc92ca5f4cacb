import { parsePath } from '#lib/json/json-path.ts'
import { feedbackColumn, jsonColumn, metadataColumn, readColumn } from '#lib/run-columns.ts'
import { findColumn, getColumnLabel, RUN_COLUMNS } from '../runs-columns.tsx'

/**
 * The `cols` parameter for a list of columns; undefined for the default columns.
 *
 * @param defaults  what the list shows without the parameter
 */
export function toColsParam(columns: readonly string[], defaults: readonly string[]): readonly string[] | undefined {
  return columns.join() === defaults.join() ? undefined : columns
}

export function toggleColumn(columns: readonly string[], id: string): readonly string[] {
  return columns.includes(id) ? columns.filter((column) => column !== id) : [...columns, id]
}

/** Moves a column. `Name` stays first, so an index below 1 or past the end changes nothing. */
export function moveColumn(columns: readonly string[], id: string, index: number): readonly string[] {
  if (index < 1 || index >= columns.length) return columns
  return columns.filter((column) => column !== id).toSpliced(index, 0, id)
}

/** Whether the label of a column contains the search text. */
export function matchesColumn(id: string, search: string): boolean {
  return getColumnLabel(id).toLowerCase().includes(search.trim().toLowerCase())
}

/** Columns that can be added: built-in ones, feedback keys and metadata keys of the listed runs. */
export function listHiddenColumns(
  columns: readonly string[],
  feedbackKeys: readonly string[],
  metadataKeys: readonly string[],
): readonly string[] {
  const ids = [
    ...Object.keys(RUN_COLUMNS),
    ...feedbackKeys.map(feedbackColumn),
    ...metadataKeys.map((key) => metadataColumn(key)),
  ]
  return [...new Set(ids)].filter((id) => findColumn(id) !== undefined && !columns.includes(id))
}

/** The column for a typed path such as `inputs.question`; metadata may be typed without `extra`. */
export function parseColumn(text: string): string | undefined {
  const path = parsePath(text.trim())
  if (path === undefined || path.length < 2) return undefined
  const id = jsonColumn(path[0] === 'metadata' ? ['extra', ...path] : path)
  return readColumn(id) && id
}

export function getColumnKind(id: string): string {
  const custom = readColumn(id)
  if (custom === undefined) return ''
  return custom.kind === 'feedback' ? 'feedback' : 'metadata'
}
