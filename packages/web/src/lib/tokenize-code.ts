import { type StreamParser, StringStream } from '@codemirror/streamparser'

/** What a part of a code is; undefined for names, white space and everything else without a color. */
export type TokenKind = 'keyword' | 'constant' | 'string' | 'number' | 'comment' | 'name' | 'meta' | 'punctuation'

export interface CodeToken {
  text: string
  kind: TokenKind | undefined
}

/** Kinds by the names that the parsers of CodeMirror use. */
const KINDS: ReadonlyMap<string, TokenKind> = new Map([
  ['keyword', 'keyword'],
  ['tag', 'keyword'],
  ['tagName', 'keyword'],
  ['atom', 'constant'],
  ['bool', 'constant'],
  ['null', 'constant'],
  ['string', 'string'],
  ['string-2', 'string'],
  ['inserted', 'string'],
  ['number', 'number'],
  ['comment', 'comment'],
  ['deleted', 'keyword'],
  ['def', 'name'],
  ['header', 'name'],
  ['heading', 'name'],
  ['attribute', 'name'],
  ['attributeName', 'name'],
  ['meta', 'meta'],
  ['builtin', 'meta'],
  ['bracket', 'punctuation'],
  ['punctuation', 'punctuation'],
])

/** Cuts code into parts. Together they are the text, character for character. */
export function tokenizeCode(text: string, parser: StreamParser<unknown>): CodeToken[] {
  const tokens: CodeToken[] = []
  const add = (part: string, kind: TokenKind | undefined) => {
    const last = tokens.at(-1)
    if (last !== undefined && last.kind === kind) last.text += part
    else if (part !== '') tokens.push({ text: part, kind })
  }
  const state = parser.startState?.(2)
  for (const [index, line] of text.split('\n').entries()) {
    if (index > 0) add('\n', undefined)
    if (line === '') parser.blankLine?.(state, 2)
    const stream = new StringStream(line, 4, 2)
    while (!stream.eol()) {
      const style = readToken(parser, stream, state)
      add(line.slice(stream.start, stream.pos), toKind(style))
      stream.start = stream.pos
    }
  }
  return tokens
}

/** A parser may return nothing a few times while it changes its state. */
const MAX_EMPTY_TOKENS = 10

function readToken(parser: StreamParser<unknown>, stream: StringStream, state: unknown): string | null | undefined {
  for (let attempt = 0; attempt < MAX_EMPTY_TOKENS; attempt++) {
    const style = parser.token(stream, state)
    if (stream.pos > stream.start) return style
  }
  stream.next()
  return null
}

/**
 * A style is one or more names with modifiers: `variableName.definition`, `string property`. Some modes return undefined,
 * which their types do not say.
 */
function toKind(style: string | null | undefined): TokenKind | undefined {
  // A key of JSON is a string and a property, in the color of names without one.
  if (!style || /\bproperty/.test(style)) return undefined
  for (const full of style.split(' ')) {
    const [name = '', ...modifiers] = full.split('.')
    if (modifiers.includes('definition') || modifiers.includes('function')) return 'name'
    if (modifiers.includes('standard')) return 'meta'
    const kind = KINDS.get(name)
    if (kind) return kind
  }
  return undefined
}
