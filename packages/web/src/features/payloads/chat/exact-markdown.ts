import { stripTerminalCodes } from '#lib/terminal-text.ts'
import { isInlineMedia, safeUrl } from './safe-url.ts'

/** What the plugins below read of a node of mdast, and of an element of hast. */
export interface Node {
  type: string
  value?: string
  children?: Node[]
  position?: { start: Point; end: Point }
  data?: { hName?: string; hProperties?: Record<string, unknown> }
  url?: string
  align?: (string | null)[]
  /** Of a list and its items: whether they have paragraphs. */
  spread?: boolean
}

interface Point {
  line: number
  column: number
  offset: number
}

/**
 * Parts of Markdown that are not read, because what they do to a text cannot be seen: HTML, escapes and entities lose
 * characters, a definition or a footnote disappears or moves, and an indented text is more often a prompt than code.
 */
const UNREAD = [
  ...['htmlFlow', 'htmlText', 'characterReference', 'hardBreakEscape', 'definition', 'setextUnderline', 'codeIndented'],
  ...['gfmFootnoteDefinition', 'gfmFootnoteCall', 'gfmPotentialFootnoteCall', 'tasklistCheck'],
]

interface CompileContext {
  stack: { value?: string }[]
}

/** A plugin of remark: reads Markdown without the parts that change the wording. A backslash before a mark stays. */
export function readExactly(this: { data(): object }): void {
  const data = this.data() as { micromarkExtensions?: unknown[]; fromMarkdownExtensions?: unknown[] }
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), { disable: { null: UNREAD } }]
  const escapeMarker = function (this: CompileContext) {
    const text = this.stack.at(-1)
    if (text?.value !== undefined) text.value += '\\'
  }
  data.fromMarkdownExtensions = [...(data.fromMarkdownExtensions ?? []), { exit: { escapeMarker } }]
}

/**
 * A plugin of remark: keeps what Markdown would leave out. Marks of blocks (`#`, `-`, `7.`, `>`, `---`) stay in front of
 * their text. Marks around words stay wherever they may be something else than marks, as in `2*3*4` or `__init__`. Line
 * breaks and indents stay. A link or image that cannot be opened is shown as it was written.
 */
export function keepWording() {
  return (tree: Node, file: { value: unknown }) => {
    const source = String(file.value)
    if (isTooDeep(tree)) tree.children = [{ type: 'paragraph', children: [toText(source)] }]
    else keepBlocks(tree, { source, lines: source.split(/\r\n|\r|\n/), marks: [], column: 1 })
  }
}

/** The most characters, and the most marks around words, that are parsed. */
export const MAX_LENGTH = 50_000
const MAX_MARKS = 5_000

/** Quotes and lists in each other. */
const NESTED = /^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))){40}/m

/** Whether a text is shown without its Markdown: the parser takes time with the square of these, and would block the page. */
export function isCostly(source: string): boolean {
  return source.length > MAX_LENGTH || NESTED.test(source) || (source.match(/[*_~]+/g)?.length ?? 0) > MAX_MARKS
}

const MAX_DEPTH = 100

/** Without recursion, because the tree of a hostile text may be as deep as the text is long. */
function isTooDeep(tree: Node): boolean {
  let level: Node[] = [tree]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true
    level = level.flatMap(({ children }) => children ?? [])
  }
  return false
}

interface Context {
  source: string
  lines: readonly string[]
  /** Marks of the blocks around, which are drawn before the first text. They are taken out of the list. */
  marks: Node[]
  /** Where the texts of the block around start, from 1. */
  column: number
}

