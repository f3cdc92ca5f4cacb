import { type JsonPath, parsePath, printPath } from './json/json-path.ts'

/** A custom column: a value in a payload, or the mean of a feedback key. */
export type MadeColumn = { kind: 'json'; path: JsonPath } | { kind: 'feedback'; key: string }

const PAYLOADS = ['inputs', 'outputs', 'extra']

/** The id of a column for a value of a run, e.g. `json:inputs.question`; paths begin with inputs, outputs or extra. */
export function jsonColumn(path: JsonPath): string {
  return `json:${encodePart(printPath(path))}`
}

/** The id of a column for a metadata key. Dots are levels, as in the filter language. */
export function metadataColumn(key: string): string {
  return jsonColumn(['extra', 'metadata', ...key.split('.')])
}

export function feedbackColumn(key: string): string {
  return `feedback:${encodePart(key)}`
}

/** Parses the id of a custom column (`meta:env` is short for a metadata key); `undefined` for built-in columns and invalid ids. */
export function readColumn(id: string): MadeColumn | undefined {
  const colon = id.indexOf(':')
  const text = decodePart(id.slice(colon + 1))
  if (colon < 0 || text === undefined || text === '') return undefined
  const kind = id.slice(0, colon)
  if (kind === 'feedback') return { kind, key: text }
  if (kind === 'meta') return { kind: 'json', path: ['extra', 'metadata', text] }
  const path = kind === 'json' ? parsePath(text) : undefined
  return path !== undefined && PAYLOADS.includes(String(path[0])) ? { kind: 'json', path } : undefined
}

/** The title of the column: its path without the common prefix. */
export function getCustomColumnLabel(column: MadeColumn): string {
  if (column.kind === 'feedback') return column.key
  const [payload, ...rest] = column.path
  const isMetadata = payload === 'extra' && rest[0] === 'metadata' && rest.length > 1
  return isMetadata ? printPath(rest.slice(1)) : printPath(column.path)
}

/** Commas separate columns. */
function encodePart(text: string): string {
  return text.replaceAll('%', '%25').replaceAll(',', '%2C')
}

function decodePart(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The default columns of a list of runs. */
export const DEFAULT_COLUMNS = ['name', 'input', 'output', 'start', 'latency', 'ttft', 'tokens', 'cost'] as const

/** The order after a click on a column header: descending, then ascending, then the initial order. */
export function nextSort(sort: string, column: string, first: string): string {
  if (sort === `-${column}`) return column
  return sort === column ? first : `-${column}`
}

/** The sort direction that a column header shows. */
export function getSortDirection(sort: string, column: string): 'ascending' | 'descending' | undefined {
  if (sort === column) return 'ascending'
  return sort === `-${column}` ? 'descending' : undefined
}
