import type { JsonKind } from './scan-json.ts'

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
