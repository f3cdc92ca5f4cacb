import type { JsonKind } from './scan-json.ts'
/** What a row shows: a value, a line of an opened string, or the offer to show the rest of one. */
export const VALUE = 0
export const LINE = 1
export const MORE = 2

const COLUMNS = ['what', 'start', 'end', 'key', 'named', 'depth', 'count', 'open', 'anchor', 'inner'] as const
export type RowColumn = (typeof COLUMNS)[number]

/**
 * Rows as columns of numbers, in the order of the document; a million of them take 28 MB.
 * `key` is the offset of the key where `named` is 1, and a position in a list otherwise. `anchor` is where the row stands
 * in the document: its key or value, or the string that it was read out of. `inner` is where the JSON begins that was read
 * out of a string, or 0.
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
    return this.#columns[column][row]!
  }

  set(row: number, values: Partial<Record<RowColumn, number>>): void {
    for (const column in values) this.#columns[column as RowColumn][row] = values[column as RowColumn]!
  }

  /** Makes room for empty rows in front of the one that is now at `at`. */
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

  /** The last row that begins, with its key, at or before an offset, or -1. */
  lastStartingBy(offset: number): number {
    const { anchor } = this.#columns
    let low = 0
    let high = this.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (anchor[middle]! <= offset) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  /** The row behind everything below `row`. */
  endOfBranch(row: number): number {
    const depth = this.#columns.depth
    let end = row + 1
    while (end < this.length && depth[end]! > depth[row]!) end++
    return end
  }

  /** The row that `row` hangs below, or -1. */
  parentOf(row: number): number {
    const depth = this.#columns.depth
    let parent = row - 1
    while (parent >= 0 && depth[parent]! >= depth[row]!) parent--
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

/** A row as it is drawn. */
export interface JsonRow {
  what: 'value' | 'line' | 'more'
  depth: number
  /** Key of an object's member, position in a list, or nothing at the top. */
  key: string | number | undefined
  kind: JsonKind
  /** The value as text: numbers digit by digit, strings decoded (and clamped while closed), empty for containers. */
  text: string
  /** Members of an object or list. */
  count: number
  /** Bytes of the value's JSON text. */
  bytes: number
  /** Offset of the value in the document; names the row. */
  start: number
  /** Undefined when there is nothing to open. */
  open: boolean | undefined
  /** A string that looks like JSON itself, so that it may be opened as such; `open` when it is. */
  json?: 'closed' | 'open' | undefined
  /** Type of the image, sound or document that a string holds in base64. */
  media?: string | undefined
}

/** A value to show at the top, e.g. the `inputs` and the `outputs` of a run. */
export interface OutlineRoot {
  key: string | undefined
  start: number
}
