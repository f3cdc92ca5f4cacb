import { parseTime } from '../wire/parse-time.ts'
import { FilterError } from './error.ts'

export interface Token {
  /** `mark` is one of `( ) [ ] ,`; `end` closes the text. */
  readonly kind: 'mark' | 'name' | 'string' | 'number' | 'end'
  /** As written; of a string, what it stands for. */
  readonly text: string
  /** Position of its first character, from 0. */
  readonly at: number
}

const SPACE = /\s*/y
const NAME = /[A-Za-z_][\w-]*(?:\.(?:[\w-]+))*/y
const TIME = /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}[\d:.,]*)?(?:Z|[+-]\d{2}:?\d{2})?/iy
const NUMBER = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/iy
const DOUBLE_QUOTED = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y
const SINGLE_QUOTED = /'[^'\\]*(?:\\[\s\S][^'\\]*)*'/y

/** The tokens of a filter one by one, so that the parser stops reading at the first mistake. */
export interface Tokens {
  /**
   * The next token, `end` behind the last.
   *
   * @throws FilterError
   */
  readonly next: () => Token
}

/** Cuts a filter into tokens. */
export function tokensOf(text: string): Tokens {
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }
  return {
    next() {
      at += take(SPACE)!.length
      if (at === text.length) return { kind: 'end', text: '', at }
      const [token, length] = readToken(text, at, take)
      at += length
      return token
    },
  }
}

/** A part of a filter as an error message quotes it. */
export function shown(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

function readToken(text: string, at: number, take: (pattern: RegExp) => string | undefined): [Token, number] {
  const first = text[at]!
  if ('()[],'.includes(first)) return [{ kind: 'mark', text: first, at }, 1]
  if (first === '"' || first === "'") {
    const quoted = take(first === '"' ? DOUBLE_QUOTED : SINGLE_QUOTED)
    if (quoted === undefined) throw new FilterError(at, 'this string has no closing quote')
    return [{ kind: 'string', text: unquote(quoted, at), at }, quoted.length]
  }
  const time = take(TIME)
  if (time !== undefined && parseTime(time) !== undefined) return [{ kind: 'string', text: time, at }, time.length]
  const number = take(NUMBER)
  if (number !== undefined) return [{ kind: 'number', text: number, at }, number.length]
  const name = take(NAME)
  if (name !== undefined) return [{ kind: 'name', text: name, at }, name.length]
  throw new FilterError(
    at,
    `found ${JSON.stringify(String.fromCodePoint(text.codePointAt(at)!))}, which begins nothing`,
  )
}

function unquote(quoted: string, at: number): string {
  const inner = quoted.slice(1, -1)
  if (!inner.includes('\\')) return inner
  if (quoted.startsWith("'")) return inner.replaceAll(/\\(['"\\])/g, '$1')
  try {
    // Line breaks are fine inside quotes, though JSON wants them escaped.
    return JSON.parse(`"${inner.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}"`) as string
  } catch {
    throw new FilterError(at, 'this string has a backslash that escapes nothing; write \\\\ for a backslash')
  }
}
