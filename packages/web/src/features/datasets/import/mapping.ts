import { readNumber } from '@touchstone/formats/exact-json'
import { isRecord, type JsonRecord, member } from '@touchstone/formats/guards'
import type { FileFormat } from './detect-file.ts'

/** What a column becomes; `skip` leaves it out. */
export type Target = 'inputs' | 'outputs' | 'metadata' | 'split' | 'skip'

/** How the cells of a CSV column are read. Values of JSON keep their type. */
export type CellKind = 'text' | 'optional-text' | 'number' | 'boolean' | 'json'

export const CELL_KINDS: readonly { readonly value: CellKind; readonly label: string }[] = [
  { value: 'text', label: 'Text' },
  { value: 'optional-text', label: 'Text, empty = no value' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'true / false' },
  { value: 'json', label: 'JSON' },
]

export interface ColumnMapping {
  /** Title in CSV, key in JSON. */
  readonly column: string
  readonly target: Target
  /** Keys separated by dots, `\.` for a dot in a key; empty: the value is the whole object. Unused for splits. */
  readonly path: string
  readonly kind: CellKind
}

export type Mapping = readonly ColumnMapping[]

/** The column of a file of bad rows with what was wrong; never imported. */
export const PROBLEM_COLUMN = 'import_problem'

/** What is known about the dataset. */
export interface KnownKeys {
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
}

export interface ColumnSample {
  readonly column: string
  /** Values of the first rows that have one. */
  readonly values: readonly unknown[]
}

/** A mapping to start from. Files that were exported here need no change. */
export function suggestMapping(columns: readonly ColumnSample[], format: FileFormat, known: KnownKeys): Mapping {
  const suggest = ({ column, values }: ColumnSample): ColumnMapping => {
    const kind = format === 'csv' ? detectKind(values) : 'json'
    return readTitle(column, values, kind, format) ?? { column, kind, ...suggestTarget(column, values, format, known) }
  }
  const mapping = columns.map(suggest)
  if (mapping.some(({ target }) => target === 'inputs')) return mapping
  // A file must have inputs: the first column that would otherwise be metadata.
  const first = mapping.find(({ target }) => target === 'metadata' || target === 'outputs')
  return mapping.map((one) => (one === first ? { ...one, target: 'inputs' } : one))
}

/** A title of our own export: `inputs.question`, `outputs.score:json`, `metadata`. */
function readTitle(
  column: string,
  values: readonly unknown[],
  kind: CellKind,
  format: FileFormat,
): ColumnMapping | undefined {
  const [, target, path, suffix] = /^(inputs|outputs|metadata)(?:\.(.+?))?(:json|\?)?$/s.exec(column) ?? []
  if (target !== 'inputs' && target !== 'outputs' && target !== 'metadata') return undefined
  if (path === undefined) {
    // A column of texts comes from elsewhere. One object is enough, so that broken ones beside it are listed.
    const isWhole = values.length === 0 || values.some(isWrittenObject)
    return isWhole ? { column, target, path: '', kind: 'json' } : undefined
  }
  if (format !== 'csv') return { column, target, path, kind }
  return { column, target, path, kind: suffix === ':json' ? 'json' : suffix === '?' ? 'optional-text' : 'text' }
}

const SKIPPED = /^(id|example_id|created_at|modified_at|updated_at|source_run_id)$/i
const OUTPUT_NAMES =
  /^(outputs?|answers?|expected.*|ideal|labels?|reference.*|targets?|ground_?truth|completion|response)$/i
const SPLIT_NAMES = /^(split|splits|dataset_split)$/i
const METADATA_NAMES = /^(metadata|tags?|topic|category|source|difficulty|language|author|notes?)$/i

function suggestTarget(
  column: string,
  values: readonly unknown[],
  format: FileFormat,
  known: KnownKeys,
): Pick<ColumnMapping, 'target' | 'path'> {
  const path = format === 'csv' ? column : escapeKey(column)
  if (column === PROBLEM_COLUMN) return { target: 'skip', path }
  if (known.inputs.includes(column)) return { target: 'inputs', path }
  if (known.outputs.includes(column)) return { target: 'outputs', path }
  if (SKIPPED.test(column)) return { target: 'skip', path }
  if (SPLIT_NAMES.test(column)) return { target: 'split', path: '' }
  if (/^inputs?$/i.test(column) && values.every(isRecord)) return { target: 'inputs', path: '' }
  if (OUTPUT_NAMES.test(column)) {
    const isWhole = /^(outputs?|reference_outputs|expected_outputs?)$/i.test(column) && values.every(isRecord)
    return { target: 'outputs', path: isWhole ? '' : path }
  }
  return { target: METADATA_NAMES.test(column) ? 'metadata' : 'inputs', path }
}

function detectKind(values: readonly unknown[]): CellKind {
  const texts = values.filter((value): value is string => typeof value === 'string' && value.trim() !== '')
  if (texts.length === 0) return 'text'
  if (texts.every((text) => readNumber(text.trim()) !== undefined)) return 'number'
  if (texts.every((text) => /^(true|false)$/i.test(text.trim()))) return 'boolean'
  return texts.every(isStructured) ? 'json' : 'text'
}

function isStructured(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Whether a value is an object, or a cell with the JSON of one. */
function isWrittenObject(value: unknown): boolean {
  return isRecord(value) || (typeof value === 'string' && value.trimStart().startsWith('{') && isStructured(value))
}

export function escapeKey(key: string): string {
  return key.replaceAll('.', '\\.')
}

/** Keys of a path: `a.b` has two, `a\.b` one. */
export function splitPath(path: string): string[] {
  return path === '' ? [] : path.split(/(?<!\\)\./).map((key) => key.replaceAll('\\.', '.'))
}

/** Why a mapping cannot be used, or `undefined`. */
export function findMappingProblem(mapping: Mapping): string | undefined {
  if (!mapping.some(({ target }) => target === 'inputs')) return 'Map at least one column to the inputs.'
  const seen = new Map<string, string>()
  for (const { column, target, path } of mapping) {
    if (target === 'skip') continue
    const place = target === 'split' ? 'split' : JSON.stringify([target, ...splitPath(path)])
    const other = seen.get(place)
    if (other !== undefined) return `Columns “${other}” and “${column}” have the same place.`
    seen.set(place, column)
  }
  return undefined
}

/** Value of a JSON row for a column: its key, or a path of keys inside it. */
export function getValue(row: JsonRecord, column: string): unknown {
  const own = member(row, column)
  if (own !== undefined || Object.hasOwn(row, column)) return own
  let value: unknown = row
  for (const key of splitPath(column)) {
    if (!isRecord(value)) return undefined
    value = member(value, key)
  }
  return value
}
