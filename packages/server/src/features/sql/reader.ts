import { refuse, type Token } from './tokens.ts'

/** Maximum nesting of parentheses, functions and subqueries. */
const MAX_DEPTH = 40

/** Reserved words; names that equal one have to be quoted. */
const RESERVED = new Set(
  `all and anti any array as asc asof between by case cross desc distinct else end except exists fetch final for format from
  full global group having in inner intersect interval into is join lateral left like ilike limit natural not null offset on
  or order outer over paste prewhere qualify right sample select semi set settings then union using values when where
  window with`.split(/\s+/),
)

/** Reads a list of tokens. */
export class Reader {
  #at = 0
  #depth = 0

  constructor(private readonly tokens: readonly Token[]) {}

  peek(ahead = 0): Token {
    return this.tokens[Math.min(this.#at + ahead, this.tokens.length - 1)]!
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
