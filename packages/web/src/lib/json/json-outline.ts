import {
  decodeString,
  extentAt,
  type JsonKind,
  kindAt,
  membersAt,
  readText,
  skipSpace,
  skipString,
} from '@touchstone/formats/json-extents'
import type { JsonPath } from './json-path.ts'
import { type JsonRow, JsonRows, LINE, MORE, type OutlineRoot, VALUE } from './json-rows.ts'
import { isContainer, looksLikeJson, mediaAt, withText, wrapString } from './json-strings.ts'

/** Characters of a long string that are shown before the user requests the rest. */
export const CLAMP = 2_000
/** Maximum number of rows that are opened automatically at first. */
const OPEN_AT_FIRST = 400
const PREVIEW = 400

/** Whether the value at a path was left open. */
export interface FoldChoice {
  path: JsonPath
  open: boolean
}

/**
 * The open parts of a JSON document as a list of rows. Only open values are indexed. Rows are numbers that point into
 * the bytes, so a value can have any size.
 */
export class JsonOutline {
  /** The document, followed by the JSON that was decoded from its strings. */
  #bytes: Uint8Array
  readonly #roots: readonly OutlineRoot[]
  readonly #rows = new JsonRows()
  readonly #size: number
  #columns: number

  /** @param columns  characters per line, for wrapping opened strings */
  constructor(bytes: Uint8Array, roots: readonly OutlineRoot[], columns = 100) {
    this.#bytes = bytes
    this.#size = bytes.length
    this.#roots = roots.toSorted((a, b) => a.start - b.start)
    this.#columns = columns
    this.#rows.insert(0, this.#roots.length)
    this.#roots.forEach(({ start }, row) => {
      this.#rows.set(row, { start, key: row, anchor: start, ...extentAt(bytes, start) })
    })
    this.#openFirst()
  }

  get length(): number {
    return this.#rows.length
  }

  rows(from: number, to: number): JsonRow[] {
    const rows: JsonRow[] = []
    for (let row = Math.max(from, 0); row < Math.min(to, this.length); row++) rows.push(this.#present(row))
    return rows
  }

  /** Opens a closed row or closes an open one. */
  toggle(row: number): void {
    if (this.#rows.get('open', row)) this.#close(row)
    else this.#open(row)
  }

  /** Opens or closes a row and its siblings of the same kind. */
  toggleSiblings(row: number): void {
    const opens = !this.#rows.get('open', row)
    const depth = this.#rows.get('depth', row)
    const parent = this.#rows.findParent(row)
    for (let at = parent + 1; at < this.length && this.#rows.get('depth', at) >= depth; at++) {
      if (this.#rows.get('depth', at) !== depth || Boolean(this.#rows.get('open', at)) === opens) continue
      if (opens) this.#open(at)
      else this.#close(at)
    }
  }

  /**
   * Opens a string that contains JSON as the values in it, or shows its text again.
   *
   * @returns whether the string contains JSON
   */
  toggleJson(row: number): boolean {
    if (this.#kind(row) !== 'string') return false
    if (this.#rows.get('open', row)) this.#close(row)
    if (this.#rows.get('inner', row)) {
      this.#rows.set(row, { inner: 0, count: 0 })
      return true
    }
    const text = this.valueText(row)
    if (!isContainer(text)) return false
    const end = this.#bytes.length
    this.#bytes = withText(this.#bytes, text)
    const inner = skipSpace(this.#bytes, end)
    this.#rows.set(row, { inner, count: extentAt(this.#bytes, inner).count })
    if (this.#canOpen(row)) this.#open(row)
    return true
  }

  /** Shows all of a string that was cut off. */
  showWhole(moreRow: number): void {
    const parent = this.#rows.findParent(moreRow)
    this.#close(parent)
    this.#open(parent, Number.POSITIVE_INFINITY)
  }

  /** Wraps the opened strings for another width. */
  setColumns(columns: number): void {
    if (columns === this.#columns) return
    this.#columns = columns
    for (let row = 0; row < this.length; row++) {
      if (!this.#rows.get('open', row) || this.#kind(row) !== 'string' || this.#rows.get('inner', row)) continue
      if (!this.#needsLines(row)) {
        this.#close(row)
        continue
      }
      const last = this.#rows.findBranchEnd(row) - 1
      const limit = this.#rows.get('what', last) === MORE ? CLAMP : Number.POSITIVE_INFINITY
      this.#close(row)
      this.#open(row, limit)
    }
  }

  /** Opens the ancestors of the value at an offset. @returns its row */
  reveal(offset: number): number {
    for (;;) {
      const row = this.#outermost(Math.max(this.#rows.lastStartingBy(offset), 0))
      if (this.#rows.get('what', row) === MORE) return this.#revealBeyond(row, offset)
      const isInside = offset >= this.#rows.get('start', row) && offset < this.#rows.get('end', row)
      if (!isInside || this.#rows.get('open', row) || !this.#canOpen(row)) return row
      this.#open(row)
    }
  }

  /** Opens the ancestors of the value at a path. @returns its row; undefined when there is no such value */
  findPath(path: JsonPath): number | undefined {
    return this.#find(path, true)
  }

  /** Restores opened and closed values. Paths without a visible value are skipped. */
  fold(choices: readonly FoldChoice[]): void {
    for (const { path, open } of choices) {
      const row = this.#find(path, false)
      if (row === undefined || !this.#canOpen(row) || Boolean(this.#rows.get('open', row)) === open) continue
      if (open) this.#open(row)
      else this.#close(row)
    }
  }

  getPath(row: number): JsonPath {
    const path: (string | number)[] = []
    let at = this.#rows.get('what', row) === VALUE ? row : this.#rows.findParent(row)
    for (; at >= 0; at = this.#rows.findParent(at)) {
      const key = this.#keyOf(at)
      if (key !== undefined) path.unshift(key)
    }
    return path
  }

  /** The value as text to copy: the text of a string, otherwise JSON, byte for byte. */
  valueText(row: number): string {
    const at = this.#rows.get('what', row) === VALUE ? row : this.#rows.findParent(row)
    const [start, end] = [this.#rows.get('start', at), this.#rows.get('end', at)]
    return this.#kind(at) === 'string'
      ? decodeString(this.#bytes, start + 1, end - 1)
      : readText(this.#bytes, start, end)
  }

  #find(path: JsonPath, opens: boolean): number | undefined {
    let siblings: [number, number] = [0, this.length]
    let found: number | undefined
    const steps = this.#roots.length === 1 && this.#roots[0]?.key === undefined ? [undefined, ...path] : path
    for (const step of steps) {
      if (found !== undefined) {
        if (!opens && !this.#rows.get('open', found)) return undefined
        if (this.#kind(found) === 'string' && !this.#rows.get('inner', found) && !(opens && this.toggleJson(found)))
          return undefined
        if (!this.#rows.get('open', found)) this.#open(found)
        siblings = [found + 1, this.#rows.findBranchEnd(found)]
      }
      found = this.#childNamed(step, ...siblings)
      if (found === undefined) return undefined
    }
    return found
  }

  #openFirst(): void {
    for (let row = 0; row < this.length && this.length < OPEN_AT_FIRST; row++) {
      if (this.#rows.get('open', row) || !this.#canOpen(row) || this.#mediaOf(row)) continue
      const isTop = this.#rows.get('depth', row) === 0
      if (isTop || this.#rows.get('count', row) <= 50) this.#open(row)
    }
  }

  #canOpen(row: number): boolean {
    if (this.#rows.get('what', row) !== VALUE) return false
    if (this.#kind(row) !== 'string' || this.#rows.get('inner', row)) return this.#rows.get('count', row) > 0
    return this.#needsLines(row)
  }

  /** Whether a string is too long for one row or contains line breaks. */
  #needsLines(row: number): boolean {
    const [start, end] = [this.#rows.get('start', row), this.#rows.get('end', row)]
    if (end - start > this.#widthAt(this.#rows.get('depth', row)) - 12) return true
    return readText(this.#bytes, start, end).includes('\\n')
  }

  #open(row: number, limit = CLAMP): void {
    this.#rows.set(row, { open: 1 })
    const inner = this.#rows.get('inner', row)
    if (inner) this.#insertMembers(row, inner)
    else if (this.#kind(row) === 'string') this.#insertLines(row, limit)
    else this.#insertMembers(row, this.#rows.get('start', row))
  }

  #close(row: number): void {
    this.#rows.set(row, { open: 0 })
    this.#rows.remove(row + 1, this.#rows.findBranchEnd(row) - row - 1)
  }

  /** @param start  offset of the object or list */
  #insertMembers(row: number, start: number): void {
    const count = this.#rows.get('count', row)
    const depth = this.#rows.get('depth', row) + 1
    const named = kindAt(this.#bytes, start) === 'object' ? 1 : 0
    const isInner = start >= this.#size
    const outer = this.#rows.get('anchor', row)
    this.#rows.insert(row + 1, count)
    let at = row + 1
    for (const member of membersAt(this.#bytes, start)) {
      const anchor = isInner ? outer : named ? member.key : member.start
      if (at <= row + count) this.#rows.set(at++, { ...member, depth, named, anchor })
    }
    this.#rows.remove(at, row + 1 + count - at) // damaged JSON may have fewer members than counted
  }

  #insertLines(row: number, limit: number): void {
    const depth = this.#rows.get('depth', row) + 1
    const [start, end] = [this.#rows.get('start', row) + 1, this.#rows.get('end', row) - 1]
    const { lines, cutAt } = wrapString(this.#bytes, start, end, this.#widthAt(depth), limit)
    this.#rows.insert(row + 1, lines.length + (cutAt === undefined ? 0 : 1))
    const isInner = start >= this.#size
    const outer = this.#rows.get('anchor', row)
    const anchorOf = (at: number) => (isInner ? outer : at)
    lines.forEach((line, i) => {
      this.#rows.set(row + 1 + i, { ...line, depth, what: LINE, anchor: anchorOf(line.start) })
    })
    if (cutAt === undefined) return
    this.#rows.set(row + 1 + lines.length, { what: MORE, depth, start: cutAt, end, anchor: anchorOf(cutAt) })
  }

  /** The row of the string in the document from which a row was decoded. */
  #outermost(row: number): number {
    let at = row
    while (this.#rows.get('start', at) >= this.#size) at = this.#rows.findParent(at)
    return at
  }

  #revealBeyond(moreRow: number, offset: number): number {
    this.showWhole(moreRow)
    return this.#rows.lastStartingBy(offset)
  }

  #childNamed(step: string | number | undefined, from: number, to: number): number | undefined {
    const depth = this.#rows.get('depth', from)
    for (let row = from; row < to; row++) {
      if (this.#rows.get('depth', row) === depth && this.#rows.get('what', row) === VALUE && this.#keyOf(row) === step)
        return row
    }
    return undefined
  }

  #present(row: number): JsonRow {
    const what = this.#rows.get('what', row)
    const [start, end] = [this.#rows.get('start', row), this.#rows.get('end', row)]
    const open = this.#rows.get('open', row) === 1
    const isString = what === VALUE && this.#kind(row) === 'string'
    const isJson = isString && (this.#rows.get('inner', row) > 0 || looksLikeJson(this.#bytes, start + 1, end - 1))
    const media = what === VALUE ? this.#mediaOf(row) : undefined
    return {
      what: what === VALUE ? 'value' : what === LINE ? 'line' : 'more',
      depth: this.#rows.get('depth', row),
      key: what === VALUE ? this.#keyOf(row) : undefined,
      kind: what === VALUE ? this.#kind(row) : 'string',
      text: this.#textAt(row, what, open),
      count: this.#rows.get('count', row),
      bytes: end - start,
      start,
      open: this.#canOpen(row) ? open : undefined,
      ...(isJson && { json: this.#rows.get('inner', row) > 0 ? 'open' : 'closed' }),
      ...(media !== undefined && { media }),
    }
  }

  #textAt(row: number, what: number, open: boolean): string {
    const [start, end] = [this.#rows.get('start', row), this.#rows.get('end', row)]
    if (what === MORE) return ''
    if (what === LINE) return decodeString(this.#bytes, start, end)
    const kind = this.#kind(row)
    if (kind === 'object' || kind === 'array' || (kind === 'string' && open)) return ''
    if (kind !== 'string') return readText(this.#bytes, start, end)
    const { lines } = wrapString(this.#bytes, start + 1, Math.min(end - 1, start + 4 * PREVIEW), PREVIEW, PREVIEW)
    return lines.map((line) => decodeString(this.#bytes, line.start, line.end)).join('↵')
  }

  #mediaOf(row: number): string | undefined {
    if (this.#kind(row) !== 'string') return undefined
    return mediaAt(this.#bytes, this.#rows.get('start', row) + 1, this.#rows.get('end', row) - 1)
  }

  #keyOf(row: number): string | number | undefined {
    const key = this.#rows.get('key', row)
    if (this.#rows.get('depth', row) === 0) return this.#roots[key]?.key
    if (!this.#rows.get('named', row)) return key
    return decodeString(this.#bytes, key + 1, skipString(this.#bytes, key) - 1)
  }

  #kind(row: number): JsonKind {
    return kindAt(this.#bytes, this.#rows.get('start', row))
  }

  #widthAt(depth: number): number {
    return Math.max(this.#columns - 2 * depth - 4, 20)
  }
}
