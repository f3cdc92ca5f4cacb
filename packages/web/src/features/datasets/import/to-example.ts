import { parseExactJson, readNumber } from '@touchstone/formats/exact-json'
import { isRecord, type JsonRecord, member } from '@touchstone/formats/guards'
import { pluralize } from '#lib/format.ts'
import { type CellKind, type ColumnMapping, getValue, type Mapping, splitPath } from './mapping.ts'
import type { RowSource } from './read-rows.ts'

/** An example as it will be sent. */
export interface ImportedExample {
  readonly inputs: JsonRecord
  readonly outputs: JsonRecord | null
  readonly metadata: JsonRecord | undefined
  readonly splits: readonly string[] | undefined
}

export type Converted = { readonly ok: ImportedExample } | { readonly problems: readonly string[] }

/** Titles of the columns of CSV with their positions. */
export type Header = ReadonlyMap<string, number>

/** @param header  undefined for JSON */
export function toExample(source: RowSource, mapping: Mapping, header: Header | undefined): Converted {
  const problems: string[] = []
  const read = typeof source === 'string' ? openJsonRow(source) : openCells(source, header ?? new Map())
  if ('problem' in read) return { problems: [read.problem] }
  const parts: Parts = { splits: undefined }
  for (const column of mapping) {
    if (column.target === 'skip') continue
    const value = read.get(column)
    if ('problem' in value) problems.push(`${column.column}: ${value.problem}`)
    else if (value.ok !== undefined) place(parts, column, value.ok, problems)
  }
  if (parts.inputs === undefined && problems.length === 0) problems.push('has no inputs')
  if (problems.length > 0) return { problems }
  return {
    ok: { inputs: parts.inputs ?? {}, outputs: parts.outputs ?? null, metadata: parts.metadata, splits: parts.splits },
  }
}

interface Parts {
  inputs?: JsonRecord
  outputs?: JsonRecord
  metadata?: JsonRecord
  splits: readonly string[] | undefined
}

/** `ok` is undefined where the row has no value. */
type Value = { readonly ok: unknown } | { readonly problem: string }

interface Row {
  get(column: ColumnMapping): Value
}

function openJsonRow(text: string): Row | { readonly problem: string } {
  try {
    const row = parseExactJson(text)
    if (!isRecord(row)) return { problem: 'is not a JSON object' }
    return { get: ({ column }) => ({ ok: getValue(row, column) }) }
  } catch (error) {
    return { problem: `is not JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}

function openCells(cells: readonly string[], header: Header): Row | { readonly problem: string } {
  if (cells.length !== header.size) {
    return { problem: `has ${pluralize(cells.length, 'cell')}, the header has ${header.size}` }
  }
  return {
    get: ({ column, target, kind }) => {
      const cell = cells[header.get(column) ?? -1] ?? ''
      return target === 'split' ? { ok: cell } : readCell(cell, kind)
    },
  }
}

/** Reads a cell of CSV. Only text can be empty; an empty cell of another kind is no value. */
function readCell(cell: string, kind: CellKind): Value {
  if (kind === 'text') return { ok: cell }
  if (cell === '' || (kind !== 'optional-text' && cell.trim() === '')) return { ok: undefined }
  const text = cell.trim()
  switch (kind) {
    case 'optional-text':
      return { ok: cell }
    case 'number': {
      const ok = readNumber(text)
      return ok === undefined ? { problem: `“${shorten(text)}” is not a number` } : { ok }
    }
    case 'boolean':
      if (/^true$/i.test(text)) return { ok: true }
      return /^false$/i.test(text) ? { ok: false } : { problem: `“${shorten(text)}” is neither true nor false` }
    case 'json':
      try {
        return { ok: parseExactJson(text) }
      } catch (error) {
        return { problem: `is not JSON: ${error instanceof Error ? error.message : String(error)}` }
      }
  }
}

function place(parts: Parts, { column, target, path }: ColumnMapping, value: unknown, problems: string[]): void {
  if (target === 'split') {
    const splits = readSplits(value)
    if ('problem' in splits) problems.push(`${column}: ${splits.problem}`)
    else if (splits.ok.length > 0) parts.splits = splits.ok
    return
  }
  if (target === 'skip') return
  const keys = splitPath(path)
  if (keys.length === 0) {
    // Null means that there is no such part, as in an export.
    if (value === null) return
    if (!isRecord(value)) problems.push(`${column}: is not a JSON object, so it cannot be all ${target}`)
    else parts[target] = { ...parts[target], ...value }
    return
  }
  parts[target] ??= {}
  const problem = setAt(parts[target], keys, value)
  if (problem !== undefined) problems.push(`${column}: ${problem}`)
}

function setAt(object: object, keys: readonly string[], value: unknown): string | undefined {
  const [key = '', ...rest] = keys
  if (rest.length === 0) {
    setOwn(object, key, value)
    return undefined
  }
  const inner = Object.hasOwn(object, key) ? member(object, key) : {}
  if (!isRecord(inner)) return `“${key}” already has a value`
  setOwn(object, key, inner)
  return setAt(inner, rest, value)
}

/** Sets an own property of any name, also `__proto__`. */
function setOwn(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
}

/** One name as text, or a list of names, also as JSON. */
function readSplits(value: unknown): { readonly ok: readonly string[] } | { readonly problem: string } {
  const given = typeof value === 'string' && value.trimStart().startsWith('[') ? parseList(value) : value
  if (given === null || given === undefined) return { ok: [] }
  const names = (Array.isArray(given) ? given : [given]).map((name) => (typeof name === 'string' ? name.trim() : name))
  const texts = names.filter((name): name is string => typeof name === 'string')
  if (texts.length < names.length) return { problem: 'is neither the name of a split nor a list of names' }
  return { ok: texts.filter((name) => name !== '') }
}

function parseList(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const shorten = (text: string) => (text.length > 40 ? `${text.slice(0, 39)}…` : text)
