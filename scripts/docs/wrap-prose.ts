/** Longest line of prose in a Markdown file, in characters. */
export const MAX_COLUMNS = 120

/** A list marker or nothing, after its indent. */
const MARKER = /^(\s*)((?:[-*+]|\d+[.)])\s+)?/
/** Lines that end a paragraph and stay as they are: headings, rules, tables, quotes, HTML, link definitions. */
const NOT_PROSE = /^\s*(#{1,6}\s|\||>|<(?!https?:)|\[[^\]]+\]:|={3,}$|([-*_])(\s*\2){2,}\s*$)/
const FENCE = /^\s*(```+|~~~+)/
/** Words that would begin a list, a heading, a quote, a table or HTML at the start of a line. */
const UNSAFE_START = /^(?:[-+*]|#{1,6}|\d+[.)]|=+|-+)$|^[>|]|^<(?!https?:)|^(?:```|~~~)/

/**
 * Wraps the prose of a Markdown text. Only paragraphs and list items with a line that is too long change; the
 * rendered page stays the same. Tables, headings, quotes, HTML and code are left alone, and code spans are not broken.
 */
export function wrapProse(text: string, columns = MAX_COLUMNS): string {
  return readBlocks(text)
    .flatMap(({ lines, isProse }) => (isProse && hasLongLine(lines, columns) ? wrapParagraph(lines, columns) : lines))
    .join('\n')
}

/** Returns the numbers of the lines that `wrapProse` would break. */
export function findLongLines(text: string, columns = MAX_COLUMNS): number[] {
  let first = 1
  return readBlocks(text).flatMap(({ lines, isProse }) => {
    const start = first
    first += lines.length
    if (!isProse) return []
    const wrapped = new Set(wrapParagraph(lines, columns))
    return lines.flatMap((line, index) => (line.length > columns && !wrapped.has(line) ? [start + index] : []))
  })
}

interface Block {
  readonly lines: readonly string[]
  readonly isProse: boolean
}

function readBlocks(text: string): Block[] {
  const blocks: { lines: string[]; isProse: boolean }[] = []
  let fence: string | undefined
  let isOpen = false
  for (const line of text.split('\n')) {
    const marker = FENCE.exec(line)?.[1]
    const isCode = fence !== undefined || marker !== undefined
    if (fence === undefined) fence = marker
    else if (marker?.startsWith(fence) && line.trim() === marker) fence = undefined

    const isProse: boolean =
      !isCode && line.trim() !== '' && !NOT_PROSE.test(line) && (isOpen || !isIndentedCode(line, blocks))
    const continues = isProse && isOpen && MARKER.exec(line)?.[2] === undefined
    if (continues) blocks.at(-1)?.lines.push(line)
    else blocks.push({ lines: [line], isProse })
    // Two spaces or a backslash at the end of a line are a line break that must stay.
    isOpen = isProse && !/( {2}|\\)$/.test(line)
  }
  return blocks
}

/** Four spaces are code, except below a list item. */
function isIndentedCode(line: string, before: readonly Block[]): boolean {
  if (!/^( {4}|\t)/.test(line)) return false
  const parent = before.findLast(({ lines }) => /^\S/.test(lines[0] ?? ''))
  return MARKER.exec(parent?.lines[0] ?? '')?.[2] === undefined
}

const hasLongLine = (lines: readonly string[], columns: number) => lines.some((line) => line.length > columns)

function wrapParagraph(lines: readonly string[], columns: number): string[] {
  const [, indent = '', marker = ''] = MARKER.exec(lines[0] ?? '') ?? []
  const next = ' '.repeat(indent.length + marker.length)
  const end = / {2}$/.test(lines.at(-1) ?? '') ? '  ' : ''
  const wrapped: string[] = []
  let line = indent + marker
  let isEmpty = true
  for (const word of splitWords(
    lines
      .map((text) => text.trim())
      .join(' ')
      .slice(marker.trimEnd().length),
  )) {
    if (!isEmpty && line.length + 1 + word.length > columns) {
      wrapped.push(line)
      line = next
      isEmpty = true
    }
    line += isEmpty ? word : ` ${word}`
    isEmpty = false
  }
  return [...wrapped, line + end]
}

/** Splits at spaces outside code spans, and joins a word that may not begin a line to the word before it. */
function splitWords(text: string): string[] {
  const words: string[] = []
  for (const word of text.match(/(?:(`+)(?:(?!`).|(?!\1(?!`))`)+?\1(?!`)|\S)+/g) ?? []) {
    const before = words.at(-1)
    if (before !== undefined && UNSAFE_START.test(word)) words[words.length - 1] = `${before} ${word}`
    else words.push(word)
  }
  return words
}
