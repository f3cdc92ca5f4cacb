import type { JsonKind } from '@touchstone/formats/json-extents'
import { intAt } from '#lib/columns.ts'
/** Kinds of rows: a value, a line of an opened string, or the button that shows the rest of a string. */
export const VALUE = 0
export const LINE = 1
export const MORE = 2

const COLUMNS = ['what', 'start', 'end', 'key', 'named', 'depth', 'count', 'open', 'anchor', 'inner'] as const
export type RowColumn = (typeof COLUMNS)[number]

/**
 * Rows as columns of numbers, in document order. A million rows take 28 MB.
 * `key` is the offset of the key where `named` is 1, otherwise a list index. `anchor` is the offset of the row in the
 * document: of its key or value, or of the string it was decoded from. `inner` is the offset of the JSON that was
 * decoded from a string, or 0.
 */
export class JsonRows {
  length = 0
  readonly #columns: Record<RowColumn, Uint32Array | Uint16Array | Uint8Array> = {
    what: new Uint8Array(256),
    start: new Uint32Array(256),
    end: new Uint32Array(256),
    key: new Uint32Array(256),
    named: new Uint8Array(256),
    depth: new Uint16Array(256),
    count: new Uint32Array(256),
    open: new Uint8Array(256),
    anchor: new Uint32Array(256),
    inner: new Uint32Array(256),
  }

  get(column: RowColumn, row: number): number {
    return intAt(this.#columns[column], row)
  }

  set(row: number, values: Partial<Record<RowColumn, number>>): void {
    for (const column of COLUMNS) {
      const value = values[column]
      if (value !== undefined) this.#columns[column][row] = value
    }
  }

  /** Inserts empty rows before row `at`. */
  insert(at: number, count: number): void {
    this.#grow(this.length + count)
    for (const name of COLUMNS) {
      this.#columns[name].copyWithin(at + count, at, this.length)
      this.#columns[name].fill(0, at, at + count)
    }
    this.length += count
  }

  remove(at: number, count: number): void {
    for (const name of COLUMNS) this.#columns[name].copyWithin(at, at + count, this.length)
    this.length -= count
  }

  /** The last row whose key or value starts at or before an offset, or -1. */
  lastStartingBy(offset: number): number {
    const { anchor } = this.#columns
    let low = 0
    let high = this.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (intAt(anchor, middle) <= offset) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  /** The first row after the descendants of `row`. */
  findBranchEnd(row: number): number {
    const depth = this.#columns.depth
    let end = row + 1
    while (end < this.length && intAt(depth, end) > intAt(depth, row)) end++
    return end
  }

  /** The parent row, or -1. */
  findParent(row: number): number {
    const depth = this.#columns.depth
    let parent = row - 1
    while (parent >= 0 && intAt(depth, parent) >= intAt(depth, row)) parent--
    return parent
  }

  #grow(size: number): void {
    const capacity = this.#columns.start.length
    if (size <= capacity) return
    for (const name of COLUMNS) this.#columns[name] = grown(this.#columns[name], Math.max(size, capacity * 2))
  }
}

function grown(column: Uint32Array | Uint16Array | Uint8Array, capacity: number) {
  const bigger =
    column instanceof Uint8Array
      ? new Uint8Array(capacity)
      : column instanceof Uint16Array
        ? new Uint16Array(capacity)
        : new Uint32Array(capacity)
  bigger.set(column)
  return bigger
}

/** A row to draw. */
export interface JsonRow {
  what: 'value' | 'line' | 'more'
  depth: number
  /** Key in an object, index in a list, or undefined at the top. */
  key: string | number | undefined
  kind: JsonKind
  /** The value as text: exact numbers, decoded strings (clamped while closed), empty for containers. */
  text: string
  /** Number of members of an object or list. */
  count: number
  /** Size of the value's JSON text in bytes. */
  bytes: number
  /** Offset of the value in the document; identifies the row. */
  start: number
  /** Undefined when the row cannot be opened. */
  open: boolean | undefined
  /** Set for a string that looks like JSON; `open` while it is shown as JSON. */
  json?: 'closed' | 'open' | undefined
  /** Media type of the file that a string contains in base64. */
  media?: string | undefined
}

/** A value at the top level, for example the `inputs` or the `outputs` of a run. */
export interface OutlineRoot {
  key: string | undefined
  start: number
}
