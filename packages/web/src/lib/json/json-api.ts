import { type FoldChoice, JsonOutline } from './json-outline.ts'
import { type JsonPath, parsePath } from './json-path.ts'
import type { JsonRow, OutlineRoot } from './json-row.ts'
import { decodeString, extentAt, type JsonKind, kindAt, membersAt, skipSpace, skipString, textOf } from './scan-json.ts'
import { needlesOf, searchBytes } from './search-json.ts'

/** A member of a document's top object. */
export interface Field {
  key: string
  kind: JsonKind
  start: number
  end: number
}

/** What a view learns after every change of an outline. */
export interface OutlineState {
  length: number
  /** Row to bring into view, if the change asks for it. */
  row?: number
}

/**
 * Everything a view asks of a document, as plain calls with plain answers, so that the same code serves from a worker
 * (large documents) and from the page itself (small ones).
 */
export function createJsonApi() {
  let bytes = new Uint8Array()
  let outline: JsonOutline | undefined

  const opened = (row?: number): OutlineState => ({ length: outline!.length, ...(row === undefined ? {} : { row }) })

  return {
    /** Takes the document over and lists the members of its top object. */
    load(buffer: ArrayBuffer): Field[] {
      bytes = new Uint8Array(buffer)
      return fieldsOf(bytes)
    },

    /** The top object without the members named and those above a size: what is small enough to hold as a value. */
    head(without: readonly string[], maxBytes: number): Record<string, unknown> {
      const small = fieldsOf(bytes).filter(({ key, start, end }) => !without.includes(key) && end - start <= maxBytes)
      return Object.fromEntries(small.map(({ key, start, end }) => [key, JSON.parse(textOf(bytes, start, end))]))
    },

    /** The JSON text between two offsets, byte for byte. */
    text(start: number, end: number): string {
      return textOf(bytes, start, end)
    },

    /** The value between two offsets; numbers lose the digits a float cannot hold, so not for showing them. */
    parse(start: number, end: number): unknown {
      return JSON.parse(textOf(bytes, start, end))
    },

    /** @param folds  what was left open or closed when a document like this one was looked at, parents first */
    outline(roots: readonly OutlineRoot[] | undefined, columns: number, folds: readonly FoldChoice[]): OutlineState {
      outline = new JsonOutline(bytes, roots ?? [{ key: undefined, start: skipSpace(bytes, 0) }], columns)
      outline.fold(folds)
      return opened()
    },

    rows(from: number, to: number): JsonRow[] {
      return outline!.rows(from, to)
    },

    toggle(row: number, withSiblings: boolean): OutlineState {
      if (withSiblings) outline!.toggleSiblings(row)
      else outline!.toggle(row)
      return opened(row)
    },

    /** Opens a string as the JSON it holds, or shows its text again. */
    toggleJson(row: number): OutlineState {
      outline!.toggleJson(row)
      return opened(row)
    },

    showWhole(row: number): OutlineState {
      outline!.showWhole(row)
      return opened()
    },

    setColumns(columns: number): OutlineState {
      outline!.setColumns(columns)
      return opened()
    },

    reveal(offset: number): OutlineState {
      return opened(outline!.reveal(offset))
    },

    findPath(path: string): OutlineState {
      const steps = parsePath(path)
      return opened(steps && outline!.findPath(steps))
    },

    pathOf(row: number): JsonPath {
      return outline!.pathOf(row)
    },

    valueText(row: number): string {
      return outline!.valueText(row)
    },

    /** Offsets of a text in one stretch of the document; called again and again, so that a new search can cut in. */
    search(query: string, from: number, to: number): number[] {
      return searchBytes(bytes, needlesOf(query), from, to)
    },
  }
}

export type JsonApi = ReturnType<typeof createJsonApi>

function fieldsOf(bytes: Uint8Array): Field[] {
  const top = skipSpace(bytes, 0)
  if (kindAt(bytes, top) !== 'object')
    return [{ key: '', kind: kindAt(bytes, top), start: top, end: extentAt(bytes, top).end }]
  return Array.from(membersAt(bytes, top), ({ key, start, end }) => ({
    key: decodeString(bytes, key + 1, skipString(bytes, key) - 1),
    kind: kindAt(bytes, start),
    start,
    end,
  }))
}