function keepBlocks(parent: Node, context: Context): void {
  const { source, marks } = context
  const blocks: Node[] = []
  for (const node of parent.children ?? []) {
    const written = sliceSource(node, source)
    if (node.type === 'paragraph') {
      node.children = [...marks.splice(0), ...keepInlines(node, context)]
    } else if (node.type === 'heading') {
      const [start = ''] = /^#+/.exec(written) ?? []
      const [end = ''] = /[ \t]#+[ \t]*$/.exec(written) ?? []
      node.children = [...marks.splice(0), toMark(`${start} `), ...keepInlines(node, context), toMark(end)]
    } else if (node.type === 'blockquote' || node.type === 'listItem') {
      const [mark = ''] = /^(>|[-+*]|\d+[.)])/.exec(written) ?? []
      marks.push(toMark(`${mark} `, node.type === 'listItem' ? 'item-mark' : 'mark'))
      keepBlocks(node, { ...context, column: node.children?.[0]?.position?.start.column ?? context.column })
      if (marks.length > 0) node.children?.push({ type: 'paragraph', children: marks.splice(0) })
    } else {
      if (marks.length > 0) blocks.push({ type: 'paragraph', children: marks.splice(0) })
      if (node.type === 'thematicBreak') {
        blocks.push(toParagraph('rule', [toMark(written)]))
        continue
      }
      const [, info = ''] = node.type === 'code' ? (/^(?:`+|~+)([^\r\n]*)/.exec(written) ?? []) : []
      if (info.trim() !== '') blocks.push(toParagraph('info', [toMark(info.trim())]))
      if (node.type === 'table') keepCells(node, context)
      else if (node.children) keepBlocks(node, context)
    }
    // All items have paragraphs, so that the line breaks of each text are kept in one way.
    if (node.type === 'list' || node.type === 'listItem') node.spread = true
    blocks.push(node)
  }
  parent.children = blocks
}

/** A row may have more cells than the head of its table. */
function keepCells(table: Node, context: Context): void {
  const rows = table.children ?? []
  const width = Math.max(...rows.map(({ children }) => children?.length ?? 0))
  table.align = Array.from({ length: width }, (_, at) => table.align?.[at] ?? null)
  for (const cell of rows.flatMap(({ children }) => children ?? [])) cell.children = keepInlines(cell, context)
}

/** Texts of a block, with the indents of its lines. */
function keepInlines(block: Node, context: Context): Node[] {
  const start = block.position?.start
  const { lines, column } = context
  const indent = (line: number) => {
    const [before = ''] = /^[\s>]*/.exec(lines[line - 1] ?? '') ?? []
    return before.slice(column - 1).replaceAll('>', ' ')
  }
  let line = start?.line ?? 1
  const addLine = (): Node[] => {
    line++
    return [{ type: 'lineBreak', data: { hName: 'br' }, children: [] }, toText(indent(line))]
  }
  const addText = (value: string): Node[] =>
    value.split(/\r\n|\r|\n/).flatMap((text, at) => (at === 0 ? [toText(text)] : [...addLine(), toText(text)]))
  const add = (node: Node): Node[] => {
    line = node.position?.start.line ?? line
    if (node.type === 'text') return addText(node.value ?? '')
    if (node.type === 'break') return addLine()
    const written = sliceSource(node, context.source)
    if (isSourceBetter(node, written)) return addText(written)
    if (node.children) {
      const marks = selectMarks(node, written, context.source)
      const inside = [toText(marks.inside), ...node.children.flatMap(add), toText(marks.inside)]
      if (marks.isDrawn) return [toText(marks.outside), { ...node, children: inside }, toText(marks.outsideEnd)]
      return inside
    }
    line = node.position?.end.line ?? line
    return [node]
  }
  const first = block.type === 'paragraph' ? toText(indent(line)) : toText('')
  return [first, ...(block.children ?? []).flatMap(add)].filter(({ type, value }) => type !== 'text' || value !== '')
}

/** A link or image whose address cannot be opened. */
function isSourceBetter({ type, url = '' }: Node, written: string): boolean {
  if (type === 'image') return safeUrl(url) === '' && !isInlineMedia(url)
  return type === 'link' && written.startsWith('[') && safeUrl(url) === ''
}

interface Marks {
  /** Whether the look of the node is drawn. Otherwise only its text with its marks. */
  isDrawn: boolean
  inside: string
  outside: string
  outsideEnd: string
}

/** The marks that stay, of a node with texts in it. */
function selectMarks(node: Node, written: string, source: string): Marks {
  const none = { isDrawn: true, inside: '', outside: '', outsideEnd: '' }
  if (node.type === 'delete') return { ...none, outside: '~~', outsideEnd: '~~' }
  if (node.type === 'link' && written.startsWith('<')) return { ...none, outside: '<', outsideEnd: '>' }
  if (node.type !== 'emphasis' && node.type !== 'strong') return none
  const size = node.type === 'strong' ? 2 : 1
  return isEmphasis(node, source, size) ? none : { ...none, isDrawn: false, inside: written.slice(0, size) }
}

/** Letters that are written without spaces between words may stand beside a mark. */
const BEFORE = /[\s([{"'“‘«—–\-:,;|>]|[^\0-\x7f]/
const AFTER = /[\s)\]}"'”’»—–\-:,;.!?|<]|[^\0-\x7f]/
const FIRST_INSIDE = /[,;:!?)\]}/=+^|&%\\>]/
const LAST_INSIDE = /[([{/=+^|&\\<]/

/**
 * Whether asterisks or underscores around a text can only be marks. In `2*3*4`, `f(*args, **kwargs)` and `src/**` they are
 * operators; around one word, underscores are a part of an identifier such as `__init__`.
 */
function isEmphasis({ position, type }: Node, source: string, size: number): boolean {
  if (!position) return true
  const [start, end] = [position.start.offset, position.end.offset]
  const before = source[start - 1 - countMarks(source, start - 1, -1)] ?? ' '
  const after = source[end + countMarks(source, end, 1)] ?? ' '
  if (!BEFORE.test(before) || !AFTER.test(after)) return false
  const inside = source.slice(start + size, end - size)
  if (FIRST_INSIDE.test(inside[0] ?? '') || LAST_INSIDE.test(inside.at(-1) ?? '')) return false
  if (source[start] === '_') return /\S\s+\S/.test(inside)
  return type === 'strong' ? /[\p{L}\p{N}]/u.test(inside) : /\p{L}/u.test(inside) && !inside.startsWith('.')
}

/** How many marks of other emphases stand beside one, at most four. */
function countMarks(source: string, from: number, step: 1 | -1): number {
  let count = 0
  while (count < 4 && /[*_~]/.test(source[from + count * step] ?? '')) count++
  return count
}

function sliceSource({ position }: Node, source: string): string {
  return position ? source.slice(position.start.offset, position.end.offset) : ''
}

/** Terminal colors are drawn in code alone. */
const toText = (value: string): Node => ({ type: 'text', value: stripTerminalCodes(value) })

function toMark(text: string, className = 'mark'): Node {
  return { type: 'mark', data: { hName: 'span', hProperties: { className: [className] } }, children: [toText(text)] }
}

function toParagraph(className: string, children: Node[]): Node {
  return { type: 'paragraph', data: { hProperties: { className: [className] } }, children }
}
