import { CSV_DELIMITERS } from '@touchstone/contract/csv-columns'
import Papa from 'papaparse'

export type FileFormat = 'csv' | 'jsonl' | 'json'

/** How to read a file. Every part is detected, and the user may change it. */
export interface FileOptions {
  readonly format: FileFormat
  /** A label of the Encoding Standard. */
  readonly encoding: string
  /** Between the cells of CSV. */
  readonly delimiter: string
}

/** Encodings to choose from. */
export const ENCODINGS: readonly { readonly value: string; readonly label: string }[] = [
  { value: 'utf-8', label: 'UTF-8' },
  { value: 'utf-16le', label: 'UTF-16 LE' },
  { value: 'utf-16be', label: 'UTF-16 BE' },
  { value: 'windows-1252', label: 'Windows-1252 (Western)' },
  { value: 'iso-8859-2', label: 'ISO 8859-2 (Central European)' },
  { value: 'windows-1251', label: 'Windows-1251 (Cyrillic)' },
  { value: 'shift_jis', label: 'Shift JIS' },
  { value: 'gb18030', label: 'GB 18030' },
]

export const DELIMITERS: readonly { readonly value: string; readonly label: string }[] = CSV_DELIMITERS

/** Bytes at the start of a file that tell what it is. */
export const HEAD_BYTES = 256 * 1024

/** @param head  the first bytes of the file */
export function detectOptions(name: string, head: Uint8Array<ArrayBuffer>): FileOptions {
  const encoding = detectEncoding(head)
  const text = new TextDecoder(encoding).decode(head, { stream: true })
  const format = detectFormat(name, text)
  return { format, encoding, delimiter: format === 'csv' ? detectDelimiter(text) : ',' }
}

function detectEncoding(head: Uint8Array<ArrayBuffer>): string {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}

function detectFormat(name: string, text: string): FileFormat {
  const ending = /\.([^.]+)$/.exec(name.toLowerCase())?.[1]
  if (ending === 'jsonl' || ending === 'ndjson') return 'jsonl'
  const start = text.trimStart()
  const isObjectPerLine = start.startsWith('{') && isJson(start.split(/\r?\n/, 1)[0] ?? '')
  if (ending === 'json') return isObjectPerLine && /\n\s*\{/.test(start) ? 'jsonl' : 'json'
  if (ending === 'csv' || ending === 'tsv') return 'csv'
  if (start.startsWith('[')) return 'json'
  if (start.startsWith('{')) return isObjectPerLine ? 'jsonl' : 'json'
  return 'csv'
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function detectDelimiter(text: string): string {
  const { meta } = Papa.parse(text.slice(0, 64 * 1024), {
    preview: 20,
    skipEmptyLines: true,
    delimitersToGuess: DELIMITERS.map(({ value }) => value),
  })
  return meta.delimiter || ','
}

/** The first line break outside quotes. */
export function detectLineBreak(text: string): '\n' | '\r\n' | '\r' {
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && character === '\n') return '\n'
    else if (!isQuoted && character === '\r') return text[at + 1] === '\n' ? '\r\n' : '\r'
  }
  return '\n'
}
