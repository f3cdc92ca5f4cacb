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
import { indentJson } from '@touchstone/formats/locate-json'
import { type FoldChoice, JsonOutline } from './json-outline.ts'
import { type JsonPath, parsePath } from './json-path.ts'
import type { JsonRow, OutlineRoot } from './json-rows.ts'

/** A member of a document's top object. */
export interface Field {
  key: string
  kind: JsonKind
  start: number
  end: number
}

/** Sent to a view after each change of an outline. */
export interface OutlineState {
  length: number
  /** Row to scroll into view, if the change requests one. */
  row?: number
}

/**
 * Operations of a view on a document, as plain calls with plain results, so that the same code runs in a worker (large
 * documents) and on the main thread (small ones).
 */
export function createJsonApi() {
  let bytes = new Uint8Array()
  let current: JsonOutline | undefined

  const getOutline = (): JsonOutline => {
    if (!current) throw new Error('No outline has been created.')
    return current
  }
  const opened = (row?: number): OutlineState => ({
    length: getOutline().length,
    ...(row === undefined ? {} : { row }),
  })

  return {
    /** Takes ownership of the document and lists the members of its top object. */
    load(buffer: ArrayBuffer): Field[] {
      bytes = new Uint8Array(buffer)
      return listFields(bytes)
    },

    /** Members of the top object that are not excluded and not above the size limit, as values. */
    head(without: readonly string[], maxBytes: number): Record<string, unknown> {
      const small = listFields(bytes).filter(({ key, start, end }) => !without.includes(key) && end - start <= maxBytes)
      return Object.fromEntries(small.map(({ key, start, end }) => [key, JSON.parse(readText(bytes, start, end))]))
    },

    /** The JSON text between two offsets, byte for byte. */
    text(start: number, end: number): string {
      return readText(bytes, start, end)
    },

    /** The JSON between two offsets with two spaces of indent, without some members of its object. */
    indentedText(start: number, end: number, without: readonly string[]): string {
      if (without.length === 0 || kindAt(bytes, start) !== 'object') return indentJson(readText(bytes, start, end))
      const kept = [...membersAt(bytes, start)].filter(({ key }) => !without.includes(readKey(bytes, key)))
      return indentJson(`{${kept.map((member) => readText(bytes, member.key, member.end)).join(',')}}`)
    },

    /** The value between two offsets. Numbers lose digits that a float cannot hold, so the result must not be shown. */
    parse(start: number, end: number): unknown {
      return JSON.parse(readText(bytes, start, end))
    },

    /** @param folds  values that were opened or closed in similar documents, parents first */
    outline(roots: readonly OutlineRoot[] | undefined, columns: number, folds: readonly FoldChoice[]): OutlineState {
      current = new JsonOutline(bytes, roots ?? [{ key: undefined, start: skipSpace(bytes, 0) }], columns)
      current.fold(folds)
      return opened()
    },

    rows(from: number, to: number): JsonRow[] {
      return getOutline().rows(from, to)
    },

    toggle(row: number, withSiblings: boolean): OutlineState {
      if (withSiblings) getOutline().toggleSiblings(row)
      else getOutline().toggle(row)
      return opened(row)
    },

    /** Opens a string as the JSON it contains, or shows its text again. */
    toggleJson(row: number): OutlineState {
      getOutline().toggleJson(row)
      return opened(row)
    },

    showWhole(row: number): OutlineState {
      getOutline().showWhole(row)
      return opened()
    },

    setColumns(columns: number): OutlineState {
      getOutline().setColumns(columns)
      return opened()
    },

    reveal(offset: number): OutlineState {
      return opened(getOutline().reveal(offset))
    },

    findPath(path: string): OutlineState {
      const steps = parsePath(path)
      return opened(steps && getOutline().findPath(steps))
    },

    pathOf(row: number): JsonPath {
      return getOutline().getPath(row)
    },

    valueText(row: number): string {
      return getOutline().valueText(row)
    },

    /**
     * Offsets of a text in one range of the document. A search calls this range by range, so that a new search can
     * interrupt it.
     */
    search(query: string, from: number, to: number): number[] {
      return searchBytes(bytes, toNeedles(query), from, to)
    },
  }
}

export type JsonApi = ReturnType<typeof createJsonApi>

function listFields(bytes: Uint8Array): Field[] {
  const top = skipSpace(bytes, 0)
  if (kindAt(bytes, top) !== 'object')
    return [{ key: '', kind: kindAt(bytes, top), start: top, end: extentAt(bytes, top).end }]
  return Array.from(membersAt(bytes, top), ({ key, start, end }) => ({
    key: readKey(bytes, key),
    kind: kindAt(bytes, start),
    start,
    end,
  }))
}

/** @param at  offset of the opening quote */
function readKey(bytes: Uint8Array, at: number): string {
  return decodeString(bytes, at + 1, skipString(bytes, at) - 1)
}

const BACKSLASH = 92

const LOWER = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte))

/** The byte at an offset, ASCII letters in lower case. */
function toLower(bytes: Uint8Array, at: number): number | undefined {
  const byte = bytes[at]
  return byte === undefined ? undefined : LOWER[byte]
}

/** Maximum number of hits. Beyond it the UI shows "many". */
export const MOST_HITS = 100_000

/** The forms of a text in JSON: unchanged, and with its non-ASCII characters escaped. Lower-case bytes. */
export function toNeedles(query: string): Uint8Array[] {
  const escaped = JSON.stringify(query).slice(1, -1).toLowerCase()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: everything that is ASCII
  const ascii = escaped.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return [...new Set([escaped, ascii])].filter((form) => form !== '').map((form) => new TextEncoder().encode(form))
}

/** Offsets from `from` to `to` where one of the needles starts. ASCII letters match in both cases. */
export function searchBytes(bytes: Uint8Array, needles: readonly Uint8Array[], from: number, to: number): number[] {
  const hits: number[] = []
  for (const needle of needles) collect(bytes, needle, from, Math.min(to, bytes.length - needle.length + 1), hits)
  return needles.length > 1 ? [...new Set(hits)].sort((a, b) => a - b) : hits
}

function collect(bytes: Uint8Array, needle: Uint8Array, from: number, to: number, hits: number[]) {
  const first = needle[0]
  for (let at = from; at < to && hits.length < MOST_HITS; at++) {
    if (toLower(bytes, at) !== first || !matchesAt(bytes, needle, at) || isEscaped(bytes, at)) continue
    hits.push(at)
  }
}

function matchesAt(bytes: Uint8Array, needle: Uint8Array, at: number): boolean {
  for (let i = 1; i < needle.length; i++) if (toLower(bytes, at + i) !== needle[i]) return false
  return true
}

/** Whether the byte is the second half of an escape such as `\n`, not a letter of the text. */
function isEscaped(bytes: Uint8Array, at: number): boolean {
  let slashes = 0
  while (bytes[at - 1 - slashes] === BACKSLASH) slashes++
  return slashes % 2 === 1
}
