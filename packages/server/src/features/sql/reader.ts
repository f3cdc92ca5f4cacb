import { ApiError, MAX_SQL_LENGTH } from '@touchstone/contract'

interface Token {
  /** `quoted` is a name in double quotes or backticks; `text` of it and of a string is the text between the quotes. */
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'symbol' | 'end'
  readonly text: string
  /** Characters before it in the statement. */
  readonly at: number
}

const MAX_TOKENS = 5_000

/** @throws ApiError INVALID_REQUEST with a message for the author of the statement */
export function refuse(problem: string, cause?: unknown): never {
  throw new ApiError('INVALID_REQUEST', `SQL: ${problem}`, { cause })
}

/**
 * Cuts a statement into tokens. Comments are dropped: `--` to the end of the line, and block comments, which do not nest.
 *
 * @throws ApiError INVALID_REQUEST for text that is too long or has a character that belongs to no token
 */
export function tokenize(statement: string): readonly Token[] {
  if (statement.length > MAX_SQL_LENGTH)
    refuse(`the statement has ${statement.length} characters, at most ${MAX_SQL_LENGTH} are allowed.`)
  const tokens: Token[] = []
  let at = 0
  while (at < statement.length) {
    const next = readToken(statement, at)
    if (next.token !== undefined) tokens.push(next.token)
    if (tokens.length > MAX_TOKENS) refuse(`the statement has more than ${MAX_TOKENS} words and symbols.`)
    at = next.end
  }
  return [...tokens, { kind: 'end', text: '', at: statement.length }]
}

interface Read {
  readonly token?: Token
  readonly end: number
}

const SPACE = /[ \t\r\n]+|--[^\n]*/y
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y
const NUMBER = /(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![A-Za-z0-9_])/y
const SYMBOL = /::|->|\|\||<=|>=|<>|!=|==|[-+*/%=<>(),.;[\]]/y

function readToken(statement: string, at: number): Read {
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at
    return pattern.exec(statement)?.[0]
  }
  const space = match(SPACE)
  if (space !== undefined) return { end: at + space.length }
  if (statement.startsWith('/*', at)) return { end: findCommentEnd(statement, at) }
  const first = statement.charAt(at)
  if (first === "'") return readString(statement, at)
  if (first === '"' || first === '`') return readQuotedName(statement, at)
  for (const [kind, pattern] of PATTERNS) {
    const text = match(pattern)
    if (text !== undefined) return { token: { kind, text, at }, end: at + text.length }
  }
  return refuse(`unexpected character ${JSON.stringify(first)} at position ${at + 1}.`)
}

const PATTERNS = [
  ['word', WORD],
  ['number', NUMBER],
  ['symbol', SYMBOL],
] as const

function findCommentEnd(statement: string, at: number): number {
  const end = statement.indexOf('*/', at + 2)
  return end < 0 ? refuse(`the comment at position ${at + 1} has no end.`) : end + 2
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', "'": "'", '"': '"' }

/** A quote is written `''` or `\'`; a backslash before any other letter is literal, as in regular expressions. */
function readString(statement: string, at: number): Read {
  let text = ''
  for (let here = at + 1; here < statement.length; here++) {
    const letter = statement.charAt(here)
    const following = statement[here + 1]
    if (letter === '\0') refuse('a string must not contain the character NUL.')
    if (letter === '\\' && following !== undefined) {
      text += ESCAPES[following] ?? `\\${following}`
      here++
    } else if (letter === "'" && following === "'") {
      text += "'"
      here++
    } else if (letter === "'") {
      return { token: { kind: 'string', text, at }, end: here + 1 }
    } else text += letter
  }
  return refuse(`the string at position ${at + 1} has no end.`)
}

/** No quotes, backslashes, dots, braces or control characters: names are printed verbatim between backticks. */
const QUOTED_NAME = /^[^\p{C}\p{Zl}\p{Zp}"'`\\.{}]{1,128}$/u

function readQuotedName(statement: string, at: number): Read {
  const end = statement.indexOf(statement.charAt(at), at + 1)
  if (end < 0) refuse(`the quoted name at position ${at + 1} has no end.`)
  const text = statement.slice(at + 1, end)
  if (!QUOTED_NAME.test(text)) {
    refuse(
      `the quoted name at position ${at + 1} must have 1 to 128 characters, no quotes, dots, braces or backslashes.`,
    )
  }
  return { token: { kind: 'quoted', text, at }, end: end + 1 }
}

/** Maximum nesting of parentheses, functions and subqueries. */
const MAX_DEPTH = 40

/** Reserved words; names that equal one have to be quoted. */
const RESERVED = new Set(
  `all and anti any array as asc asof between by case cross desc distinct else end except exists fetch final for format from
  full global group having in inner intersect interval into is join lateral left like ilike limit natural not null offset on
  or order outer over paste prewhere qualify right sample select semi set settings then union using values when where
  window with`.split(/\s+/),
)

const END: Token = { kind: 'end', text: '', at: 0 }

/** Reads a list of tokens. */
export class Reader {
  #at = 0
  #depth = 0

  constructor(private readonly tokens: readonly Token[]) {}

  peek(ahead = 0): Token {
    return this.tokens[this.#at + ahead] ?? this.tokens.at(-1) ?? END
  }

  next(): Token {
    const token = this.peek()
    this.#at++
    return token
  }

  /** Whether the unquoted words come next, in any case. */
  isWords(...words: readonly string[]): boolean {
    return words.every((word, ahead) => {
      const { kind, text } = this.peek(ahead)
      return kind === 'word' && text.toLowerCase() === word
    })
  }

  isSymbol(symbol: string, ahead = 0): boolean {
    const { kind, text } = this.peek(ahead)
    return kind === 'symbol' && text === symbol
  }

  /** Takes the words if they come next. */
  takeWords(...words: readonly string[]): boolean {
    if (!this.isWords(...words)) return false
    this.#at += words.length
    return true
  }

  takeSymbol(symbol: string): boolean {
    if (!this.isSymbol(symbol)) return false
    this.#at++
    return true
  }

  expectWords(...words: readonly string[]): void {
    if (!this.takeWords(...words)) this.unexpected(words.join(' '))
  }

  expectSymbol(symbol: string): void {
    if (!this.takeSymbol(symbol)) this.unexpected(`"${symbol}"`)
  }

  /** Whether a name comes next: quoted, or a word that is not reserved. */
  isName(ahead = 0): boolean {
    const { kind, text } = this.peek(ahead)
    return kind === 'quoted' || (kind === 'word' && !RESERVED.has(text.toLowerCase()))
  }

  name(what: string): string {
    if (!this.isName()) this.unexpected(what)
    return this.next().text
  }

  number(what: string): number {
    if (this.peek().kind !== 'number' || !/^[0-9]{1,9}$/.test(this.peek().text)) this.unexpected(what)
    return Number(this.next().text)
  }

  /** One or more, separated by commas. */
  list<Item>(read: () => Item): Item[] {
    const items = [read()]
    while (this.takeSymbol(',')) items.push(read())
    return items
  }

  inParentheses<Result>(read: () => Result): Result {
    this.expectSymbol('(')
    const result = this.deeper(read)
    this.expectSymbol(')')
    return result
  }

  deeper<Result>(read: () => Result): Result {
    this.#depth++
    if (this.#depth > MAX_DEPTH) refuse(`the statement is nested more than ${MAX_DEPTH} levels deep.`)
    const result = read()
    this.#depth--
    return result
  }

  unexpected(expected?: string): never {
    const { kind, text, at } = this.peek()
    const found = kind === 'end' ? 'the end of the statement' : JSON.stringify(text.slice(0, 100))
    const instead = expected === undefined ? '' : `, expected ${expected}`
    return refuse(`unexpected ${found} at position ${at + 1}${instead}.`)
  }
}

/** Quotes a name for the engine. */
export const quotedName = (name: string) => `\`${name}\``

/** Quotes a text for the engine. */
export const quotedText = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
